package manifest

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Unseen is the fault of a document that YAML reads as an object, in which a blank that is none, or a wide letter, made text of what was to be structure: a key
// has one, or a list is a text that begins with a hyphen and one. Any other text may have them.
func Unseen(d Document, object map[string]any) (Fault, bool) {
	if f, ok := before(d, object); ok {
		return f, true
	}

	switch {
	case hasKey(object, message.IsUnseen), bytes.ContainsFunc(d.Text, message.IsUnseen) && plainList(d):
		return seen(d)
	case hasKey(object, isWide):
		return wide(d)
	}

	return Fault{}, false
}

// hasKey says whether a key of an object, or of one in it, has such a letter.
func hasKey(v any, is func(rune) bool) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, below := range v {
			if strings.ContainsFunc(key, is) || hasKey(below, is) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(below any) bool { return hasKey(below, is) })
	}

	return false
}

// plainList says whether a text is what YAML makes of a list whose hyphens have blanks behind them that are none. One with quotes, or with lines of its own, is
// meant.
func plainList(d Document) bool {
	root := &yamlv3.Node{}

	return yamlv3.Unmarshal(d.Text, root) == nil && hasPlainList(root)
}

func hasPlainList(n *yamlv3.Node) bool {
	behind, found := strings.CutPrefix(n.Value, "-")
	r, _ := utf8.DecodeRuneInString(behind)

	return n.Kind == yamlv3.ScalarNode && n.Style == 0 && found && message.IsUnseen(r) || slices.ContainsFunc(n.Content, hasPlainList)
}

// seen is the first place of a document with a blank that is none where a blank ends or begins something: before a key, or behind a colon, a hyphen, a comma, a
// brace or a bracket.
func seen(d Document) (Fault, bool) {
	for i, line := range strings.Split(string(d.Text), "\n") {
		if at, r := unseenIn(line, i == 0 && d.Line <= 1); at >= 0 {
			where := strings.TrimRight(line[:at], " ")
			said := "begins with " + message.Unseen(r)
			if strings.Trim(where, "- ") != "" {
				said = "has " + message.Unseen(r) + " behind the " + beginners[where[len(where)-1]]
			}

			return faultAt(d, i, at, said+", as copied from a web page: replace it by a blank"), true
		}
	}

	return Fault{}, false
}

// beginners are the letters behind which something begins, as messages call them.
var beginners = map[byte]string{':': "colon", '{': "brace {", '[': "bracket [", ',': "comma"} //nolint:gochecknoglobals // A constant table.

// unseenIn is the byte of a line at which such a blank stands, -1 if there is none. first says that the line is a file's first, which may begin with the mark
// of its encoding.
func unseenIn(line string, first bool) (at int, r rune) {
	behind := byte(' ') // What stands before the letter, but for blanks.

	for at, r := range line {
		switch {
		case message.IsUnseen(r) && first && at == 0 && r == '\ufeff':
		case message.IsUnseen(r) && (beginners[behind] != "" || strings.Trim(line[:at], "- ") == "" && isStructure(line[:at], line[at:])):
			return at, r
		case r != ' ':
			behind = line[at]
		}
	}

	return -1, 0
}

// isStructure says whether what follows such a blank at the beginning of a line is an item of a list, or a key.
func isStructure(before, behind string) bool {
	return strings.Contains(before, "-") || strings.Contains(behind, ":")
}

// wides are what keyboards for Chinese and Japanese type in place of a colon and a comma, where YAML was to have one: behind the word of a key, and before one.
var wides = []struct { //nolint:gochecknoglobals // A constant table.
	letter rune
	line   *regexp.Regexp
	want   string
}{
	{'\uff1a', regexp.MustCompile(`(?:^|[{,])[ -]*[A-Za-z][\w.-]* *(\x{ff1a})`), "a colon with a blank behind it"},
	{'\uff0c', regexp.MustCompile(`\{[^#"']*(\x{ff0c}) *[A-Za-z][\w.-]*:`), "a comma with a blank behind it"},
}

// isWide says whether a letter is one of them.
func isWide(r rune) bool {
	for _, w := range wides {
		if w.letter == r {
			return true
		}
	}

	return false
}

// wide is the first such letter of a document.
func wide(d Document) (Fault, bool) {
	for i, line := range strings.Split(string(d.Text), "\n") {
		for _, w := range wides {
			if at := w.line.FindStringSubmatchIndex(line); at != nil {
				return faultAt(d, i, at[2], fmt.Sprintf("has %c (U+%04X), which YAML reads as text: write %s", w.letter, w.letter, w.want)), true
			}
		}
	}

	return Fault{}, false
}
