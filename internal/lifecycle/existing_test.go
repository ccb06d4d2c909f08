package lifecycle

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

func TestExisting(t *testing.T) {
	no := false
	entries := &resolve.Entries{Class: catalog.Class{Class: catalogue.Class{Disk: "30Gi"}}, Image: catalog.Image{Image: catalogue.Image{OS: "linux", CloudInit: &no, GuestAgent: &no}}}
	has := resolve.Existing{Node: "pve2", DiskDatastore: "tank", Has: entries}

	cases := map[string]struct {
		reason string
		vm     func(vm *proxmox.ObservedVM)
		want   resolve.Existing
	}{
		"JustWritten": {reason: "The VM may be in the making.", vm: func(*proxmox.ObservedVM) {}, want: has},
		"Moved": {
			reason: "Somebody migrated the VM: it is where the provider sees it.",
			vm: func(vm *proxmox.ObservedVM) {
				vm.Status.AtProvider.ID, vm.Status.AtProvider.NodeName = "153", "pve3"
			},
			want: resolve.Existing{Node: "pve3", DiskDatastore: "tank", Has: entries},
		},
		"Checked": {
			reason: "What the provider sees in a check of the VMID is another VM.",
			vm:     func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.ObserveOnly() },
		},
		"NotCreated": {
			reason: "The claim may name another node, and the boot disk has to be as large as the image once more.",
			vm: func(vm *proxmox.ObservedVM) {
				vm.Status.Conditions = []proxmox.Condition{
					{Type: "Ready", Status: "False", Reason: "Creating"}, {Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure"},
				}
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := proxmox.ObservedVM{}
			vm.Spec.ForProvider.NodeName, vm.Spec.ForProvider.Disk = "pve2", []proxmox.Disk{{DatastoreID: "tank", Size: 30}}
			tc.vm(&vm)

			if diff := cmp.Diff(tc.want, Existing(nil, Roles{Active: FirstVM}, vms{FirstVM: vm})); diff != "" {
				t.Errorf("%s\nExisting(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestExistingAddress: the address and the MAC address that a VM keeps are those that were written, and that of a pool comes before what its guest was told.
func TestExistingAddress(t *testing.T) {
	of := resolve.Address{IP: "192.168.4.50", Prefix: 24, Gateway: "192.168.4.1"}
	vm := proxmox.ObservedVM{}
	vm.Spec.ForProvider.Initialization = []proxmox.Initialization{{IPConfig: []proxmox.IPConfig{{IPv4: []proxmox.IPAddress{{Address: "192.168.4.50/24", Gateway: "192.168.4.1"}}}}}}
	vm.Spec.ForProvider.NetworkDevice = []proxmox.NetworkDevice{{MACAddress: "bc:24:11:00:00:53"}}

	with := func(key, value string) proxmox.ObservedVM {
		out := vm
		out.Metadata.Annotations = map[string]string{key: value}

		return out
	}
	dynamic := vm
	dynamic.Spec.ForProvider.Initialization = []proxmox.Initialization{{IPConfig: []proxmox.IPConfig{{IPv4: []proxmox.IPAddress{{Address: "dhcp"}}}}}}

	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		want   resolve.Existing
	}{
		"Written":  {"It keeps both.", vm, resolve.Existing{Address: of, MAC: "BC:24:11:00:00:53"}},
		"Stable":   {"The claim asked for one that lasts.", with(proxmox.StableMACAnnotation, "BC:24:11:00:00:99"), resolve.Existing{Address: of, MAC: "BC:24:11:00:00:99"}},
		"Pool":     {"Its pool gave it another one since.", with(proxmox.PoolAddressAnnotation, "192.168.4.70/24"), resolve.Existing{Address: resolve.Address{IP: "192.168.4.70", Prefix: 24}, MAC: "BC:24:11:00:00:53"}},
		"SamePool": {"Its pool gave it the one that was written.", with(proxmox.PoolAddressAnnotation, "192.168.4.50/24"), resolve.Existing{Address: of, MAC: "BC:24:11:00:00:53"}},
		"DHCP":     {"Nobody wrote one.", dynamic, resolve.Existing{MAC: "BC:24:11:00:00:53"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Existing(nil, Roles{Active: FirstVM}, vms{FirstVM: tc.vm})
			if diff := cmp.Diff(tc.want, resolve.Existing{Address: got.Address, MAC: got.MAC}); diff != "" {
				t.Errorf("%s\nof the VM: -want, +got:\n%s", tc.reason, diff)
			}

			next := Existing(nil, Roles{Active: FirstVM, Candidate: "vm-2"}, vms{FirstVM: tc.vm})
			if diff := cmp.Diff(tc.want, resolve.Existing{Address: next.Address, MAC: next.MAC}); diff != "" {
				t.Errorf("%s\nof the one that replaces it: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNodeAddresses: a VM that is a node keeps the addresses that were written for its first boot, by interface, with those that its guest reports; a VM that
// is none keeps no addresses.
func TestNodeAddresses(t *testing.T) {
	vm := settledVM(guestReporting([]string{"10.0.0.60"}), func(vm *proxmox.ObservedVM) {
		vm.Metadata.Labels = map[string]string{proxmox.K3sRoleLabel: "server"}
		vm.Spec.ForProvider.Initialization = []proxmox.Initialization{{IPConfig: []proxmox.IPConfig{
			{IPv4: []proxmox.IPAddress{{Address: "10.0.0.60/24", Gateway: "10.0.0.1"}}, IPv6: []proxmox.IPAddress{{Address: "auto"}}},
			{IPv4: []proxmox.IPAddress{{Address: "dhcp"}}},
		}}}
	})
	noNode := vm
	noNode.Metadata.Labels = nil

	for name, tc := range map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		want   []resolve.NIC
	}{
		"Node": {"K3s knows a node by its address for good.", vm, []resolve.NIC{
			{
				IPv4: machine.Addressing{Method: machine.MethodStatic, Address: "10.0.0.60", Prefix: 24, Gateway: "10.0.0.1"}, IPv6: machine.Addressing{Method: machine.MethodAuto},
				Reported: []netip.Addr{netip.MustParseAddr("10.0.0.60")},
			},
			{IPv4: machine.Addressing{Method: machine.MethodDHCP}},
		}},
		"NoNode": {"Others follow their claim.", noNode, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := Existing(nil, Roles{Active: FirstVM}, vms{FirstVM: tc.vm}).NICs
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
