package behaviour

import (
	"fmt"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAPoolPassesContainersBy: a machine does not take the address of its site's pool that a container has, also while the container is not made yet, and
// whichever of its interfaces has it.
func TestAPoolPassesContainersBy(t *testing.T) {
	for network, spec := range map[string]string{
		"First":   `{network: {ip: 192.168.4.50/24, gateway: 192.168.4.1}}`,
		"Further": `{network: {dhcp: true}, nics: [{bridge: vmbr0, vlan: 7, ip: 192.168.4.50/24}]}`,
	} {
		for _, in := range withContainers() {
			for _, together := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%s/%v", network, in.Name, together), func(t *testing.T) {
					m := pooled(t, in, "192.168.4.50-192.168.4.59", "a")[0]
					claim := world.NewClaim("Container", "infra", "ct0", world.FromYAML(t, `{image: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", size: {cores: 1, memory: 2Gi, disk: 8Gi},
						proxmox: {node: pve, vmId: 170}}`))
					world.Merge(world.Object(claim["spec"]), world.FromYAML(t, spec))
					ct := &machine{Machine: m.Cluster().AddOn(m.Proxmox, world.NewMachine(claim, in)), t: t}
					ct.Catalogue = m.Catalogue

					if together {
						inTurns([]*machine{ct, m})
					} else {
						ct.says(ct.Rest(), map[string]string{"MachineReady": "Running"})
					}

					inTurns([]*machine{m, ct})

					if ct.Proxmox.Containers[170] == nil || m.address() != "192.168.4.51/24" {
						t.Errorf("want the next address, got %q: %v", m.address(), m.Proxmox.Done)
					}
				})
			}
		}
	}
}
