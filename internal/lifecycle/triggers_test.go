package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestTriggers(t *testing.T) {
	cases := map[string]struct {
		reason     string
		annotation string
		want       []string
	}{
		"None":    {reason: "A VM that nobody gave a word has none, not an empty one.", annotation: "", want: nil},
		"One":     {reason: "The first word.", annotation: "2026-11-20", want: []string{"2026-11-20"}},
		"Several": {reason: "In the order in which they were followed.", annotation: "b,a,c", want: []string{"b", "a", "c"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := proxmox.ObservedVM{}
			vm.Metadata.Annotations = map[string]string{proxmox.RebootTriggersAnnotation: tc.annotation}

			got := ReadTriggers(vm, proxmox.RebootTriggersAnnotation)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nReadTriggers(): -want, +got:\n%s", tc.reason, diff)
			}

			if back := WriteTriggers(got); back != tc.annotation {
				t.Errorf("%s\nWriteTriggers(): want %q, got %q", tc.reason, tc.annotation, back)
			}
		})
	}
}
