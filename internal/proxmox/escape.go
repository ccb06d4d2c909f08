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

// Unescape is the inverse of [Escape].
func Unescape(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "$${", "${"), "%%{", "%{")
}
