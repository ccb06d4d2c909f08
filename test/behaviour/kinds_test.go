package behaviour

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// TestACompositeWithoutAKind is a fault like any other, also where the machine lives: a broken backup may have none.
func TestACompositeWithoutAKind(t *testing.T) {
	for _, name := range []string{"nixos/dns01", "k3s-cluster/server-1"} {
		t.Run(name, func(t *testing.T) {
			m, _ := living(t, name)
			delete(m.Composite, "kind")

			results := m.Call().GetResults()
			if len(results) != 1 || results[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL || !strings.Contains(results[0].GetMessage(), "kind") {
				t.Errorf("want a fault of the kind, got %v", results)
			}
		})
	}
}
