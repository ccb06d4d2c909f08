package cloudinit

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	tagString = "!!str"
	tagNull   = "!!null"
	tagBinary = "!!binary"
)

// textNode returns the scalar of a string in the style that reads best and that
// no YAML reader can take for something else. Cloud-init reads YAML 1.1
// (PyYAML): "yes", "0644" and "12:30" are not strings there, so only text that
// is plainly text stays unquoted.
func textNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tagString, Value: text, Style: textStyle(text)}
}

func textStyle(text string) yaml.Style {
	switch {
	case strings.ContainsAny(text, "\r\t\u0085\u2028\u2029\ufeff") && !literalSafe(text):
		return yaml.DoubleQuotedStyle
	case strings.Contains(text, "\n"):
		if literalSafe(text) {
			return yaml.LiteralStyle
		}

		return yaml.DoubleQuotedStyle
	case isPlain(text):
		return 0
	case isPrintable(text):
		return yaml.SingleQuotedStyle
	default:
		return yaml.DoubleQuotedStyle
	}
}

// literalSafe says whether a block of lines survives a literal block scalar.
// Leading white space would need an indentation hint; CR, NEL, LS and PS are line
// breaks to YAML 1.1 and would come back as LF.
func literalSafe(text string) bool {
	if !strings.Contains(text, "\n") || strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\n") || strings.HasPrefix(text, "\t") {
		return false
	}

	if strings.ContainsAny(text, "\r\u0085\u2028\u2029\ufeff") {
		return false
	}

	return isPrintable(strings.NewReplacer("\n", "", "\t", "").Replace(text))
}

// isPrintable says whether single quotes can hold the text.
func isPrintable(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}

	for _, r := range text {
		if r < 0x20 || (r >= 0x7f && r < 0xa0) || r == 0x2028 || r == 0x2029 || r == 0xfeff || r >= 0xfffe {
			return false
		}
	}

	return true
}

// isPlain accepts words of letters, digits and the few marks that have no
// meaning to YAML in that place. It starts with a letter or a slash, which keeps
// out every kind of number and date of YAML 1.1.
func isPlain(text string) bool {
	// A command's option, -c or --now, is plain, too; -1 and -.inf are numbers.
	start := strings.TrimPrefix(strings.TrimPrefix(text, "-"), "-")
	if start == "" || !isPlainStart(start[0]) || text[len(text)-1] == ' ' || isReserved(text) {
		return false
	}

	for i := range len(text) {
		c := text[i]
		if c == ':' && i+1 < len(text) && text[i+1] != ' ' {
			continue
		}

		if !isPlainStart(c) && !('0' <= c && c <= '9') && !strings.ContainsRune(" _.@+=$-", rune(c)) {
			return false
		}
	}

	return true
}

func isPlainStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '/'
}

// isReserved lists the words that YAML 1.1 reads as a boolean or as null.
func isReserved(word string) bool {
	if len(word) > len("false") {
		return false
	}

	switch strings.ToLower(word) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return true
	default:
		return false
	}
}

// plainNode returns a scalar that is written as it is: a boolean, a number or null.
func plainNode(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

func boolNode(value bool) *yaml.Node {
	if value {
		return plainNode("!!bool", "true")
	}

	return plainNode("!!bool", "false")
}

// textsNode returns a block sequence of strings.
func textsNode(texts []string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: make([]*yaml.Node, 0, len(texts))}
	for _, text := range texts {
		list.Content = append(list.Content, textNode(text))
	}

	return list
}

// flowTextsNode returns [a, b, c] on one line, the way commands and groups are written by hand.
// One with a line break in it is written as a block: escapes are hard to read.
func flowTextsNode(texts []string) *yaml.Node {
	list := textsNode(texts)
	list.Style = yaml.FlowStyle

	for _, item := range list.Content {
		if item.Style == yaml.LiteralStyle {
			list.Style = 0
		}
	}

	return list
}
