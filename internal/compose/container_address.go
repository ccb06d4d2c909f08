package compose

import (
	"github.com/homelab-io/function-proxmox-machine/internal/container"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// pickAddress of the site's pool for a container that does not exist yet, by its composed resource name, as for a VM: the managed resource that looks for a
// VM with the container's VMID has the reservation, where all others see it. Nil where the container has an address, or is to have none of a pool. The
// address is that of m from then on.
func (c containerCall) pickAddress(m *machine.Container, name string) (picked *lifecycle.PoolAddress, known bool, err error) {
	a := &m.NICs[0].IPv4
	if !a.Pending() {
		return nil, true, nil
	}

	o, observed := c.call.facts.Observed.Containers[name]
	if container.StateOf(o, observed) == container.StateCreating {
		// Its pool is in another subnet by now; until the provider shows it, it stays as it was written.
		a.Address = container.AddressOf(o).IP
		return nil, true, nil
	}

	all, known, err := c.call.vms(poolRequirement, nil)
	if !known || err != nil {
		return nil, known, err
	}

	containers, err := containersOf(c.call, addressContainers, nil)
	if err != nil {
		return nil, false, err
	}

	request := c.call.facts
	request.Machine = &m.Machine
	request.Roles = lifecycle.Roles{Active: container.Check(c.named(m, name))}

	out := lifecycle.PickAddress(request, lifecycle.Neighbours{VMs: all, Containers: containers})
	if out.Address.IsValid() {
		a.Address = out.Address.String()
	}

	return &out, true, nil
}

// compareAddresses of a container, by its composed resource name, with those of all VMs and containers, as for a VM. The managed resource that looks for a VM
// with its VMID tells the others of one that is to be made.
func (c containerCall) compareAddresses(m *machine.Container, name string) (shares *lifecycle.SharedAddress, err error) {
	var guest *proxmox.ObservedContainer

	o, observed := c.call.facts.Observed.Containers[name]
	if s := container.StateOf(o, observed); s == container.StateLiving || s == container.StateCreating {
		guest = &o
	}

	if guest == nil || !container.KeepsNetwork(c.named(m, name)) {
		shares, err = sharedAddress(c.call, lifecycle.ComparisonOfContainer(&m.Machine, c.call.facts.Owner, guest, c.newcomer()), name)
	}

	return shares, err
}

// named is what is known of a container, by its composed resource name, before anything is decided.
func (c containerCall) named(m *machine.Container, name string) container.Request {
	return container.Request{Container: m, Observed: c.call.facts.Observed, Owner: c.call.facts.Owner, Flavour: c.call.flavour, Guest: name}
}
