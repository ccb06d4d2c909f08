package message

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Placeholder says what to do with a document in which somebody else fills in names such as ${IP} and {{ .Values.ip }}.
const Placeholder = "have it filled in first: `flux build kustomization`, `helm template` or `envsubst`, with `| kubectl machine lint -f -` behind it"

// NeverCommit says what to do with a token that stands in a document.
const NeverCommit = "Never commit a token: put it into a Secret; if this one is in Git, change it"

var (
	placeholder = regexp.MustCompile(`^[^\n]*(\$\{[A-Za-z_][A-Za-z0-9_]*(:?[-=][^}\n]*)?\}|\{\{[^\n]*\}\}|\$\([A-Za-z_][A-Za-z0-9_.-]*\))[^\n]*$`)
	// A value of an example that a page leaves to its reader.
	example = regexp.MustCompile(`^[^\n<>]*<[A-Za-z][A-Za-z0-9 ._-]*>[^\n<>]*$|^(?i:change[-_ ]?me|replace[-_ ]?me|fixme|todo|tbd|your[-_ ][a-z0-9_. -]+)$|` +
		`^[0-9]{1,3}(\.([0-9]{1,3}|[xX]{1,3}|[nN]{1,3})){1,2}\.([xX]{1,3}|[nN]{1,3})(/[0-9]{1,2})?$`)
	// A value of a file that SOPS has encrypted.
	encrypted = regexp.MustCompile(`^ENC\[AES256_GCM,`)
	// A name of Terraform, whose language has no quotes around it, or has it in a text.
	ofTerraform = regexp.MustCompile(`^(var|module|each|local)\.[A-Za-z_][A-Za-z0-9_.\[\]"-]*$|^[^\n]*\$\{(var|module|each|local|count|data)\.[^}\n]*\}[^\n]*$`)
)

// typographic are the quotes that word processors and chats make of plain ones. YAML takes them for letters.
const typographic = "\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb"

// Unfilled says of a line of text that is right by every rule what nobody has made the machine's yet: what SOPS has encrypted, anywhere in it, and with
// placeholders also these; empty for any other line.
func Unfilled(line string, placeholders bool) string {
	switch {
	case strings.Contains(line, "ENC[AES256_GCM,"):
		return sealed
	case placeholders && placeholder.MatchString(line):
		return join(Excerpt(line), "has a placeholder that nobody has filled in, and is taken as it is: "+Placeholder)
	}

	return ""
}

// sealed is said of what SOPS has encrypted.
const sealed = "is encrypted by SOPS: decrypt the file first, `sops decrypt FILE`, with `| kubectl machine lint -f -` behind it; in Git, encrypt Secrets only"

// unfilled is what a fault says of a value that nobody has made one of the machine's yet, or that is in quotes which are none; what else it says is of
// anything that is wrong there. Empty for any other value.
func unfilled(bad any, detail string) string {
	typed, _ := bad.(string)
	clean := strings.TrimFunc(typed, func(r rune) bool { return r == ' ' || IsUnseen(r) })
	bare := strings.TrimSpace(strings.Trim(typed, typographic))

	switch at := strings.IndexFunc(typed, IsUnseen); {
	case at >= 0 && clean != "" && !strings.ContainsFunc(clean, IsUnseen):
		r, _ := utf8.DecodeRuneInString(typed[at:])
		return "has " + Unseen(r) + ", as copied from a web page, which YAML takes for a letter: write " + Excerpt(clean)
	case placeholder.MatchString(typed):
		return "is a placeholder that nobody has filled in: " + Placeholder
	case encrypted.MatchString(typed):
		return sealed
	case ofTerraform.MatchString(typed):
		return join("is a name of Terraform, which nobody fills in here", detail)
	case example.MatchString(typed):
		return join("is a placeholder of an example, for a value of yours", detail)
	case bare != typed && bare != "" && strings.ContainsAny(typed, typographic) && !strings.ContainsAny(bare, typographic+"\n"):
		return "has the quotes of a word processor, which YAML takes for letters: write " + Excerpt(bare)
	}

	return ""
}
