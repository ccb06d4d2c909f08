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

// mapStrings applies f to every string value in a JSON-like tree, in place where it can.
func mapStrings(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		for i := range v {
			v[i] = mapStrings(v[i], f)
		}
	case map[string]any:
		for k := range v {
			v[k] = mapStrings(v[k], f)
		}
	}

	return v
}
