package container

import (
	"fmt"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// EntriesOf are what a container that exists has, in the form of a catalogue's entries, as it was last written: a catalogue that lost one of them
// keeps no other field of the claim from taking effect.
func EntriesOf(o proxmox.ObservedContainer) *resolve.Entries {
	p, ref := o.Spec.ForProvider, o.Spec.ProviderConfigRef
	out := &resolve.Entries{Site: catalog.Site{Site: catalogue.Site{ProviderConfig: ref.Name, ProviderConfigKind: ref.Kind}}}

	out.Class.Memory = v1alpha1.Quantity(fmt.Sprintf("%dMi", p.MemoryMiB()))
	out.Class.Cores = 1

	if len(p.CPU) > 0 && p.CPU[0].Cores > 0 {
		out.Class.Cores = p.CPU[0].Cores
	}

	if n := size(p); n > 0 {
		out.Class.Disk = v1alpha1.Quantity(fmt.Sprintf("%dGi", n))
	}

	n := &out.Site.Network
	if len(p.NetworkInterface) > 0 {
		n.Bridge, n.VLAN = p.NetworkInterface[0].Bridge, p.NetworkInterface[0].VLANID
	}

	if len(p.Initialization) == 0 {
		return out
	}

	lifecycle.GuestNetwork(n, p.Initialization[0].DNS, p.Initialization[0].IPConfig)

	if a := p.Initialization[0].UserAccount; len(a) > 0 {
		out.Access = machine.Access{SSHAuthorizedKeys: a[0].Keys}
	}

	return out
}

// AddressOf is the fixed IPv4 address that was written for the first interface of a container; zero where it asks for one by DHCP, or where nobody knows
// which address is which interface's.
func AddressOf(o proxmox.ObservedContainer) resolve.Address {
	if p := o.Spec.ForProvider; paired(p) {
		return lifecycle.WrittenAddress(p.Initialization[0].IPConfig)
	}

	return resolve.Address{}
}
