package properties

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// haModels are worlds of a VM in HA, whose Proxmox node dies and returns, whatever its claim asks for meanwhile.
func haModels(t *testing.T) map[string]model {
	t.Helper()

	const catalogue = `{defaults: {site: home}, sites: {home: {sharedDatastores: [ceph], vmIds: {from: 150, to: 151},
		nodes: {pve1: {datastores: {disks: ceph, images: local}}, pve2: {datastores: {disks: ceph, images: local}}, pve3: {datastores: {disks: ceph, images: local}}}}}}`

	// A node that boots starts what is to start at its boot and is not in HA: a VM that was stopped before its node died is once more.
	in := func(m model) model {
		m.claims = []map[string]any{world.NewClaim("Machine", "infra-machines", "web",
			world.FromYAML(t, `{image: debian-12, proxmox: {node: pve1}, network: {ip: 192.168.4.60, cidr: 24}, ha: {enabled: true}, deletionPolicy: Delete}`))}
		m.catalogue, m.begins, m.fate = catalogue, running, append([]act{{what: "the VM's node dies", do: dies}}, m.fate...)

		return m
	}
	later := []act{{what: "the node returns", do: returns}}
	asks := func(state string) *string { return &state }

	return map[string]model{
		"HARestart": in(model{
			reason: "A VM in HA restarts once, wherever it is, and is in HA after it.", stop: 2, ha: asks("started"), fate: later,
			person: []act{edit("requests a restart", `{lifecycle: {reboot: a}}`)},
		}),
		"HANodeLost": in(model{
			reason: "A VM in HA whose node does not return runs elsewhere, and restarts there once.", stop: 2, ha: asks("started"),
			person: []act{edit("requests a restart", `{lifecycle: {reboot: a}}`)},
		}),
		"HAStop": in(model{
			reason: "A VM in HA is stopped by the provider, and stays so.", stop: 2, ha: asks("stopped"), fate: later, waits: true, says: map[string]string{"MachineReady": "Stopped"},
			person: []act{edit("stops it", `{power: Stopped}`)},
		}),
		"HAReplacement": in(model{
			reason: "A VM in HA that is replaced leaves HA before it goes, and its successor is in HA.", stop: 3, destroy: 1, ha: asks("started"), fate: later,
			person: []act{edit("requests a replacement", `{lifecycle: {replace: a}}`)},
		}),
		"HAEnds": in(model{
			reason: "A VM that leaves HA runs on.", ha: asks(""), fate: later, person: []act{edit("ends HA", `{ha: null}`)},
		}),
	}
}

// dies: the node of the first VM.
func dies(ms []*world.Machine) {
	p := ms[0].Proxmox
	if ids := slices.Sorted(maps.Keys(p.VMs)); len(ids) > 0 {
		p.Die(p.VMs[ids[0]].Node())
	}
}

func returns(ms []*world.Machine) {
	for _, node := range slices.Clone(ms[0].Proxmox.Dead) {
		ms[0].Proxmox.Return(node)
	}
}

// haFault is what the HA manager did that nobody asked it for; empty where all is well. It gives a guest no time to shut down.
func (s *search) haFault(n node) string {
	if len(n.cluster.Machines) == 0 || n.cluster.Machines[0].Spec()["power"] == "Stopped" {
		return ""
	}

	if i := slices.IndexFunc(n.proxmox().Done, func(done string) bool { return strings.HasPrefix(done, "HA stops ") }); i >= 0 {
		return "the HA manager switches a VM off: " + n.proxmox().Done[i]
	}

	return ""
}

// haEnds is what the HA manager is asked for in the end and ought not to be; empty where all is well.
func (s *search) haEnds(n node) string {
	p := n.proxmox()

	if s.ha == nil {
		return ""
	}

	var has []string
	for _, id := range slices.Sorted(maps.Keys(p.HA)) {
		has = append(has, p.HA[id])

		if p.VMs[id] == nil {
			return fmt.Sprintf("VM %d is in HA, and is gone", id)
		}
	}

	if asked := strings.Join(has, ", "); asked != *s.ha {
		return fmt.Sprintf("the HA manager is asked for %q; want %q", asked, *s.ha)
	}

	return ""
}
