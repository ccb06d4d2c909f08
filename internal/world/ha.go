package world

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// HAResourceKind is the kind of an entry of Proxmox's HA manager.
const HAResourceKind = "EnvironmentHaresource"

// The states that Proxmox's HA manager can be asked for.
const (
	haStarted = "started"
	haStopped = "stopped"
	haIgnored = "ignored"
)

// haVM is the VMID in the name of an entry.
func haVM(external string) int {
	var id int
	_, _ = fmt.Sscanf(external, "vm:%d", &id)

	return id
}

// leaveHA is what becomes of the entry of a managed resource that goes. To remove it neither starts nor stops the VM.
func (p *Proxmox) leaveHA(external string, destroy bool) {
	id := haVM(external)
	if _, there := p.HA[id]; there && destroy {
		p.note("take %d out of HA", id)
		delete(p.HA, id)
		delete(p.HAOptions, id)
	}
}

// inHA says whether the HA manager starts and stops a VM, and nobody else can.
func (p *Proxmox) inHA(id int) bool { return p.HA[id] == haStarted || p.HA[id] == haStopped }

// WorkHA is the turn of the HA manager: what is to run is started, what is not is stopped, and what was on a node that died is moved (ha-manager.adoc).
func (p *Proxmox) WorkHA() {
	for _, id := range slices.Sorted(maps.Keys(p.HA)) {
		vm, there := p.VMs[id]
		if !there || !p.inHA(id) {
			continue
		}

		if slices.Contains(p.Dead, vm.Node()) && !p.recover(vm) {
			continue
		}

		switch {
		case p.HA[id] == haStarted && vm.Running == nil:
			p.note("HA starts %d", id)
			p.Start(id)
		case p.HA[id] == haStopped && vm.Running != nil:
			p.note("HA stops %d", id)
			p.Stop(id)
		}
	}
}

// recover a VM of a node that died, and say whether that is done: the HA manager waits until it is sure that the node was fenced, which is a turn here, and takes the
// node with the fewest VMs. It does nothing without a majority of the nodes, and a VM without another node waits for its own.
func (p *Proxmox) recover(vm *VM) bool {
	if !vm.fenced {
		vm.fenced = true
		return false
	}

	nodes := p.nodes()
	alive := slices.DeleteFunc(slices.Clone(nodes), func(node string) bool { return slices.Contains(p.Dead, node) })

	if 2*len(alive) <= len(nodes) {
		return false
	}

	has := map[string]int{}
	for _, other := range p.VMs {
		has[other.Node()]++
	}

	vm.Config["nodeName"] = slices.MinFunc(alive, func(a, b string) int { return cmp.Or(cmp.Compare(has[a], has[b]), cmp.Compare(a, b)) })
	vm.fenced = false

	return true
}

// nodes of Proxmox, as the catalogues of its machines know them.
func (p *Proxmox) nodes() []string {
	out := map[string]bool{}

	for _, site := range p.sites() {
		for node := range Object(site["nodes"]) {
			out[node] = true
		}
	}

	return slices.Sorted(maps.Keys(out))
}

// sees says whether a node sees a snippet: where it was written, or on a datastore that the catalogues call shared.
func (p *Proxmox) sees(node, snippet string) bool {
	if p.Snippets[node+" "+snippet] || p.Snippets["* "+snippet] {
		return true
	}

	datastore, _, _ := strings.Cut(snippet, ":")
	shared := slices.ContainsFunc(p.sites(), func(site map[string]any) bool { return slices.Contains(List(site["sharedDatastores"]), any(datastore)) })

	return shared && p.hasSnippet(snippet)
}

// sites in the catalogues of the machines that are in this Proxmox.
func (p *Proxmox) sites() []map[string]any {
	var out []map[string]any

	for _, m := range p.cluster.Machines {
		if m.Proxmox != p {
			continue
		}

		for _, site := range Object(Object(m.Catalogue["data"])["sites"]) {
			out = append(out, Object(site))
		}
	}

	return out
}
