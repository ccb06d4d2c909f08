package behaviour

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestANumberOfAMachineThatIsGone: the VMID of a machine whose VM somebody removed from Proxmox is the machine's as long as its claim is there. Who asks for it
// meanwhile, by whichever field, gets nothing, and the machine comes back under it.
func TestANumberOfAMachineThatIsGone(t *testing.T) {
	t.Parallel()

	const (
		claimed = "VMID 153 belongs to another claim of this Proxmox, in another namespace"
		image   = `image: "local:vztmpl/debian-12.tar.zst"`
	)

	cases := map[string]struct{ kind, spec string }{
		"Number":      {"Machine", "{proxmox: {vmId: 153}}"},
		"Adopts":      {"Machine", `{adopt: {vmId: 153, approve: "0123456789"}}`},
		"OfContainer": {"Container", "{" + image + ", proxmox: {vmId: 153}}"},
		"AdoptsOne":   {"Container", "{" + image + ", adopt: {vmId: 153}}"},
		"Node":        {"K3sNode", "{proxmox: {vmId: 153}, k3s: {cluster: home, role: agent}}"},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			if tc.kind == "Container" && in.Name == "legacy" {
				continue // Its provider is too old for containers.
			}

			t.Run(name+in.Name, func(t *testing.T) {
				t.Parallel()

				p := playedPair(t, in, tc.kind, tc.spec)
				delete(p.victim.Proxmox.VMs, 153)

				for range 6 {
					p.hostile.try()
				}

				if text := told(p.hostile.Call()); !strings.Contains(text, claimed) {
					t.Errorf("%q is not in\n%s", claimed, text)
				}

				if vm := p.victim.Proxmox.VMs[153]; vm != nil {
					t.Errorf("somebody else has made VM 153: %v", p.victim.Proxmox.Done)
				}

				if ct := p.victim.Proxmox.Containers[153]; ct != nil {
					t.Errorf("somebody else has made container 153: %v", p.victim.Proxmox.Done)
				}

				for range 8 {
					p.victim.try()
					p.hostile.try()
				}

				p.victim.says(p.victim.Call(), map[string]string{"MachineReady": "Recreated", "SpecValid": "Valid"})

				if vm := p.victim.Proxmox.VMs[153]; vm == nil || vm.Running == nil {
					t.Errorf("the platform's VM is %+v; done: %v", vm, p.victim.Proxmox.Done)
				}

				if text := told(p.hostile.Call()); strings.Contains(text, "keystone") || strings.Contains(text, "vault-prod") {
					t.Errorf("the other tenant is told %s", text)
				}
			})
		}
	}
}
