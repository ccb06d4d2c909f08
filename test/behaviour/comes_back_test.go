package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAClaimComesBack into a cluster that knows nothing of it, as from Git after its cluster was lost: what was made for it, with a VMID of the site's range, is found and
// told. No second one is made beside it, with its name and address, and the claim adopts it as it is.
func TestAClaimComesBack(t *testing.T) {
	for _, in := range withContainers() {
		for _, kind := range []string{"Machine", "Container"} {
			t.Run(kind+"/"+in.Name, func(t *testing.T) {
				m := ranged(t, in, 1, 170, 179)[0]
				m.Proxmox.VMs[175] = &world.VM{Config: map[string]any{"name": "foreign", "nodeName": "pve1"}}

				if kind == "Machine" {
					claim := world.NewClaim("Machine", "infra", "vm0", world.FromYAML(t, `{size: {cores: 1, memory: 2Gi, disk: 8Gi}, image: debian-13, network: {dhcp: true}, proxmox: {site: home}}`))
					vm := &machine{Machine: m.Cluster().AddOn(m.Proxmox, world.NewMachine(claim, in)), t: t}
					vm.Catalogue = m.Catalogue
					m = vm
				}

				m.says(m.Rest(), map[string]string{"MachineReady": "Running"})

				id := int(world.Object(m.Composite["status"])["vmId"].(float64))

				m.Observed, m.Composite["status"] = map[string]map[string]any{}, map[string]any{}
				world.Object(m.Composite["metadata"])["uid"] = "7d1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a01"
				m.Proxmox.Done = nil

				last := m.Rest()
				m.says(last, map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberMadeBefore"})

				if msg := world.Message(last, "VMIDInUse"); !strings.Contains(msg, fmt.Sprintf("name it in spec.adopt.vmId: %d", id)) {
					t.Errorf("it is told: %s", msg)
				}

				m.Spec()["adopt"] = map[string]any{"vmId": float64(id)}
				world.Object(m.Spec()["proxmox"])["node"] = "pve1"

				if kind == "Container" {
					world.Object(m.Spec()["proxmox"])["node"] = m.Proxmox.Containers[id].Config["nodeName"]
				}

				plan := adoptionOf(m.Rest())
				m.says(m.approved(), map[string]string{"MachineReady": "Running"})

				for _, done := range m.Proxmox.Done {
					// The provider writes what it does not read back, such as the image that a disk was imported from.
					if !strings.HasPrefix(done, "change") {
						t.Errorf("the provider did %q", done)
					}
				}

				if plan["changes"] != nil || plan["reboots"] != nil || plan["refused"] != nil {
					t.Errorf("nothing is to change: %v", plan)
				}
			})
		}
	}
}
