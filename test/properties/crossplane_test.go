package properties

import (
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// hostsCrossplane says whether Crossplane would be down with the machine's VM: the claim says so, or it is the only server of a cluster whose Nodes
// Crossplane reads from within.
func hostsCrossplane(m *fake.Machine) bool {
	name, _ := fake.Object(m.Spec()["k3s"])["cluster"].(string)
	entry := fake.Object(fake.Object(fake.Object(m.Catalogue["data"])["clusters"])[name])

	return m.Spec()["runsCrossplane"] == true || isServer(m) && entry["observe"] == string(observedHere) && len(m.Neighbours) == 0
}
