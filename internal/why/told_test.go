package why

import (
	"strings"
	"testing"

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
