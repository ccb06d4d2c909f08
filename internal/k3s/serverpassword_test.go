package k3s

import (
	"strings"
	"testing"
)

// TestServerPassword: two tokens let a node join one cluster as a server may if their passwords are alike, whatever their form.
func TestServerPassword(t *testing.T) {
	full := "K10" + strings.Repeat("0a", 32) + "::"

	cases := map[string]struct{ reason, token, want string }{
		"Short":         {"The password alone.", "password-of-the-cluster", "password-of-the-cluster"},
		"Full":          {"The hash says which cluster it is, and not who joins.", full + "server:password-of-the-cluster", "password-of-the-cluster"},
		"Agent":         {"An agent token is another secret.", full + "node:password-of-the-agents", ""},
		"Bootstrap":     {"An administrator makes it for one agent.", "abcdef.0123456789abcdef", ""},
		"FullBootstrap": {"The same with the hash.", full + "abcdef.0123456789abcdef", ""},
		"None":          {"There is none.", "", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := ServerPassword(tc.token); got != tc.want {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
