package message

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxBytes is the length of the longest message: events and `kubectl describe` show no more.
const MaxBytes = 4096

// Text is a whole message as it may be shown: its invisible letters escaped, as in \n or \u202e, and its end cut off if it is longer
// than [MaxBytes]. A line end could forge a second message, and a letter that changes the direction of writing could hide what a
// message says.
func Text(text string) string {
	if strings.ContainsFunc(text, invisible) || !utf8.ValidString(text) {
		text = escape(text)
	}

	if len(text) <= MaxBytes {
		return text
	}

	end := fmt.Sprintf("... (%d bytes)", len(text))

	return strings.ToValidUTF8(text[:MaxBytes-len(end)], "") + end
}

// invisible says whether a letter is no part of the text that a person sees: control characters, ends of lines and paragraphs, and
// characters that format, among them those that change the direction of writing.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs)
}

func escape(text string) string {
	var out strings.Builder

	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)

		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, text[0])
		case invisible(r):
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			out.WriteString(text[:size])
		}

		text = text[size:]
	}

	return out.String()
}
