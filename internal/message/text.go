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

// Sentence of a text, with the full stop that it lacks: a question ends with its own mark, and no text is no sentence.
func Sentence(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".?!") {
		return text
	}

	return text + "."
}

// invisible says whether a letter is no part of the text that a person sees: control characters, ends of lines and paragraphs, and
// characters that format, among them those that change the direction of writing.
func invisible(r rune) bool {
	if r < utf8.RuneSelf { // Most letters are of ASCII, where the tables have nothing but control characters.
		return r < ' ' || r == '\x7f'
	}

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

// listIndent is what each line of a list begins with.
const listIndent = "\n  "

// List is a message with a line for each item, of which a person may have to correct several:
//
//	The machine does not change until these 2 faults are corrected:
//	  spec.class: "smal": there is no class of that name; did you mean small?
//	  spec.proxmox.vlan: 5000: must be a whole number from 1 to 4094
//
// Head and items are shown as [Text] shows them, so that no value can forge a line.
func List(head string, items []string) string {
	var out strings.Builder

	out.WriteString(Text(head))

	for _, item := range items {
		out.WriteString(listIndent + Text(item))
	}

	return out.String()
}

// Lines is a message that [List] made as it may be shown: each line as [Text] shows it, and no more than [MaxBytes] in total.
func Lines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = Text(lines[i])
	}

	out := strings.Join(lines, "\n")
	if len(out) <= MaxBytes {
		return out
	}

	end := fmt.Sprintf("... (%d bytes)", len(out))

	return strings.ToValidUTF8(out[:MaxBytes-len(end)], "") + end
}

// LastLine of what another program wrote to its standard error: those before it are its log.
func LastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")

	return lines[len(lines)-1]
}
