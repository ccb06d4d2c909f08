package world

import (
	"fmt"
	"slices"
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
	}
}

// inHA says whether the HA manager starts and stops a VM, and nobody else can.
func (p *Proxmox) inHA(id int) bool { return p.HA[id] == haStarted || p.HA[id] == haStopped }

// WorkHA is the turn of the HA manager: what is to run is started, and what is not is stopped.
func (p *Proxmox) WorkHA() {
	ids := make([]int, 0, len(p.HA))
	for id := range p.HA {
		ids = append(ids, id)
	}

	slices.Sort(ids)

	for _, id := range ids {
		vm, there := p.VMs[id]

		switch {
		case !there:
		case p.HA[id] == haStarted && vm.Running == nil:
			p.note("HA starts %d", id)
			p.Start(id)
		case p.HA[id] == haStopped && vm.Running != nil:
			p.note("HA stops %d", id)
			p.Stop(id)
		}
	}
}

// Fail takes the node of a VM down: the HA manager starts the VM on another node, if it manages it.
func (p *Proxmox) Fail(id int, to string) {
	vm := p.VMs[id]
	if !p.inHA(id) {
		p.Stop(id)
		return
	}

	vm.Config["nodeName"] = to
	p.Stop(id)
	p.WorkHA()
}
