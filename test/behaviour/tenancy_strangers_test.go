package behaviour

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// strangerAt is a server of another namespace that names the cluster of a machine and a node of Proxmox.
func (m *machine) strangerAt(in world.Installation, name, node string) *machine {
	e := fake.ExampleNamed(m.t, "k3s-cluster/server-2")
	e.Claim = world.Object(world.Copy(e.Claim))
	world.Object(e.Claim["metadata"])["name"], world.Object(e.Claim["metadata"])["namespace"] = name, "team-b"

	out := m.beside(e.Machine(in))
	world.Merge(out.Spec(), world.FromYAML(m.t, fmt.Sprintf("{network: {ip: 192.168.4.%d}, proxmox: {node: %s}}", 60+len(m.Cluster().Machines), node)))
	out.Secrets = m.Secrets

	return out
}

// TestStrangersSpread: servers that another namespace pins to nodes push no two servers of the platform's cluster onto one node.
func TestStrangersSpread(t *testing.T) {
	for name, namespaces := range map[string]any{"Silent": nil, "Named": []any{"infra*"}} {
		for _, in := range world.Installations {
			t.Run(name+in.Name, func(t *testing.T) {
				all := committedTogether(t, in, 3, func(m *world.Machine) { m.SetCluster("home", "namespaces", namespaces) })

				for i, node := range []string{"pve1", "pve2", "pve1", "pve2"} {
					s := all[0].strangerAt(in, fmt.Sprintf("server-s%d", i), node)
					s.restAlone()

					if got := nodesOf([]*machine{s}); got[node] == 0 {
						t.Fatalf("the stranger is on %v: %s", got, world.Message(s.Call(), "SpecValid"))
					}
				}

				for _, m := range all {
					m.Settle()
				}

				if diff := cmp.Diff(map[string]int{"pve1": 1, "pve2": 1, "pve3": 1}, nodesOf(all)); diff != "" {
					t.Errorf("servers by node: -want, +got:\n%s", diff)
				}
			})
		}
	}
}
