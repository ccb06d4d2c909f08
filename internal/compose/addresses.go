package compose

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// The VMs of all machines and all containers, among what the function asks Crossplane for.
const (
	poolRequirement   = "address-pool"
	addressContainers = "address-containers"
)

// addressRequirement begins the names of the VMs with an address of the machine, among what the function asks Crossplane for.
const addressRequirement = "address-"

// compareAddresses asks for all VMs and containers with an address of this machine, and warns of them. Only a machine without a VM asks, and
// one whose edit brings in an address, once more with the call after it: afterwards one call is enough. Nothing waits for the answer: Crossplane calls again
// with it before it applies anything.
func (c *call) compareAddresses() (err error) {
	c.facts.Shares, err = sharedAddress(c, lifecycle.ComparisonOf(c.facts), c.facts.Roles.Described())
	if err != nil {
		return err
	}

	compareHostNames(c)

	return nil
}

// sharedAddress is the address that keeps a VM or a container, by its composed resource name, from being made; nil for none. What else is shared is a warning.
func sharedAddress(c *call, of lifecycle.AddressComparison, name string) (kept *lifecycle.SharedAddress, err error) {
	again := lifecycle.Bringing{NICs: of.Machine.NICs}
	addresses := of.Addresses()

	if len(addresses) == 0 {
		return kept, nil
	}

	// A label has one address, and the resource of a container has those of all of its interfaces.
	containers, err := containersOf(c, addressContainers, nil)
	if err != nil {
		return nil, err
	}

	for _, a := range addresses {
		vms, _, err := c.vms(addressRequirement+a.Path(), map[string]string{proxmox.AddressLabel(a.Kind, a.NIC): a.Label()})
		if err != nil {
			return nil, err
		}

		shared := of.Shared(a, lifecycle.Neighbours{VMs: vms, Containers: containers})
		if of.Again(a, shared) {
			again.Addresses = append(again.Addresses, a)
			c.announces = &announcement{name, proxmox.BringsAnnotation, again.String()}
		}

		switch {
		case shared == nil:
		case of.KeepsUnmade(shared):
			kept = cmp.Or(kept, shared)
		default:
			of.Machine.Warnings = append(of.Machine.Warnings, shared.String())
		}
	}

	return kept, nil
}

// compareHostNames warns of a machine that has the host name of this one, among the VMs that were asked for anyway: nobody asks for all VMs because of
// a name.
func compareHostNames(c *call) {
	if c.claim.Fields().Adopt != nil {
		return // The VM that it adopts has its name already.
	}

	if w := lifecycle.SharedHostName(c.facts, c.seen); w != "" {
		c.facts.Machine.Warnings = append(c.facts.Machine.Warnings, w)
	}
}

// pickAddress of the site's pool for a VM that does not exist yet. It asks for the VMs of all machines, and for all containers: a label has one address,
// and a pool has many.
func (c *call) pickAddress() (known bool, err error) {
	m := c.facts.Machine

	switch a := m.NICs[0].IPv4; {
	case a.Pending() && !a.Pool.Of.IsZero():
		return claimer{c}.claimOn(a.Pool.Of)
	case !a.Pending():
		return claimer{c}.keep()
	}

	all, known, err := c.vms(poolRequirement, nil)
	if !known || err != nil {
		return known, err
	}

	containers, err := containersOf(c, addressContainers, nil)
	if err != nil {
		return false, err
	}

	picked := lifecycle.PickAddress(c.facts, lifecycle.Neighbours{VMs: all, Containers: containers})
	c.facts.PoolAddress = &picked

	if picked.Address.IsValid() {
		m.NICs[0].IPv4.Address = picked.Address.String()
	}

	return claimer{c}.keep()
}
