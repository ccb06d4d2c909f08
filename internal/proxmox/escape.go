package proxmox

import (
	"strings"
)

// Escape makes text literal. The provider writes every string into Terraform's JSON syntax, where `${` and `%{` begin a
// template: unescaped, a shell variable in a snippet breaks the resource, and `${file("/var/run/secrets/...")}` reads
// files of the provider's pod into the guest. All other text, such as `$HOME`, `$(id)`, `100%` or `$$`, is literal already.
func Escape(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "${", "$${"), "%{", "%%{")
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

// isLiteral says whether each `${` and `%{` of a text is escaped. It looks at braces alone: a text of 256 KiB is read at every call.
func isLiteral(text string) bool {
	for at := strings.IndexByte(text, '{'); at >= 0; {
		if opens := at > 0 && (text[at-1] == '$' || text[at-1] == '%'); opens && (at == 1 || text[at-2] != text[at-1]) {
			return false
		}

		next := strings.IndexByte(text[at+1:], '{')
		if next < 0 {
			return true
		}

		at += 1 + next
	}

	return true
}

// Unescape is the inverse of [Escape].
func Unescape(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "$${", "${"), "%%{", "%{")
}
