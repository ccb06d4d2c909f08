package resolve

import (
	"slices"
	"strings"
	"testing"
)

// TestLostNodes: a typing error in lifecycle.lost has no effect when it matters most, and is told; a node that is gone from the catalogue, as the steps of docs/day-two.md
// ask for, is none.
func TestLostNodes(t *testing.T) {
	cases := map[string]struct {
		reason, namespace, lost string
		existing                Existing
		want                    bool
	}{
		"Date":     {"A date is a trigger of replace.", "infra", `"2026-10-01"`, Existing{Node: "n1", Has: &Entries{}}, true},
		"Name":     {"So is the name of the machine.", "infra", "files01", Existing{Node: "n1", Has: &Entries{}}, true},
		"Here":     {"The VM's own node.", "infra", "n1", Existing{Node: "n1", Has: &Entries{}}, false},
		"Gone":     {"The VM's own node, which the catalogue no longer lists.", "infra", "n7", Existing{Node: "n7", Has: &Entries{}}, false},
		"Another":  {"A node of the site: the VM has left it, or is to be none there.", "infra", "n2", Existing{Node: "n1", Has: &Entries{}}, false},
		"New":      {"Of a machine without a VM nobody knows where it was.", "infra", "n7", Existing{}, false},
		"None":     {"Most claims say nothing.", "infra", "~", Existing{Node: "n1", Has: &Entries{}}, false},
		"Tenant's": {"A tenant learns of no node that is not its own whether there is one.", "team-b", "n2", Existing{Node: "n1", Has: &Entries{}}, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cat := divided(t, "{tenants: {team-b: {namespaces: [team-b], sites: {lab: {nodes: [n1]}}}}}")

			m, errs := Claim(claimIn(t, tc.namespace, kindMachine, "{proxmox: {site: lab}, lifecycle: {lost: "+tc.lost+"}}"), cat, tc.existing)
			if len(errs) > 0 {
				t.Fatal(errs)
			}

			if got := slices.ContainsFunc(m.Warnings, func(w string) bool { return strings.HasPrefix(w, "spec.lifecycle.lost: ") }); got != tc.want {
				t.Errorf("%s warned: %t, of %q", tc.reason, got, m.Warnings)
			}
		})
	}
}
