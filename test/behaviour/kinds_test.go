package behaviour

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// TestACompositeWithoutAKind is a fault like any other, also where the machine lives: a broken backup may have none. Crossplane leaves all as it is then.
func TestACompositeWithoutAKind(t *testing.T) {
	cases := map[string]func(t *testing.T) *machine{
		"Container": aContainer, "ProxmoxSite": aSite,
		"K3sCluster": func(t *testing.T) *machine { t.Helper(); return aCluster(t) },
	}

	for _, name := range []string{"nixos/dns01", "k3s-cluster/server-1"} {
		cases[name] = func(t *testing.T) *machine {
			t.Helper()
			m, _ := living(t, name)

			return m
		}
	}

	for name, made := range cases {
		for _, kind := range []any{nil, "", 4.0} {
			t.Run(name, func(t *testing.T) {
				m := made(t)
				if delete(m.Composite, "kind"); kind != nil {
					m.Composite["kind"] = kind
				}

				results := m.Call().GetResults()
				if len(results) != 1 || results[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL || !strings.Contains(results[0].GetMessage(), "kind") {
					t.Errorf("want a fault of the kind, got %v", results)
				}
			})
		}
	}
}
