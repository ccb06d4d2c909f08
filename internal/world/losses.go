package world

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Die lets a Proxmox node be without power: what is on it is off, and says what it said before.
func (p *Proxmox) Die(node string) {
	if slices.Contains(p.Dead, node) {
		return
	}

	p.Dead = append(p.Dead, node)

	for _, vm := range p.VMs {
		if vm.Node() == node {
			vm.Running = nil
		}
	}
}

// Return lets a Proxmox node that died be there again: it starts what it starts when it boots, whatever ran before, and the rest stays off.
func (p *Proxmox) Return(node string) {
	p.Dead = slices.DeleteFunc(p.Dead, func(dead string) bool { return dead == node })

	for _, id := range slices.Sorted(maps.Keys(p.VMs)) {
		switch vm := p.VMs[id]; {
		case vm.Node() != node:
		case p.inHA(id): // The HA manager starts it, and nobody else.
			vm.fenced = false
			vm.Config["started"] = false
		case vm.Config["onBoot"] == true:
			p.Start(id)
		default:
			vm.Config["started"] = false
		}
	}

	for _, c := range p.Containers {
		if c.Config["nodeName"] == node {
			c.Config["started"] = c.Config["startOnBoot"] == true
		}
	}
}

// DestroyByHand destroys a VM or a container behind the provider's back, with its disks. What is made with its VMID has another password for its Node, which K3s refuses
// until somebody has deleted that.
func (p *Proxmox) DestroyByHand(id int) {
	p.lost[id] = true
	delete(p.VMs, id)
	delete(p.Containers, id)
	delete(p.Firewalls, id)

	for node, has := range p.cluster.passwords {
		if has == id {
			p.cluster.passwords[node] = noVM
		}
	}
}

// noVM is the VMID of none.
const noVM = -1

// leave is what becomes of the VM of a managed resource that goes.
func (p *Proxmox) leave(external, owner string, destroy bool) {
	id, err := strconv.Atoi(external)

	vm, there := p.VMs[id]
	if err != nil || !there {
		return
	}

	if vm.Owner != owner {
		if destroy {
			p.cluster.Fault("%s destroys VM %d, which is not its own", owner, id)
		}

		return
	}

	if destroy {
		if p.inHA(id) {
			p.cluster.Fault("VM %d is destroyed while the HA manager keeps it %s", id, p.HA[id])
		}

		delete(p.HA, id) // purge: a VM that the HA manager ignores.
		p.note("destroy %d", id)
		delete(p.VMs, id)
		delete(p.Firewalls, id)

		return
	}

	p.note("let go of %d", id)
	vm.Owner = ""
}

// leaveContainer is what becomes of the container of a managed resource that goes. One that only looks whether a VMID is free names a node before the VMID.
func (p *Proxmox) leaveContainer(external string, destroy bool) {
	id, err := strconv.Atoi(external)

	switch {
	case err != nil || p.Containers[id] == nil:
	case destroy:
		p.note("destroy container %d", id)
		delete(p.Containers, id)
		delete(p.Firewalls, id)
	default:
		p.note("let go of container %d", id)
	}
}

// lostSnippets: a VM whose snippets are on no node any more never starts again, also one that was let go of.
func (p *Proxmox) lostSnippets() {
	for id, vm := range p.VMs {
		if vm.leaves {
			continue
		}

		for _, v := range vm.snippets() {
			if strings.HasSuffix(v, ".user-data.yaml") && !p.hasSnippet(v) {
				p.cluster.Fault("VM %d lost its snippet %s", id, v)
			}
		}
	}
}

// hasSnippet says whether a snippet is on any node.
func (p *Proxmox) hasSnippet(volume string) bool {
	for s := range p.Snippets {
		if strings.HasSuffix(s, " "+volume) {
			return true
		}
	}

	return false
}
