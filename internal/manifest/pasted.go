package manifest

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// unreadable is the first line of a document with a byte that is no letter of YAML: the file is of another encoding, or no text.
func unreadable(d Document) (Fault, bool) {
	for i, line := range strings.Split(string(d.Text), "\n") {
		column := 1

		for at, r := range line {
			switch _, size := utf8.DecodeRuneInString(line[at:]); {
			case r == utf8.RuneError && size == 1:
				return Fault{Line: d.Line + i, Column: column, Message: "is not UTF-8: save the file in that encoding"}, true
			case r < ' ' && r != '\t' && r != '\r', r == '\x7f':
				return Fault{Line: d.Line + i, Column: column, Message: fmt.Sprintf("has a control character (U+%04X): remove it", r)}, true
			}

			column++
		}
	}

	return Fault{}, false
}

// pastes are lines that come with a manifest from where it was copied.
var pastes = []struct { //nolint:gochecknoglobals // A constant table.
	line *regexp.Regexp
	said string
}{
	{regexp.MustCompile("^ *(```|~~~)"), "is a line of Markdown around the manifest: remove it"},
	{regexp.MustCompile(`^ *//`), "is no comment: in YAML a comment begins with #, and JSON has none"},
	{regexp.MustCompile(`^(cat|tee|kubectl|sudo)\b.*<<`), "is a command of a shell around the manifest: remove it, and the line that ends it, such as EOF"},
	{regexp.MustCompile(`^EOF$`), "is the end of a command of a shell around the manifest: remove it, and the command"},
	{regexp.MustCompile(`^\$ `), "is a command, as a page shows it above its output: remove the line"},
	{regexp.MustCompile(`^\+( |[A-Za-z])`), "begins with the + of a diff: remove the first letter of its lines"},
	{regexp.MustCompile(`^(diff --git |@@ )`), "is a line of a diff: take the file as it is after the change"},
}

// Keys of a manifest as YAML reads them where something stands before them in each line: a diff's plus, or the number that an editor shows.
var (
	addedKey    = regexp.MustCompile(`^\+ *(apiVersion|kind)$`)
	numberedKey = regexp.MustCompile(`^[0-9]+[:|.]? +(apiVersion|kind)$`)
)

// before is the fault of a document that YAML reads as an object with such keys.
func before(d Document, object map[string]any) (Fault, bool) {
	for key := range object {
		switch {
		case addedKey.MatchString(key):
			return Fault{Line: d.Line, Column: 1, Message: "begins with the + of a diff: remove the first letter of its lines"}, true
		case numberedKey.MatchString(key):
			return Fault{Line: d.Line, Column: 1, Message: "begins with the number of a line, as an editor or a page shows it: remove the numbers"}, true
		}
	}

	return Fault{}, false
}

// pastedNear is the fault of such a line, where the parser complains of it, or of the one behind it.
func pastedNear(d Document, line int) (Fault, bool) {
	lines := strings.Split(string(d.Text), "\n")

	for _, n := range []int{line, line - 1, line + 1} {
		if n < 1 || n > len(lines) {
			continue
		}

		for _, p := range pastes {
			if p.line.MatchString(lines[n-1]) {
				return Fault{Line: d.Line + n - 1, Column: 1, Message: p.said}, true
			}
		}
	}

	return Fault{}, false
}
