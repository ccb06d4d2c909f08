// Package envfile writes environment files as systemd reads them (EnvironmentFile=, systemd.exec(5)): parameters reach
// constant scripts through such a file, and no script is ever put together from them.
package envfile

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/crossplane/function-sdk-go/errors"
)

// A Variable is one line of an environment file.
type Variable struct {
	Name  string
	Value string
}

// Marshal writes variables in their order, those without a value left out. Values are quoted so that systemd, and a shell
// that sources the file, read the same bytes back. A value with a control character is an error, since no quoting carries
// a line end through both; the error does not repeat the value.
func Marshal(vars ...Variable) (string, error) {
	var b strings.Builder

	for _, v := range vars {
		if v.Value == "" {
			continue
		}

		if !utf8.ValidString(v.Value) || strings.ContainsFunc(v.Value, unicode.IsControl) {
			return "", errors.Errorf("cannot write %s: its value must be one line of text", v.Name)
		}

		b.WriteString(v.Name + "=" + quote(v.Value) + "\n")
	}

	return b.String(), nil
}

// quote leaves plain words alone, since people read these files.
func quote(s string) string {
	plain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._:/+=@%,-", r))
	}
	if !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}

	// Inside double quotes systemd and sh agree on exactly these four.
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
}
