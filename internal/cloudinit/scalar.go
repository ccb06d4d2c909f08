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

// textNode returns the scalar of a string, in the most readable style that every
// YAML parser reads as a string. Cloud-init reads YAML 1.1
// (PyYAML): "yes", "0644" and "12:30" are not strings there, so textNode leaves only
// plain words unquoted.
func textNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tagString, Value: text, Style: textStyle(text)}
}

func textStyle(text string) yaml.Style {
	lines, tabs, printable := survey(text)

	switch {
	case !printable:
		return yaml.DoubleQuotedStyle
	case lines && strings.IndexByte(" \t\n", text[0]) < 0:
		return yaml.LiteralStyle
	case lines || tabs:
		// A block that starts with white space would need an indentation indicator.
		return yaml.DoubleQuotedStyle
	case isPlain(text):
		return 0
	default:
		return yaml.SingleQuotedStyle
	}
}

// survey checks every character once: whether the text has several lines or tabs, and whether
// YAML can show all other characters unescaped. CR, NEL, LS and PS are line breaks
// in YAML 1.1 and would be read as LF; other control characters are not allowed.
func survey(text string) (lines, tabs, printable bool) {
	printable = utf8.ValidString(text)

	for _, r := range text {
		switch {
		case r == '\n':
			lines = true
		case r == '\t':
			tabs = true
		case r < 0x20, 0x7f <= r && r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r >= 0xfffe:
			printable = false
		}
	}

	return lines, tabs, printable
}

// isPlain accepts words of letters, digits and the few marks that have no
// meaning in YAML at that position. A plain word starts with a letter or a slash, which
// excludes all numbers and dates of YAML 1.1.
func isPlain(text string) bool {
	// A command's option, -c or --now, is also plain; -1 and -.inf are numbers.
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

// isReserved reports the words that YAML 1.1 reads as a boolean or as null.
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

// plainNode returns an unquoted scalar: a boolean, a number or null.
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

// flowTextsNode returns [a, b, c] on one line, as people write commands and groups.
// A list with a line break becomes a block sequence, because escapes are hard to read.
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
