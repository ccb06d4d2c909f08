package change

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// interfaceValues appends one property of every network interface. The first one is the claim's network, the others its nics.
func interfaceValues(to []value, p proxmox.VMParameters, first, further string, words func(proxmox.NetworkDevice) string) []value {
	for i, d := range p.NetworkDevice {
		field := first
		if i > 0 {
			field = fmt.Sprintf("spec.nics[%d].%s", i-1, further)
		}

		to = append(to, value{field, words(d)})
	}

	return to
}

func bridges(to []value, p proxmox.VMParameters) []value {
	return interfaceValues(to, p, "spec.proxmox.bridge", "bridge", func(d proxmox.NetworkDevice) string { return d.Bridge })
}

// keepInterfaces: a bridge of another Proxmox cluster is none for the VM. And an interface is where its address is: if the address stays, so do bridge and
// VLAN. An edit that gives a node of K3s both would otherwise take it out of the network where its cluster, and etcd, know it.
func keepInterfaces(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	if c.OtherProxmox {
		to.NetworkDevice = made.NetworkDevice
		return
	}

	for i, stays := range c.AddressesStay {
		if stays && i < len(made.NetworkDevice) && i < len(to.NetworkDevice) {
			to.NetworkDevice[i].Bridge, to.NetworkDevice[i].VLANID = made.NetworkDevice[i].Bridge, made.NetworkDevice[i].VLANID
		}
	}
}

// StayConnected is a VM whose interfaces stay plugged as they were made: the provider unplugs an interface and plugs it in again for another bridge, VLAN, MAC
// address or MTU. What is new is plugged in, and takes nothing away, and a MAC address that nobody named is written down.
func StayConnected(vm, made proxmox.VMParameters) proxmox.VMParameters {
	devices := slices.Clone(made.NetworkDevice)

	for i, d := range vm.NetworkDevice {
		if i < len(devices) {
			has := devices[i]
			d.Bridge, d.VLANID, d.MTU, d.Model = has.Bridge, has.VLANID, has.MTU, has.Model
			d.MACAddress = cmp.Or(has.MACAddress, d.MACAddress)
			devices[i] = d
		} else {
			devices = append(devices, d)
		}
	}

	vm.NetworkDevice = devices

	return vm
}

// Replugs says whether a VM has interfaces that do not stay plugged as they were made.
func Replugs(vm, made proxmox.VMParameters) bool {
	return !reflect.DeepEqual(StayConnected(vm, made).NetworkDevice, vm.NetworkDevice)
}

func vlans(to []value, p proxmox.VMParameters) []value {
	return interfaceValues(to, p, "spec.proxmox.vlan", "vlan", func(d proxmox.NetworkDevice) string {
		if d.VLANID == nil || *d.VLANID == 0 {
			return ""
		}

		return strconv.FormatInt(*d.VLANID, 10)
	})
}

func macs(to []value, p proxmox.VMParameters) []value {
	return interfaceValues(to, p, "spec.network.mac", "mac", func(d proxmox.NetworkDevice) string { return d.MACAddress })
}

// keepMACs: cloud-init binds the addresses of an interface to its MAC address (netplan's match, networkd's [Match]) when it configures the guest. With another
// one a guest that reads its drive once is out of the network for good. What Proxmox reports already may be written down.
func keepMACs(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	if !ReadsDriveOnce(made) || c.Adopted {
		return
	}

	for i, has := range made.NetworkDevice {
		if i == len(to.NetworkDevice) {
			return
		}

		d := &to.NetworkDevice[i]
		if i >= len(c.NICs) || !strings.EqualFold(d.MACAddress, c.NICs[i].MACAddress) {
			d.MACAddress = has.MACAddress
		}
	}
}

func firewalls(to []value, p proxmox.VMParameters) []value {
	return interfaceValues(to, p, "spec.network.firewall", "firewall", func(d proxmox.NetworkDevice) string {
		return strconv.FormatBool(d.Firewall != nil && *d.Firewall)
	})
}

func mtus(to []value, p proxmox.VMParameters) []value {
	return interfaceValues(to, p, "spec.network.mtu", "mtu", func(d proxmox.NetworkDevice) string {
		if d.MTU == nil || *d.MTU == 0 {
			return ""
		}

		return strconv.FormatInt(*d.MTU, 10)
	})
}

// unsaidInterfaces: an interface keeps its model, and a MAC address that the claim no longer has. An adopted VM keeps its
// interfaces as they are as far as the claim does not name them.
func unsaidInterfaces(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	// An interface that an adopted VM does not have yet is behind no firewall, unless the claim says so.
	for i := len(made.NetworkDevice); i < len(to.NetworkDevice); i++ {
		if d := &to.NetworkDevice[i]; c.Adopted && d.Firewall == nil {
			d.Firewall = new(bool)
		}
	}

	for i, has := range made.NetworkDevice {
		if i == len(to.NetworkDevice) {
			if !c.Adopted {
				return
			}

			to.NetworkDevice = append(to.NetworkDevice, has)
		}

		d := &to.NetworkDevice[i]
		d.Model = has.Model

		if d.MACAddress == "" {
			d.MACAddress = has.MACAddress
		}

		if c.Adopted {
			unsaidInterface(d, has)
		}
	}
}

// unsaidInterface: an interface of an adopted VM keeps what the claim does not mention.
func unsaidInterface(d *proxmox.NetworkDevice, has proxmox.NetworkDevice) {
	d.Bridge = cmp.Or(d.Bridge, has.Bridge)
	d.VLANID = cmp.Or(d.VLANID, has.VLANID)
	d.Firewall = cmp.Or(d.Firewall, has.Firewall)
	d.MTU = cmp.Or(d.MTU, has.MTU)
}
