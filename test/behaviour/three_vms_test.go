package behaviour

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestThreeVMs tells the story of a machine from its VMID to its third VM. The story is the same in every installation, whatever
// provider and Crossplane tell of themselves.
func TestThreeVMs(t *testing.T) {
	t.Parallel()

	for _, in := range world.Installations {
		for _, undated := range []bool{false, true} {
			for _, caps := range [][]fnv1.Capability{nil, capable} {
				t.Run(fmt.Sprintf("%s%t%d", in.Name, undated, len(caps)), func(t *testing.T) {
					m := exampleIn(t, "nixos/dns01", in)
					m.Provider.Undated, m.Capabilities = undated, caps
					m.throughThreeVMs()
				})
			}
		}
	}
}

// throughThreeVMs, with edits, trouble and a move between them.
func (m *machine) throughThreeVMs() {
	m.t.Helper()

	spec := m.Spec()
	well := func(done ...string) {
		m.t.Helper()
		m.says(m.Rest(), map[string]string{
			"SpecValid": "Valid", "MachineReady": "Running", "ReplacementRequired": "NotRequired", "RebootPending": "NothingPending", "ProviderHealthy": "NoError",
		})
		m.did(done...)
	}

	// Its number is somebody's, and another one is free.
	m.Proxmox.ByHand(153, fake.HandMade(m.t))
	m.says(m.Rest(), map[string]string{"VMIDInUse": "NumberTaken"})

	world.Object(spec["proxmox"])["vmId"] = 154.0
	well("make 154")

	// It grows, at once and with a reboot.
	spec["size"] = map[string]any{"disk": "60Gi"}
	well("change disk of 154")

	spec["size"] = map[string]any{"disk": "60Gi", "cores": 6}
	m.says(m.Rest(), map[string]string{"RebootPending": "ChangesPending"})
	m.lifecycle("reboot", "first")
	well("change cpu of 154", "stop 154", "start 154")

	// It is kept, stopped and started.
	spec["deletionProtection"] = true
	spec["power"] = "Stopped"
	m.says(m.Rest(), map[string]string{"MachineReady": "Stopped"})
	spec["power"] = "Running"
	well("stop 154", "start 154")

	// It is moved by somebody, and fails for a while.
	m.Proxmox.VMs[154].Config["nodeName"] = "pve2"
	m.Rest()
	m.Provider.Fails["vm"] = refused
	m.Rest()
	clear(m.Provider.Fails)

	world.Object(spec["proxmox"])["node"] = "pve2"
	m.Catalogue = world.Object(world.Copy(m.Catalogue))
	nodes := world.Object(world.Object(world.Object(world.Object(m.Catalogue["data"])["sites"])["home"])["nodes"])
	nodes["pve2"] = nodes["pve"]

	well()

	// It is replaced twice, once on another node.
	m.replace("second")
	world.Object(spec["proxmox"])["vmId"] = 155.0
	world.Object(spec["proxmox"])["node"] = "pve"
	well("change onBoot of 154", "stop 154", "make 155", "destroy 154")

	m.replace("third")
	delete(world.Object(spec["proxmox"]), "vmId")
	well("change onBoot of 155", "stop 155", "make 100", "destroy 155")

	last := m.Rest()
	if a := world.Annotations(last, world.VMNames(last)[0]); a[proxmox.ReplaceTriggersAnnotation] != "second,third" {
		m.t.Errorf("words %v", a)
	}

	if n := len(world.Names(last)); n != 4 {
		m.t.Errorf("composed resources %v", world.Names(last))
	}

	// Nobody ever touched the other one.
	if g := m.Proxmox.VMs[153]; g.Owner != "" || g.Config["name"] != "nas" {
		m.t.Errorf("the other VM: %v", g)
	}
}
