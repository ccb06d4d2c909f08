package properties

import (
	"strconv"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// vmidModels are worlds of which VM a managed resource is about: what it is made with, whether that is its own, and what stays when it goes.
func vmidModels(t *testing.T) map[string]model {
	t.Helper()

	claim := func(name, spec string) map[string]any {
		s := world.FromYAML(t, `{image: debian-12, proxmox: {node: pve, vmId: 150}, network: {ip: 192.168.4.60, cidr: 24}}`)
		world.Merge(s, world.FromYAML(t, spec))

		return world.NewClaim("Machine", "infra-machines", name, s)
	}

	return map[string]model{
		"TwoClaimsRange": {
			reason: "Two claims whose search through a range begins with one VMID get two.", begins: looked,
			claims:    []map[string]any{claim("web", `{proxmox: {vmId: null}}`), claim("db", `{proxmox: {vmId: null}, network: {ip: 192.168.4.61}}`)},
			catalogue: `{defaults: {site: home}, sites: {home: {nodes: {pve: {datastores: {disks: local-zfs, images: local}}}, vmIds: {from: 150, to: 151}}}}`,
		},
		"VMIDEdited": {
			reason: "What was said of one VMID is no answer about another one.", claims: []map[string]any{claim("web", `{}`)}, waits: true,
			says: map[string]string{"MachineReady": "VMIDInUse"},
			there: func(ms []*world.Machine) {
				ms[0].Proxmox.ByHand(151, fake.HandMade(t, `started: false`))
				ms[0].Provider.Stuck = []string{"image"}
			},
			person: []act{
				edit("names a VMID that somebody has", `{proxmox: {vmId: 151}}`),
				{what: "has the image downloaded", do: func(ms []*world.Machine) { ms[0].Provider.Stuck = nil }},
			},
		},
		"MadeInParts": {
			reason: "A VM that the provider reads in parts, since it was restarted while it created it, is the claim's.", claims: []map[string]any{claim("web", `{}`)}, begins: looked, most: 1,
			there:  func(ms []*world.Machine) { ms[0].Provider.ReadsInParts = true },
			person: []act{edit("edits the notes", `{notes: x}`)},
		},
		"ReplacedStays": {
			reason: "With deletionPolicy: Orphan, the VM that was replaced stays, off.", begins: running, stop: 1,
			claims: []map[string]any{claim("web", `{proxmox: {vmId: null}, deletionPolicy: Orphan}`)},
			person: []act{edit("requests a replacement", `{lifecycle: {replace: a}}`)},
		},
	}
}

// triesVM is the VMID of a VM of somebody's with which the provider may make or change a VM without a word that it adopts it; 0 for none.
func triesVM(n node) int {
	for _, m := range n.cluster.Machines {
		for _, name := range world.Keys(m.Observed) {
			o := m.Observed[name]
			id, _ := strconv.Atoi(world.Annotation(o, world.ExternalName))

			if vm := m.Proxmox.VMs[id]; o["kind"] == world.VMKind && !onlyObserved(o) && vm != nil && vm.Owner == "" && world.Annotation(o, proxmox.AdoptedAnnotation) == "" {
				return id
			}
		}
	}

	return 0
}
