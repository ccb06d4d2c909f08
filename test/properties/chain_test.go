package properties

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestSaidTwice is about the check that every fatal answer of these tests, and of those in test/behaviour, goes through.
func TestSaidTwice(t *testing.T) {
	cases := map[string]struct {
		reason, message, want string
	}{
		"Once":         {reason: "Each part adds something.", message: "cannot protect the machine: cannot convert Usage: spec.of: want text"},
		"Segment":      {reason: "Two callers wrapped an error alike.", message: "cannot render machine: a b: cannot make it: a b: x", want: "a b"},
		"Verb":         {reason: "Only the noun differs.", message: "cannot read resources: resource vm: cannot read resource: x", want: "cannot read"},
		"ValueOfField": {reason: "A person may type the same word twice.", message: `spec.role: Unsupported value: "x": supported values: "x", "x"`},
		"Faults": {
			reason:  "Each fault of a list is a chain of its own.",
			message: `[spec.class: Invalid value: "a, b: c": there is none; there are: small, spec.proxmox.vlan: Invalid value: 5000: must be smaller]`,
		},
		"InAFault": {
			reason:  "Also the last fault of a list says a thing once.",
			message: `[spec.class: Invalid value: "a": there is none, spec.image: Invalid value: "b": there is no such image: there is no such image]`,
			want:    "there is no such image",
		},
		"BeforeFaults": {
			reason:  "What stands before a list is said of each of its faults.",
			message: `the catalogue is invalid: [EnvironmentConfig c: data.x: Forbidden: unknown, EnvironmentConfig c: data.y: Forbidden: the catalogue is invalid]`,
			want:    "the catalogue is invalid",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := fake.SaidTwice(tc.message); got != tc.want {
				t.Errorf("%s\nSaidTwice(%s): want %q, got %q", tc.reason, tc.message, tc.want, got)
			}
		})
	}
}
