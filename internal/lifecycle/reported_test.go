package lifecycle

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// guestReporting is what the guest agent says of the VM's interfaces: a list of addresses for each of them.
func guestReporting(nics ...[]string) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) {
		at := &vm.Status.AtProvider
		at.NetworkDevice, at.MACAddresses, at.IPv4Addresses = nil, nil, nil

		for i, addresses := range nics {
			mac := fmt.Sprintf("BC:24:11:00:00:%02X", i+1)
			at.NetworkDevice = append(at.NetworkDevice, proxmox.ObservedDevice{MACAddress: mac})
			at.MACAddresses = append(at.MACAddresses, strings.ToLower(mac))
			at.IPv4Addresses = append(at.IPv4Addresses, addresses)
		}
	}
}

// forged is a link that root in the guest made, with the MAC address of the VM's first interface.
func forged(addresses ...string) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) {
		at := &vm.Status.AtProvider
		at.MACAddresses, at.IPv4Addresses = append(at.MACAddresses, "bc:24:11:00:00:01"), append(at.IPv4Addresses, addresses)
	}
}

func givenAddresses(of ...string) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) {
		drive := proxmox.Initialization{}
		for _, a := range of {
			drive.IPConfig = append(drive.IPConfig, proxmox.IPConfig{IPv4: []proxmox.IPAddress{{Address: a}}})
		}

		vm.Spec.ForProvider.Initialization = []proxmox.Initialization{drive}
	}
}

func TestReportedBy(t *testing.T) {
	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		want   []string
	}{
		"Silent": {reason: "No agent answers.", vm: pooledVM("a")},
		"DHCP": {
			reason: "Nothing else says which address a DHCP server gave.", want: []string{"10.0.0.10"},
			vm: pooledVM("a", givenAddresses("dhcp"), guestReporting([]string{"10.0.0.10"})),
		},
		"NoCloudInit": {reason: "An adopted VM may have no drive of Proxmox.", vm: pooledVM("a", guestReporting([]string{"10.0.0.10"})), want: []string{"10.0.0.10"}},
		"DHCPAndMore": {
			reason: "What root adds to an interface is not the DHCP server's.", want: []string{"10.0.0.10"},
			vm: pooledVM("a", givenAddresses("dhcp"), guestReporting([]string{"10.0.0.10", "10.0.0.50", "10.0.0.51"})),
		},
		"DHCPOutside": {
			reason: "The first address counts, not the first one of a pool: IPAddresses are asked about one by one.", want: []string{"192.168.1.7"},
			vm: pooledVM("a", givenAddresses("dhcp"), guestReporting([]string{"192.168.1.7", "10.0.0.50"})),
		},
		"AnotherLink": {
			reason: "Links that root makes may have the MAC address of the interface.", want: []string{"10.0.0.10"},
			vm: pooledVM("a", givenAddresses("dhcp"), guestReporting([]string{"10.0.0.10"}), forged("10.0.0.50"), forged("10.0.0.51")),
		},
		"Bridge": {reason: "The address of an interface may be its bridge's.", vm: pooledVM("a", guestReporting(nil), forged("10.0.0.10")), want: []string{"10.0.0.10"}},
		"Interfaces": {
			reason: "Each interface has one.", want: []string{"10.0.0.10", "10.0.0.50"},
			vm: pooledVM("a", givenAddresses("dhcp", "dhcp"), guestReporting([]string{"10.0.0.10", "10.0.0.11"}, []string{"10.0.0.50", "10.0.0.51"})),
		},
		"Written":  {reason: "The VM's own address counts without the agent.", vm: pooledVM("a", givenAddresses("10.0.0.10/24"), guestReporting([]string{"10.0.0.10", "10.0.0.50"}))},
		"Labelled": {reason: "So does that of its claim.", vm: pooledVM("a", labelled(0, "10.0.0.10"), guestReporting([]string{"10.0.0.50"}))},
		"Pool": {
			reason: "And that of a pool.",
			vm: pooledVM("a", guestReporting([]string{"10.0.0.50"}), func(vm *proxmox.ObservedVM) {
				vm.Metadata.Annotations[proxmox.PoolAddressAnnotation] = "10.0.0.10/24"
			}),
		},
		"FixedAndDHCP": {
			reason: "The interfaces differ.", want: []string{"10.0.0.51"},
			vm: pooledVM("a", givenAddresses("10.0.0.10/24", "dhcp"), guestReporting([]string{"10.0.0.10", "10.0.0.50"}, []string{"10.0.0.51", "10.0.0.52"})),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, a := range reportedBy(tc.vm) {
				got = append(got, a.String())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nreportedBy(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReportsTakeNoPool: whatever the guests of some VMs report, they take at most as many addresses of a pool as the VMs have interfaces.
func TestReportsTakeNoPool(t *testing.T) {
	pool := &machine.AddressPool{Ranges: []machine.AddressRange{{From: netip.MustParseAddr("10.0.0.1"), To: netip.MustParseAddr("10.0.0.200")}}}
	r := Request{
		Machine: &machine.Machine{NICs: []machine.NIC{{IPv4: machine.Addressing{Method: machine.MethodStatic, Pool: pool}}}},
		Owner:   Owner{Composite: "self", ProviderConfigRef: proxmox.ProviderConfigRef{Name: "home"}},
		Roles:   Roles{Active: FirstVM}, Observed: proxmox.State{VMs: vms{}},
	}

	for vmCount := range 4 {
		for nics := 1; nics <= 3; nics++ {
			for reported := range 41 {
				var all []proxmox.ObservedVM

				next := 0
				lie := func() (out []string) {
					for range reported {
						next++
						out = append(out, fmt.Sprintf("10.0.0.%d", next%200+1))
					}

					return out
				}

				for i := range vmCount {
					lists := make([][]string, nics)
					for nic := range lists {
						lists[nic] = lie()
					}

					all = append(all, pooledVM(fmt.Sprintf("vm-%d", i), guestReporting(lists...), forged(lie()...)))
				}

				if got := PickAddress(r, Neighbours{VMs: all}); got.InUse > int64(vmCount*nics) || !got.Address.IsValid() {
					t.Errorf("%d VMs with %d interfaces that report %d addresses each take %d addresses of the pool", vmCount, nics, reported, got.InUse)
				}
			}
		}
	}
}
