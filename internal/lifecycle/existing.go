package lifecycle

import (
	"cmp"
	"net/netip"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// Existing is what the described VM has already, and keeps. A VM that does not exist yet has nothing, also where the provider
// failed to create it: its node, its datastore and its size are the claim's.
func Existing(claimed *v1alpha1.Adopt, r Roles, vms map[string]proxmox.ObservedVM) resolve.Existing {
	name := r.Described()
	out := resolve.Existing{Adopting: Adopts(claimed, r, vms)}

	// A VM that is to replace another is the same member of its cluster.
	out.Member = resolve.MemberOf(vms[cmp.Or(r.Active, name)])

	if !Lives(vms, name) {
		if r.Candidate != "" {
			out.Address, out.MAC = fixedAddress(vms[r.Active]), cmp.Or(stableMAC(vms[r.Active]), proxmox.MACOf(vms[r.Active]))
		}

		return out
	}

	vm := vms[name]
	p := vm.Spec.ForProvider
	out.Node, out.ProviderConfig, out.Tenant = HostOf(vm), vm.Spec.ProviderConfigRef.Name, resolve.TenantTagged(p.Tags)

	if len(p.Disk) > 0 {
		out.DiskDatastore = p.Disk[0].DatastoreID
	}

	out.Has, out.Address = entriesOf(vm), fixedAddress(vm)

	if out.Member.Role != "" {
		out.NICs = nodeNICs(vm)
	}

	out.MAC = stableMAC(vm)

	if len(p.NetworkDevice) > 0 {
		out.MAC = cmp.Or(out.MAC, strings.ToUpper(p.NetworkDevice[0].MACAddress))
	}

	out.BuiltIn = proxmox.ReadBuiltIn(vm.Metadata.Annotations[proxmox.BuiltInAnnotation])
	out.Overrides = proxmox.ReadOverrides(vm.Metadata.Annotations[proxmox.OverridesAnnotation])
	out.FirewallDefault = vm.Metadata.Annotations[proxmox.FirewallDefaultAnnotation]

	return out
}

// fixedAddress is the IPv4 address of the first interface of a VM: the one that it has of its site's pool, else the one that was written for
// its guest; zero where the guest asks for one by DHCP.
func fixedAddress(vm proxmox.ObservedVM) resolve.Address {
	out, said := writtenAddress(vm), vm.Metadata.Annotations

	p, err := netip.ParsePrefix(said[proxmox.PoolAddressAnnotation])
	if err != nil {
		return out
	}

	if of := ipam.ParsePool(said[proxmox.AddressPoolAnnotation]); !of.IsZero() {
		return resolve.Address{IP: p.Addr().String(), Prefix: int64(p.Bits()), Gateway: said[proxmox.PoolGatewayAnnotation], Of: of}
	}

	if p.Addr().String() != out.IP {
		return resolve.Address{IP: p.Addr().String(), Prefix: int64(p.Bits())}
	}

	return out
}

// writtenAddress is the fixed IPv4 address that was written for the first interface of a VM.
func writtenAddress(vm proxmox.ObservedVM) resolve.Address {
	for _, drive := range vm.Spec.ForProvider.Initialization {
		if out := WrittenAddress(drive.IPConfig); out.IP != "" {
			return out
		}
	}

	return resolve.Address{}
}

// WrittenAddress is the fixed IPv4 address that was written for the first interface of a VM or a container; zero where there is none.
func WrittenAddress(interfaces []proxmox.IPConfig) resolve.Address {
	if len(interfaces) == 0 {
		return resolve.Address{}
	}

	for _, a := range interfaces[0].IPv4 {
		if p, err := netip.ParsePrefix(a.Address); err == nil && p.Addr().Is4() {
			return resolve.Address{IP: p.Addr().String(), Prefix: int64(p.Bits()), Gateway: a.Gateway}
		}
	}

	return resolve.Address{}
}

// stableMAC is the MAC address that a VM has because its claim asks, or asked, for one that lasts; empty where it has none.
func stableMAC(vm proxmox.ObservedVM) string {
	return vm.Metadata.Annotations[proxmox.StableMACAnnotation]
}

// nodeNICs are the addresses of a VM, by interface, as its guest got them at its first boot.
func nodeNICs(vm proxmox.ObservedVM) []resolve.NIC {
	var out []resolve.NIC

	reported := proxmox.GuestAddresses(vm)

	for _, drive := range vm.Spec.ForProvider.Initialization {
		for i, c := range drive.IPConfig {
			n := resolve.NIC{IPv4: addressing(c.IPv4), IPv6: addressing(c.IPv6)}
			if i < len(reported) {
				n.Reported = reported[i]
			}

			out = append(out, n)
		}
	}

	return out
}

// addressing that was written for an interface in one family.
func addressing(written []proxmox.IPAddress) machine.Addressing {
	if len(written) == 0 {
		return machine.Addressing{}
	}

	p, err := netip.ParsePrefix(written[0].Address)
	if err != nil {
		return machine.Addressing{Method: machine.Method(written[0].Address)}
	}

	return machine.Addressing{Method: machine.MethodStatic, Address: p.Addr().String(), Prefix: int64(p.Bits()), Gateway: written[0].Gateway}
}
