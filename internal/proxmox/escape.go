package proxmox

import (
	"iter"
	"strings"
)

// Escape makes text literal. The provider writes every string into Terraform's JSON syntax, where `${` and `%{` begin a
// template: unescaped, a shell variable in a snippet breaks the resource, and `${file("/var/run/secrets/...")}` reads
// files of the provider's pod into the guest. All other text, such as `$HOME`, `$(id)`, `100%` or `$$`, is literal already.
func Escape(s string) string {
	var out strings.Builder

	done := 0

	for at := range openings(s) {
		if out.Len() == 0 {
			out.Grow(len(s) + len(s)/16) //nolint:mnd // In a script, one byte in a hundred is an opening.
		}

		out.WriteString(s[done:at])
		out.WriteByte(s[at])
		done = at
	}

	if out.Len() == 0 {
		return s
	}

	out.WriteString(s[done:])

	return out.String()
}

// openings are the places of a text's signs that begin a template, escaped or not: each $ and % before a brace. Braces alone are looked for, since nothing is
// found sooner than a byte, and a text of 256 KiB is read at every call.
func openings(text string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; ; {
			next := strings.IndexByte(text[from:], '{')
			if next < 0 {
				return
			}

			at := from + next - 1
			if at >= 0 && (text[at] == '$' || text[at] == '%') && !yield(at) {
				return
			}

			from += next + 1
		}
	}
}

// A Literal is text as it stands in a manifest, escaped. User-data is one in the models, too: to unescape it when it is read
// and to escape it when it is written again would be a fifth of a call's garbage.
type Literal string

// NewLiteral escapes text.
func NewLiteral(text string) Literal { return Literal(Escape(text)) }

// readLiteral is what was observed, with every template that stands in it escaped: somebody else may have written it.
func readLiteral(s Literal) Literal {
	if isLiteral(string(s)) {
		return s
	}

	return NewLiteral(Unescape(string(s)))
}

// isLiteral says whether each `${` and `%{` of a text is escaped.
func isLiteral(text string) bool {
	for at := range openings(text) {
		if at == 0 || text[at-1] != text[at] {
			return false
		}
	}

	return true
}

// Unescape is the inverse of [Escape].
func Unescape(s string) string {
	var out strings.Builder

	done := 0

	for at := range openings(s) {
		if at == 0 || s[at-1] != s[at] {
			continue
		}

		if done == 0 {
			out.Grow(len(s))
		}

		out.WriteString(s[done : at-1])
		done = at
	}

	if done == 0 {
		return s
	}

	out.WriteString(s[done:])

	return out.String()
}
