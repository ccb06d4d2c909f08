package render

import (
	"fmt"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func networkDevices(nics []machine.NIC) []proxmox.NetworkDevice {
	out := make([]proxmox.NetworkDevice, 0, len(nics))

	for _, n := range nics {
		d := proxmox.NetworkDevice{Bridge: n.Bridge, Model: "virtio", MACAddress: n.MAC, Firewall: n.Firewall}
		if n.VLAN != 0 {
			d.VLANID = &n.VLAN
		}

		if n.MTU != 0 {
			d.MTU = &n.MTU
		}

		out = append(out, d)
	}

	return out
}

// initialization is the cloud-init drive; nil where the image does not read one.
func (d describer) initialization(ids proxmox.Initialization) []proxmox.Initialization {
	if d.r.Bootstrap.Mode == bootstrap.ModeNone {
		return nil
	}

	m := d.r.Machine
	i := ids
	i.DatastoreID = m.Placement.DiskDatastore
	i.Interface = machine.CloudInitInterface
	i.IPConfig = ipConfigs(m.NICs)

	if search := m.Search(); len(m.DNS) > 0 || search != "" {
		i.DNS = []proxmox.DNS{{Domain: search, Servers: m.DNS}}
	}

	// Proxmox makes an account in its own user-data only; another user-data replaces that as a whole.
	if d.r.Bootstrap.Mode == bootstrap.ModeNative && len(m.Access.SSHAuthorizedKeys) > 0 {
		i.UserAccount = []proxmox.UserAccount{{Username: m.Access.AdminUser, Keys: m.Access.SSHAuthorizedKeys}}
	}

	return []proxmox.Initialization{i}
}

// ipConfigs has one entry per interface, in their order, up to the last one that has an address.
func ipConfigs(nics []machine.NIC) []proxmox.IPConfig {
	var out []proxmox.IPConfig

	last := 0

	for i, n := range nics {
		c := proxmox.IPConfig{IPv4: Addresses(n.IPv4), IPv6: Addresses(n.IPv6)}
		if c.IPv4 != nil || c.IPv6 != nil {
			last = i + 1
		}

		out = append(out, c)
	}

	return out[:last]
}

// Addresses of a network interface of a VM or of a container, of one IP version; nil where it has none.
func Addresses(a machine.Addressing) []proxmox.IPAddress {
	switch a.Method {
	case machine.MethodDHCP, machine.MethodAuto:
		return []proxmox.IPAddress{{Address: string(a.Method)}}
	case machine.MethodStatic:
		return []proxmox.IPAddress{{Address: fmt.Sprintf("%s/%d", a.Address, a.Prefix), Gateway: a.Gateway}}
	case machine.MethodNone:
	}

	return nil
}
