package k3s

import (
	"fmt"
	"io"
)

// A Token is the secret with which nodes join a cluster. Printing a Token in any way prints a placeholder instead of the
// secret.
type Token string

const redacted = "<redacted>"

// reveal returns the secret. Only the code that writes the node's token file calls it.
func (t Token) reveal() string {
	return string(t)
}

// String hides the secret.
func (t Token) String() string {
	if t == "" {
		return ""
	}

	return redacted
}

// Format hides the secret from every verb of fmt.
func (t Token) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, t.String())
}

// MarshalText hides the secret from JSON, YAML and logs.
func (t Token) MarshalText() ([]byte, error) {
	return []byte(t.String()), nil
}
