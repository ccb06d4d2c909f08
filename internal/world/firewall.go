package world

import (
	"fmt"
	"maps"
)

// A Firewall of a VM or a container, as Proxmox has it.
type Firewall struct {
	Options map[string]any // As the provider wrote them; nil for Proxmox's defaults, with which it is off.
	Rules   []any
}

// Drops says whether the firewall drops what no rule accepts.
func (f *Firewall) Drops() bool {
	return f != nil && f.Options["enabled"] == true && f.Options["inputPolicy"] != "ACCEPT"
}

// firewallID is the VMID of a managed resource of a firewall, whose guest is a VM or a container.
func firewallID(o map[string]any) int {
	forProvider := Object(Object(o["spec"])["forProvider"])
	if id := int(number(forProvider["containerId"])); id != 0 {
		return id
	}

	return int(number(forProvider["vmId"]))
}

// firewalled faults a firewall whose guest does not exist, or is somebody else's. It says whether the guest exists.
func firewalled(p *Provider, m *Machine, name string, id int, forProvider map[string]any) bool {
	if number(forProvider["containerId"]) != 0 {
		if p.Proxmox.Containers[id] == nil {
			m.cluster.Fault("%s is for container %d, which does not exist", name, id)
			return false
		}

		return true
	}

	vm := p.Proxmox.VMs[id]
	if vm == nil {
		m.cluster.Fault("%s is for VM %d, which does not exist", name, id)
		return false
	}

	if vm.Owner == "" {
		m.cluster.Fault("%s is for VM %d, which is somebody else's", name, id)
	}

	return true
}

// reconcileFirewall writes options or rules of a VM's firewall, as bpg/proxmox 0.111.1 does: it creates rules only where there are none, and takes
// all that it finds later for its own.
func (p *Provider) reconcileFirewall(m *Machine, name string, o, forProvider map[string]any, generation any) {
	id := firewallID(o)
	if Policies(o) == onlyObserves || !firewalled(p, m, name, id, forProvider) {
		return
	}

	if p.Proxmox.Firewalls[id] == nil {
		p.Proxmox.Firewalls[id] = &Firewall{}
	}

	wall := p.Proxmox.Firewalls[id]

	switch {
	case kindOf(o) == FirewallOptionsKind:
		wall.Options = maps.Clone(forProvider)
	case Annotation(o, ExternalName) == "" && len(wall.Rules) > 0:
		failToCreate(o, "create failed: async create failed: failed to create the resource: [{0 Existing rules detected. Aborting...  []}]", generation)
		return
	default:
		wall.Rules = List(Copy(forProvider["rule"]))
	}

	p.lockedOut(m, name, id)
	found(o, fmt.Sprintf("%s-%d", kindOf(o), id), forProvider, generation)
}

// lockedOut: a firewall that drops all that comes in locks people out. It never has to, whatever the order in which the provider works.
func (p *Provider) lockedOut(m *Machine, name string, id int) {
	if wall := p.Proxmox.Firewalls[id]; wall.Drops() && len(wall.Rules) == 0 {
		m.cluster.Fault("VM %d is locked out after %s: its firewall drops everything", id, name)
	}
}
