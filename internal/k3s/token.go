package k3s

import (
	"fmt"
	"io"
)

// A Token is a secret that joins nodes to a cluster. Printing it in any way
// prints that it is there, and not what it is.
type Token string

const redacted = "<redacted>"

// reveal returns the secret. It is called only where the secret is written into the node's file.
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
