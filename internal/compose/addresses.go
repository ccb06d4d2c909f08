package compose

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// addressRequirement begins the names of the VMs with an address of the machine, among what the function asks Crossplane for.
const addressRequirement = "address-"

// compareAddresses asks for the VMs of all machines with an address of this one, and warns of them. Only a machine without a VM asks, and
// one whose edit brings in an address: afterwards one call is enough. Nothing waits for the answer: Crossplane calls again with it
// before it applies anything.
func (c *call) compareAddresses() error {
	for _, a := range c.facts.AddressesToCompare() {
		others, _, err := c.vms(addressRequirement+a.Path(), map[string]string{proxmox.AddressLabel(a.Kind, a.NIC): a.Label()})
		if err != nil {
			return err
		}

		if w := c.facts.SharedAddress(a, others); w != "" {
			c.facts.Machine.Warnings = append(c.facts.Machine.Warnings, w)
		}
	}

	return nil
}
