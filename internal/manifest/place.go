package manifest

import (
	"strings"
	"unicode/utf8"
)

// faultAt a line of a document's text, from 0, and a byte of that line: columns are counted in letters.
func faultAt(d Document, line, offset int, said string) Fault {
	column := offset + 1
	if text := strings.Split(string(d.Text), "\n"); line < len(text) && offset <= len(text[line]) {
		column = utf8.RuneCountInString(text[line][:offset]) + 1
	}

	return Fault{Line: d.Line + line, Column: column, Message: said}
}
