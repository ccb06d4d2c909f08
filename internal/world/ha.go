package world

import (
	"fmt"
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

// reconcileHA works on an entry of the HA manager. There can be none for a VM that does not exist (PVE::API2::HA::Resources, create).
func (p *Provider) reconcileHA(m *Machine, name string, o map[string]any, generation any) {
	forProvider := Object(Object(o["spec"])["forProvider"])
	external := fmt.Sprint(forProvider["resourceId"])
	may := Policies(o)

	if may == onlyObserves {
		return
	}

	if name := Annotation(o, ExternalName); name != "" && name != external {
		m.cluster.Fault("%s has external name %s, and is about %s", name, Annotation(o, ExternalName), external)
	}

	id := haVM(external)
	entry, there := p.Proxmox.HA[id]

	switch _, exists := p.Proxmox.VMs[id]; {
	case !there && !exists:
		failToCreate(o, "create failed: Could not create HA resource: no such VM", generation)
		return
	case !there && p.Proxmox.VMs[id].Owner != key(m, strings.TrimPrefix(name, "ha-")):
		m.cluster.Fault("%s puts VM %d into HA, which is not its own", name, id)
	case !there:
		p.Proxmox.note("add %d to HA as %v", id, forProvider["state"])
	case entry != forProvider["state"] && strings.Contains(may, "Update"):
		p.Proxmox.note("HA of %d is %v", id, forProvider["state"])
	}

	if !there || strings.Contains(may, "Update") {
		p.Proxmox.HA[id] = fmt.Sprint(forProvider["state"])
	}

	found(o, external, map[string]any{"resourceId": external, "state": p.Proxmox.HA[id]}, generation)
}

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
