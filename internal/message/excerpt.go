// Package message writes what a person typed into messages: values and names so short that a mistake of a megabyte does not come
// back as a message of a megabyte, and the names that there are beside a name that does not exist.
package message

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxRunes is how much of a value a message shows.
const maxRunes = 64

// excerpted is what [Excerpt] makes of a long value.
var excerpted = regexp.MustCompile(`^(?s:.{64})\.\.\. \([0-9]+ bytes\)$`)

// Typed is a bound in bytes on what a person types into a field of one line. Patterns take seconds for a file that got there by mistake.
const Typed = 4096

// Excerpt is a value as it may stand in a message: as it is when it is short, else its beginning and its size in bytes. The excerpt of an excerpt is the same
// one: its size is that of the value.
func Excerpt(value string) string {
	if len(value) <= maxRunes || excerpted.MatchString(value) {
		return value
	}

	n := 0
	for i := range value {
		if n == maxRunes {
			return fmt.Sprintf("%s... (%d bytes)", value[:i], len(value))
		}
		n++
	}

	return value
}

// Key is the name of a field or a map's key as it may stand in a field path: in quotes where it holds anything but
// letters, digits and the punctuation of names.
func Key(name string) string {
	if name != "" && utf8.RuneCountInString(name) <= maxRunes && !strings.ContainsFunc(name, outsideNames) {
		return name
	}

	return strconv.Quote(Excerpt(name))
}

// Within says whether a field path is another one, or leads into it.
func Within(path, parent string) bool {
	after, is := strings.CutPrefix(path, parent)
	return is && (after == "" || after[0] == '.' || after[0] == '[')
}

// outsideNames says whether a letter is none of those that names are made of.
func outsideNames(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	default:
		return !strings.ContainsRune("-_./+", r)
	}
}
