package behaviour

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestLivesWithoutCatalogue: whoever has no catalogue is told so, and no entry of it is missing, also where the account is in
// rendered user-data and the VM's parameters do not have it.
func TestLivesWithoutCatalogue(t *testing.T) {
	for name, edit := range map[string]string{
		"ProxmoxUserData":  `{}`,
		"RenderedUserData": `{bootstrap: {userData: "#cloud-config\ntimezone: Europe/Berlin\n"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := example(t, "plain-debian/files01")
			fake.Merge(m.Spec(), fake.FromYAML(t, edit))
			m.Settle()
			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})
		})
	}
}
