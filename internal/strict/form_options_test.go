package strict

import (
	"reflect"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestFormOfOptions: Proxmox's own spelling of an object is answered with the object, where it says numbers of fields.
func TestFormOfOptions(t *testing.T) {
	cases := map[string]struct{ reason, typed, want string }{
		"Startup":  {"As `qm set --startup` has it.", "order=2,up=30", "write {order: 2, upDelaySeconds: 30}"},
		"Field":    {"The name of the field is right, too.", "order=2", "write {order: 2}"},
		"Unknown":  {"What is no field is said by itself.", "order=2,colour=3", ""},
		"NoNumber": {"So is what is no number.", "order=any", ""},
		"Word":     {"It is no such spelling.", "second", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := formOfOptions(reflect.TypeFor[v1alpha1.Startup](), optionsOf(tc.typed)); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
