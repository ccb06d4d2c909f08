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

func TestAsks(t *testing.T) {
	cases := map[string]struct {
		reason string
		token  string
		seen   []string
		asks   bool
		with   []string
	}{
		"NoWord":   {reason: "A claim without a word asks for nothing.", seen: []string{"a"}, with: []string{"a"}},
		"NeverAny": {reason: "Nor does one that never had any.", with: nil},
		"First":    {reason: "The first word asks.", token: "a", asks: true, with: []string{"a"}},
		"New":      {reason: "So does every further one.", token: "c", seen: []string{"a", "b"}, asks: true, with: []string{"a", "b", "c"}},
		"Last":     {reason: "The word that was followed last is still in the claim.", token: "b", seen: []string{"a", "b"}, with: []string{"a", "b"}},
		"Old":      {reason: "A revert in Git brings an old word back, and must repeat nothing.", token: "a", seen: []string{"a", "b"}, with: []string{"a", "b"}},
		"PartOf":   {reason: "A word that is a part of another is another word.", token: "2026", seen: []string{"2026-11-20"}, asks: true, with: []string{"2026-11-20", "2026"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Asks(tc.token, tc.seen); got != tc.asks {
				t.Errorf("%s\nasks(): want %t, got %t", tc.reason, tc.asks, got)
			}

			if diff := cmp.Diff(tc.with, with(tc.seen, tc.token)); diff != "" {
				t.Errorf("%s\nwith(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWithSharesNothing: two VMs begin with the same words and go on with others.
func TestWithSharesNothing(t *testing.T) {
	seen := make([]string, 1, 8)
	seen[0] = "a"

	b, c := with(seen, "b"), with(seen, "c")
	if diff := cmp.Diff([][]string{{"a", "b"}, {"a", "c"}}, [][]string{b, c}); diff != "" {
		t.Errorf("with(): -want, +got:\n%s", diff)
	}
}
