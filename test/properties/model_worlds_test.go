package properties

import (
	"maps"
	"slices"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// A model is a world with what a person does in it, each thing once and one after the other, at any time.
type model struct {
	reason string
	claims []map[string]any
	// catalogue is what the data of the catalogue is, where the claims have one.
	catalogue string
	// begins is how the claims are when the search does.
	begins beginning
	// there is what a person has done before the claims come; nil for nothing.
	there func(ms []*world.Machine)
	// servers is how many servers of a K3s cluster there are in place of claims, which run when the search begins.
	servers int
	// with changes the catalogue of each server; nil for nothing.
	with func(m *world.Machine)
	// pool is what a K3sCluster whose agents are drained has in place of claims, beside its single server; it runs when the search begins.
	pool string
	// agents is how many of the example's agents there are, whose outages are drained first.
	agents int
	person []act
	// fate is what befalls the nodes of Proxmox, one after the other, at any time, whatever the person has done.
	fate    []act
	destroy int // How many VMs and containers may be destroyed.
	stop    int // How many times they may be stopped by the provider.
	// waits says that a claim may end without a VM that runs, and says why.
	waits bool
	// together says that a person starts containers beside others, which is not the provider's fault.
	together bool
	// besides is how many containers a person makes that no claim has.
	besides int
	// says are reasons of conditions that the first claim ends with, by type.
	says map[string]string
	// late says that K3s in the VM of a server starts some time after it, and that a call and what Crossplane writes of it are one step; the last server is at rest.
	late bool
	// away is how many of the VMs, or claims of containers, that the search begins with may be off at once.
	away int
	// most is how many VMs there may be at once; 0 for any number.
	most int
	// refused is what the function may say that refuses a claim; empty where it refuses none.
	refused string
	// runsWith is the memory that the VMs run with in the end, in MiB; 0 where any is right.
	runsWith float64
	// node says that a Node goes before its VM.
	node bool
	// upgrades says that system-upgrade-controller upgrades K3s.
	upgrades bool
	// stops is how many VMs were stopped by the provider in the end; 0 where any number is right.
	stops int
	// walled says that a VM's firewall has a rule of somebody, which stays.
	walled bool
	// ha is what the HA manager is asked for in the end, of one VM; empty where no VM is in HA then. Nil where there is no HA.
	ha *string
}

// A beginning is how claims are when a search begins.
type beginning string

const (
	unmade  beginning = ""        // Nothing is observed of them.
	looked  beginning = "looked"  // Each one's image is there, and the provider has looked once for a VM with its VMID.
	running beginning = "running" // They have come to rest.
)

// An act of a person.
type act struct {
	what string
	do   func(ms []*world.Machine)
	// anew says that Crossplane begins anew with it, and writes no answer of before.
	anew bool
}

func edit(what, spec string) act {
	return act{what: what, do: func(ms []*world.Machine) { world.Merge(ms[0].Spec(), world.FromYAML(ms[0].Cluster().T, spec)) }}
}

// byHand does something to each VM that there is.
func byHand(what string, do func(p *world.Proxmox, id int)) act {
	return act{what: what, do: func(ms []*world.Machine) {
		p := ms[0].Proxmox
		for _, id := range slices.Sorted(maps.Keys(p.VMs)) {
			do(p, id)
		}
	}}
}

func stopped(p *world.Proxmox, id int) {
	if p.VMs[id].Running != nil {
		p.Stop(id)
	}
}

func models(t *testing.T) map[string]model {
	t.Helper()

	web := func(name, spec string) map[string]any {
		s := world.FromYAML(t, "{image: debian-12, proxmox: {node: pve, vmId: 150}, network: {ip: 192.168.4.60, cidr: 24}}")
		world.Merge(s, world.FromYAML(t, spec))

		return world.NewClaim("Machine", "infra-machines", name, s)
	}
	one := func(spec string) []map[string]any { return []map[string]any{web("web", spec)} }

	restartTwo := func(ms []*world.Machine) {
		for _, m := range ms[:2] {
			world.Merge(m.Spec(), world.FromYAML(t, "{lifecycle: {reboot: a}}"))
		}
	}

	out := map[string]model{
		"Birth": {reason: "A VM is made once.", claims: one(`{}`)},
		"Restart": {
			reason: "One word, one power cycle, whatever else is edited.", claims: one(`{}`), stop: 1,
			person: []act{edit("requests a restart", `{lifecycle: {reboot: a}}`), edit("edits the notes", `{notes: x}`)},
		},
		"Memory": {
			reason: "A change that needs a power cycle gets one.", claims: one(`{lifecycle: {rebootPolicy: WhenNeeded}}`), stop: 1, runsWith: 6144,
			person: []act{edit("edits the memory", `{size: {memory: 6Gi}}`)},
		},
		"MemoryAtStart": {
			reason: "A change that comes while a VM starts gets a power cycle.", claims: one(`{power: Stopped, lifecycle: {rebootPolicy: WhenNeeded}}`), begins: running, stop: 1, runsWith: 6144,
			person: []act{edit("starts it", `{power: Running}`), edit("edits the memory", `{size: {memory: 6Gi}}`)},
		},
		"MemoryOnRequest": {reason: "Nobody asked for a power cycle.", claims: one(`{}`), person: []act{edit("edits the memory", `{size: {memory: 6Gi}}`)}},
		"TakenBack": {
			reason: "An edit that is taken back is none, whenever it was seen.", claims: one(`{}`),
			person: []act{edit("grows the disk", `{size: {disk: 40Gi}}`), edit("stops it", `{power: Stopped}`), edit("starts it", `{power: Running}`)}, stop: 1,
		},
		"RestartUnmanaged": {
			reason: "A restart leaves a VM running whose power nobody manages.", claims: one(`{power: Unmanaged}`), begins: running, stop: 1, stops: 1,
			person: []act{edit("requests a restart", `{lifecycle: {reboot: a}}`), edit("edits the notes", `{notes: x}`)},
		},
		"StoppedByHand": {
			reason: "It is started again, and never stopped.", claims: one(`{}`), person: []act{byHand("stops the VM", stopped), edit("edits the notes", `{notes: x}`)},
		},
		"DestroyedByHand": {
			reason: "It is made again, and says so.", claims: one(`{}`),
			person: []act{byHand("destroys the VM", func(p *world.Proxmox, id int) { delete(p.VMs, id) }), edit("edits the notes", `{notes: x}`)},
		},
		"TwoClaims": {reason: "Two claims want one VMID: one gets it.", claims: []map[string]any{web("web", `{}`), web("other", `{network: {ip: 192.168.4.61}}`)}, waits: true},
		"TwoClaimsLooked": {
			reason: "Two claims that saw a VMID free: one gets it.", begins: looked, waits: true,
			claims: []map[string]any{web("web", `{}`), web("other", `{network: {ip: 192.168.4.61}}`)},
		},
		"Replacement": {
			reason: "The old VM goes once, when the new one is there.", claims: one(`{proxmox: {vmId: null}}`), destroy: 1, stop: 2,
			person: []act{edit("requests a replacement", `{lifecycle: {replace: a}}`), edit("edits the notes", `{notes: x}`)},
		},
		"TwoServersRestart": {
			reason: "One server is away at a time.", servers: 3, stop: 2, stops: 2, away: 1,
			person: []act{{what: "requests a restart of two servers", do: restartTwo}},
		},
		"ReplacementOfRunning": {
			reason: "Of two VMs with one address one runs.", claims: one(`{proxmox: {vmId: null}}`), begins: running, destroy: 1, stop: 1,
			person: []act{edit("requests a replacement", `{lifecycle: {replace: a}}`)},
		},
		"VMAfterVM": {
			reason: "A VM is not made in the place of somebody's.", claims: one(`{}`), waits: true, says: map[string]string{"MachineReady": "VMIDInUse"},
			there: func(ms []*world.Machine) { ms[0].Proxmox.ByHand(150, fake.HandMade(t, `started: false`)) },
		},
		"VMMadeBefore": {
			reason: "A claim that comes back gets no second VM.", claims: one(`{proxmox: {vmId: null, node: null}}`), waits: true,
			catalogue: `{defaults: {site: home}, sites: {home: {nodes: {pve: {datastores: {disks: local-zfs, images: local}}}, vmIds: {from: 150, to: 151}}}}`,
			says:      map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberMadeBefore"},
			there: func(ms []*world.Machine) {
				ms[0].Proxmox.ByHand(150, fake.HandMade(t, `description: "Machine infra-machines/web (homelab.io), managed by Crossplane."`))
			},
			person: []act{edit("edits the notes", `{notes: x}`)},
		},
		"ServerReturnsLate": {
			reason: "A server whose K3s is not back is away.", servers: 3, late: true, stop: 2, away: 1,
			person: []act{{what: "requests a restart of two servers", do: restartTwo}},
		},
		"ServerLostRestart": {
			reason: "Of three servers one is lost, and no other one is away.", servers: 3, away: 1, waits: true,
			person: []act{
				{what: "loses the host of a server", do: func(ms []*world.Machine) {
					ms[2].Proxmox.Die(ms[2].Proxmox.VMs[int(world.Status(ms[2].Call())["vmId"].(float64))].Node())
					ms[2].Cluster().Beat(nil)
				}},
				{what: "requests a restart of the others", do: restartTwo},
			},
		},
		"ReplacementTakenBack": {
			reason: "Of two VMs one stays.", claims: one(`{proxmox: {vmId: null}}`), destroy: 1, stop: 2,
			person: []act{edit("requests a replacement", `{lifecycle: {replace: a}}`), edit("takes it back", `{lifecycle: {replace: null}}`)},
		},
	}
	maps.Copy(out, containerModels(t))
	maps.Copy(out, poolModels())
	maps.Copy(out, sharedModels(t))
	maps.Copy(out, claimModels(t))
	maps.Copy(out, lostModels())
	maps.Copy(out, quorumModels())
	maps.Copy(out, serverModels(t))
	maps.Copy(out, vmidModels(t))
	maps.Copy(out, haModels(t))

	return out
}
