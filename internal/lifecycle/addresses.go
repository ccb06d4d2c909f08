package lifecycle

import (
	"fmt"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// AddressesToCompare are the addresses for which other machines' VMs are looked up: all of a VM that does not exist yet, and those of an
// existing VM that an edit brings in. At rest there are none.
func (r Request) AddressesToCompare() []machine.Address {
	name := r.Roles.Described()
	lives := Lives(r.Observed.VMs, name)
	has := r.Observed.VMs[name].Metadata.Labels

	return slices.DeleteFunc(r.Machine.Addresses(), func(a machine.Address) bool {
		// Before there is a VM, an address of a pool is compared with those of all machines; see [PickAddress].
		return a.Label() == "" || a.Origin == machine.OriginPool && !lives || lives && has[proxmox.AddressLabel(a.Kind, a.NIC)] == a.Label()
	})
}

// SharedAddress warns of other machines that have an address in the same network: with the same provider configuration, bridge and VLAN
// tag. Empty where there is none. It is no fault: a machine may take the place of another one whose claim goes later.
func (r Request) SharedAddress(a machine.Address, others []proxmox.ObservedVM) string {
	var names []string

	for _, o := range others {
		if !r.Owner.Owns(o) && r.Owner.sameSite(o) && inNetwork(r.Machine.NICs[a.NIC], o, a.NIC) {
			names = append(names, r.Owner.nameOf(o.Metadata))
		}
	}

	if len(names) == 0 {
		return ""
	}

	slices.Sort(names)

	return fmt.Sprintf("%s: %s is the address of %s, too, in the same network: neither is reached reliably. Give one of them another address.",
		a.Path(), a.Value, slices.Compact(names)[0])
}

// inNetwork says whether an interface of a VM is in the network of another interface, as far as names tell.
func inNetwork(nic machine.NIC, vm proxmox.ObservedVM, index int) bool {
	devices := vm.Spec.ForProvider.NetworkDevice
	if index >= len(devices) {
		return false
	}

	vlan := int64(0)
	if tag := devices[index].VLANID; tag != nil {
		vlan = *tag
	}

	return devices[index].Bridge == nic.Bridge && vlan == nic.VLAN
}
