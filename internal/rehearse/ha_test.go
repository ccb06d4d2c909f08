package rehearse

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// inHA is an edit of a claim whose VMs are in HA, on datastores that all nodes see.
func inHA(t *testing.T, claim, edit string) Input {
	t.Helper()

	shared := strings.Replace(aCatalogue, "      network:", "      sharedDatastores: [local-zfs, local]\n      network:", 1)
	was, is := sceneWith(t, claim, shared, preview.World{}), sceneWith(t, strings.Replace(claim, "class: server", edit, 1), shared, preview.World{})
	in := Input{Assumed: Usual(), Memory: memory}

	for _, machine := range world.Keys(is) {
		before := was[machine]
		in.Machines = append(in.Machines, Machine{Name: machine, Was: &before, Is: is[machine]})
	}

	return in
}

// TestFaultsOfHA: the HA manager starts what was on a node that died on another one, and what was stopped by hand, also where Crossplane runs in the cluster
// whose majority that was.
func TestFaultsOfHA(t *testing.T) {
	servers := strings.Replace(threeServers, "class: server", "class: server, template: {ha: {enabled: true}}", 1)

	for name, tc := range map[string]struct {
		reason, claim, fault string
		edit                 string
		spread               bool // Whether servers can end on one node, which a person parts.
	}{
		"Machine": {"A restart is broken off, and begins again elsewhere.", aMachine + "  ha: {enabled: true}\n  lifecycle: {rebootPolicy: WhenNeeded}\n", "dies", "class: server-large", false},
		"Cluster": {"Two of three are away for a moment.", servers, "another server is stopped by hand", "class: server-large", false},
		"Host":    {"The HA manager may put two servers on one node.", servers, "node of another server dies", "class: server-large", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f, err := withSome(context.Background(), inHA(t, tc.claim, tc.edit), quietly, func(v variant) bool {
				return v.class == "" && strings.Contains(v.fault, tc.fault) && (!tc.spread || v.step == 4)
			})
			if err != nil {
				t.Fatal(err)
			}

			if len(f.Rows) == 0 {
				t.Fatal("nothing goes wrong")
			}

			for _, row := range f.Rows {
				parts := !slices.ContainsFunc(row.Waits, func(w Wait) bool { return w.Condition != "SpreadBroken" })
				if len(row.Away)+len(row.Never) > 0 || row.Outcome != Done && (!tc.spread || !parts) {
					t.Errorf("%s %s at %v: %s, away in the end %v, never %v, waits %v", tc.reason, row.Fault, row.Steps, row.Outcome, row.Away, row.Never, row.Waits)
				}
			}
		})
	}
}
