package why

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestSomethingIsTold: whatever two reasons of docs/conditions.md a machine has at once, of which each is told alone, at least one is: no machine that waits is
// said to be well because each of two conditions left it to the other one.
func TestSomethingIsTold(t *testing.T) {
	var bad []map[string]any

	for key := range read().rows {
		if f := strings.Fields(key); len(f) == 3 {
			bad = append(bad, map[string]any{"type": f[0], "status": f[1], "reason": f[2]})
		}
	}

	told := func(conditions ...any) bool {
		o := unstructured.Unstructured{Object: map[string]any{"kind": "K3sNode", "status": map[string]any{"conditions": conditions}}}

		return len(LineOf(o).Waits) > 0
	}

	pairs := 0

	for _, a := range bad {
		for _, b := range bad {
			if a["type"] == b["type"] || !told(a) || !told(b) {
				continue
			}

			pairs++

			if !told(a, b) {
				t.Errorf("of %v and %v, neither is told", a, b)
			}
		}
	}

	if pairs < 1000 {
		t.Errorf("%d pairs", pairs)
	}

	t.Logf("%d pairs of %d reasons", pairs, len(bad))
}

// TestReasonsTellWhatToDo: what a condition says that is not as it should be, a person can do something about, or it is what the claim asks for: then nobody is said
// to wait, by why, get or a rehearsal.
func TestReasonsTellWhatToDo(t *testing.T) {
	var settled []string

	for key, r := range read().rows {
		f := strings.Fields(key)
		if len(f) != 3 || f[0] == "ProviderHealthy" || f[1] == "Unknown" { // An error of the provider says it in its message; what is not known yet will be.
			continue
		}

		c := condition{kind: f[0], status: f[1], reason: f[2], row: r}
		if want := read().good[c.kind]; want == "" || want == c.status || want == "either" && c.status == "True" {
			continue
		}

		switch {
		case r.todo == nothing:
			settled = append(settled, c.reason)
		case r.todo == "" && !r.waits:
			t.Errorf("%s is not as it should be, and docs/conditions.md does not say what to do: %q", key, r.means)
		case good(c):
			t.Errorf("%s is said to be well, and docs/conditions.md says to do: %s", key, r.todo)
		}
	}

	slices.Sort(settled)

	if diff := cmp.Diff([]string{"HADisabled", "NoFirewall", "NoFlake", "NotDrained", "ZoneClaimed"}, settled); diff != "" {
		t.Errorf("what a claim asks for: -want, +got:\n%s", diff)
	}
}
