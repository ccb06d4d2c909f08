package cloudinit

import (
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readMarshalled reads a text in the layout that Marshal writes, and returns false for any other layout.
//
// It cuts the text before and after write_files, and between the entries of write_files, where a line begins as none but a new key or a new
// entry can. Each part that is YAML has to be complete by itself: then it means the same in the whole text.
func readMarshalled(text string) (Contents, bool) {
	out := Contents{Keys: map[string]any{}, Files: map[string]string{}}

	// YAML refuses some characters, and takes some for line breaks.
	if _, _, printable := survey(text); !printable || !strings.HasPrefix(text, Header+"\n") || !strings.HasSuffix(text, "\n") {
		return out, false
	}

	before, list, after, ok := sections(text[len(Header)+1:])
	if !ok || !out.addText(before) || !out.addText(after) {
		return out, false
	}

	for list != "" {
		item := firstItem(list)
		list = list[len(item):]

		if path, content, ok := marshalledFile(item); ok {
			out.Files[path] += content

			continue
		}

		node, ok := simple(keyWriteFiles + ":\n" + item)
		if !ok || out.add(node) != nil {
			return out, false
		}
	}

	return out, true
}

// sections cuts a text around the entries of write_files. It returns false where a line at the margin is no key.
func sections(text string) (before, list, after string, ok bool) {
	var at, from, to int // Where the line begins, and the list.

	for line := range strings.Lines(text) {
		switch {
		case line[0] == ' ', line[0] == '\n':
		case !isKeyLine(line):
			return "", "", "", false
		case line == keyWriteFiles+":\n":
			if from > 0 {
				return "", "", "", false
			}

			before, from, to = text[:at], at+len(line), len(text)
		case from > 0 && to == len(text):
			to = at
		}

		at += len(line)
	}

	if from == 0 {
		return text, "", "", true
	}

	return before, text[from:to], text[to:], from == to || strings.HasPrefix(text[from:to], "  - ")
}

// isKeyLine says whether a line begins with a key as cloud-config has them.
func isKeyLine(line string) bool {
	key, value, ok := strings.Cut(line, ":")

	return ok && key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == "" && (value[0] == '\n' || value[0] == ' ')
}

// addText adds keys of a complete text.
func (c Contents) addText(text string) bool {
	if text == "" {
		return true
	}

	node, ok := simple(text)
	if !ok {
		return false
	}

	other := Contents{Keys: map[string]any{}, Files: c.Files}
	if other.add(node) != nil {
		return false
	}

	for key := range other.Keys {
		if _, twice := c.Keys[key]; twice {
			return false
		}
	}

	maps.Copy(c.Keys, other.Keys)

	return true
}

// simple parses a text, if that is simple.
func simple(text string) (*yaml.Node, bool) {
	document := &yaml.Node{}
	if yaml.Unmarshal([]byte(text), document) != nil || len(document.Content) != 1 || !isSimple(document.Content[0]) {
		return nil, false
	}

	return document.Content[0], true
}

// firstItem of a list of entries, each of which begins with "  - ".
func firstItem(list string) string {
	if i := strings.Index(list[1:], "\n  - "); i >= 0 {
		return list[:i+2]
	}

	return list
}

// marshalledFile reads an entry as File.node writes it, with its content as a literal block. It returns false for all others.
func marshalledFile(item string) (path, content string, ok bool) {
	const indent = "      "

	head, block, _ := strings.Cut(item, "\n    content: |")
	path, fields, _ := strings.Cut(head, "\n")
	path, ok = strings.CutPrefix(path, "  - path: ")

	if !ok || !isPlainPath(path) || !areFields(fields) {
		return "", "", false
	}

	chomping, block, _ := strings.Cut(block, "\n")

	// The first line sets the indentation.
	if first, ok := strings.CutPrefix(block, indent); !ok || strings.IndexByte(" \t\n", first[0]) >= 0 {
		return "", "", false
	}

	var out strings.Builder

	out.Grow(len(block))

	for line := range strings.Lines(block) {
		text, indented := strings.CutPrefix(line, indent)
		if line != "\n" && (!indented || text == "\n") {
			return "", "", false
		}

		out.WriteString(text)
	}

	switch content = out.String(); chomping {
	case "":
		return path, strings.TrimRight(content, "\n") + "\n", true
	case "-":
		return path, strings.TrimRight(content, "\n"), true
	case "+":
		return path, content, true
	default:
		return "", "", false
	}
}

// isPlainPath says whether a path is the same with and without quotes.
func isPlainPath(path string) bool {
	for _, c := range []byte(path) {
		if !isPlainStart(c) && (c < '0' || c > '9') && strings.IndexByte("_.@+-", c) < 0 {
			return false
		}
	}

	return strings.HasPrefix(path, "/")
}

// areFields says whether these are fields of an entry beside path and content, each at most once.
func areFields(lines string) bool {
	if lines == "" {
		return true
	}

	seen := map[string]bool{}

	for line := range strings.SplitSeq(lines, "\n") {
		name, value, ok := strings.Cut(line, ": ")
		if !ok || seen[name] {
			return false
		}

		seen[name] = true

		switch name {
		case "    permissions":
			ok = len(value) > 2 && value[0] == '\'' && value[len(value)-1] == '\'' && strings.Trim(value[1:len(value)-1], "01234567") == ""
		case "    owner":
			user, group, _ := strings.Cut(value, ":")
			ok = isName(user) && isName(group)
		case "    append", "    defer":
			ok = value == "true"
		default:
			ok = false
		}

		if !ok {
			return false
		}
	}

	return true
}

// isName says whether a user's name is one plain word to YAML.
func isName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == ""
}
