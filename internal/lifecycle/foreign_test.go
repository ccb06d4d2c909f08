package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestForeignAddresses(t *testing.T) {
	const (
		mac  = "BC:24:11:00:00:53"
		both = "10.7.0.53@vmbr0/30,BC-24-11-00-00-53@vmbr0/30"
	)

	nics := []machine.NIC{{Bridge: "vmbr0", VLAN: 30}}
	ip, card := machine.Address{Kind: "ipv4", Value: "10.7.0.53"}, machine.Address{Kind: "mac", Value: mac}
	vlan := int64(30)

	of := func(namespace string, edit func(*proxmox.ObservedVM)) Neighbours {
		return Neighbours{VMs: []proxmox.ObservedVM{pooledVM("theirs", func(vm *proxmox.ObservedVM) {
			vm.Metadata.Labels = map[string]string{proxmox.NamespaceLabel: namespace, proxmox.IPv4Label: "10.7.0.53", proxmox.MACLabel: "BC-24-11-00-00-53"}
			vm.Spec.ForProvider.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0", VLANID: &vlan}}
			edit(vm)
		})}}
	}

	var c proxmox.ObservedContainer

	c.Metadata.Labels = map[string]string{proxmox.NamespaceLabel: "shop"}
	c.Spec.ForProvider.NetworkInterface = []proxmox.ContainerNIC{{Bridge: "vmbr0", VLANID: 30, MACAddress: "bc:24:11:00:00:53"}}
	c.Spec.ForProvider.Initialization = []proxmox.ContainerInit{{IPConfig: []proxmox.IPConfig{{IPv4: []proxmox.IPAddress{{Address: "10.7.0.53/24"}}}}}}

	container := Neighbours{Containers: []proxmox.ObservedContainer{c}}

	leased := c
	leased.Spec.ForProvider.NetworkInterface = []proxmox.ContainerNIC{{Name: "eth0", Bridge: "vmbr0", VLANID: 30}}
	leased.Spec.ForProvider.Initialization = nil
	leased.Status.AtProvider.IPv4 = map[string]string{"eth0": "10.7.0.53/24"}

	awaiting := leased
	awaiting.Metadata.Annotations = map[string]string{proxmox.ReservedAddressAnnotation: "10.7.0.52,10.7.0.53"}

	waits := func(since string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) {
			vm.Spec.ManagementPolicies, vm.Metadata.CreationTimestamp = []string{"Observe"}, since
		}
	}
	brings := func(created, annotation string) proxmox.ObservedMetadata {
		return proxmox.ObservedMetadata{Name: "vm", CreationTimestamp: created, Metadata: proxmox.Metadata{Annotations: map[string]string{proxmox.BringsAnnotation: annotation}}}
	}
	announces := func(created, annotation string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) {
			vm.Metadata.Labels = map[string]string{proxmox.NamespaceLabel: "shop"}
			vm.Metadata.CreationTimestamp, vm.Metadata.Annotations = created, brings(created, annotation).Annotations
		}
	}
	nobody, self := Newcomer{}, of("team-b", waits("2026-01-02T00:00:00Z")).VMs[0]
	ours := Newcomer{Roles: Roles{Active: FirstVM}, Observed: proxmox.State{VMs: map[string]proxmox.ObservedVM{FirstVM: self}}}

	var none proxmox.ObservedMetadata

	cases := map[string]struct {
		reason string
		all    Neighbours
		own    Newcomer
		to     proxmox.ObservedMetadata // What exists and is edited; zero for a new machine.
		want   []machine.Address
	}{
		"Theirs":     {"A VM of another tenant has both.", of("shop", func(*proxmox.ObservedVM) {}), nobody, none, []machine.Address{ip, card}},
		"Nobodys":    {"What is in no namespace is the platform's.", of("", func(*proxmox.ObservedVM) {}), nobody, none, []machine.Address{ip, card}},
		"OurTenant":  {"The tenant has the address itself.", of("team-b", func(*proxmox.ObservedVM) {}), nobody, none, nil},
		"WaitsFirst": {"Nobody has seen that we are to have them.", of("shop", waits("2026-01-03T00:00:00Z")), nobody, none, []machine.Address{ip, card}},
		"BeforeUs":   {"A VM of another tenant was to have them before.", of("shop", waits("2026-01-01T00:00:00Z")), ours, none, []machine.Address{ip, card}},
		"AfterUs":    {"Two that wait would wait for ever.", of("shop", waits("2026-01-03T00:00:00Z")), ours, none, nil},
		"Look": {"A container of another tenant was to have them before.", of("shop", func(vm *proxmox.ObservedVM) {
			waits("2026-01-01T00:00:00Z")(vm)
			vm.Spec.ForProvider.NetworkDevice = nil
			vm.Metadata.Annotations = map[string]string{proxmox.NetworksAnnotation: "vmbr0/30"}
		}), ours, none, []machine.Address{ip, card}},
		"LookElsewhere": {"So it was, in another network.", of("shop", func(vm *proxmox.ObservedVM) {
			waits("2026-01-01T00:00:00Z")(vm)
			vm.Spec.ForProvider.NetworkDevice = nil
			vm.Metadata.Annotations = map[string]string{proxmox.NetworksAnnotation: "vmbr0/0,vmbr1/30"}
		}), ours, none, nil},
		"Network": {"Another network has the same addresses.", of("shop", func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.NetworkDevice[0].Bridge = "vmbr1" }), nobody, none, nil},
		"Proxmox": {"So has another Proxmox.", of("shop", func(vm *proxmox.ObservedVM) { vm.Spec.ProviderConfigRef.Name = "other" }), nobody, none, nil},
		"Second": {"It has them on its second interface.", of("shop", func(vm *proxmox.ObservedVM) {
			vm.Metadata.Labels = map[string]string{proxmox.NamespaceLabel: "shop", proxmox.AddressLabel("ipv4", 1): "10.7.0.53"}
			vm.Spec.ForProvider.NetworkDevice = append([]proxmox.NetworkDevice{{Bridge: "vmbr9"}}, vm.Spec.ForProvider.NetworkDevice...)
		}), nobody, none, []machine.Address{ip}},
		"MadeUp": {"Proxmox made the MAC address up.", of("shop", func(vm *proxmox.ObservedVM) {
			vm.Metadata.Labels = map[string]string{proxmox.NamespaceLabel: "shop"}
			vm.Spec.ForProvider.NetworkDevice[0].MACAddress = mac
		}), nobody, none, []machine.Address{card}},
		"Container": {"A container has both.", container, nobody, none, []machine.Address{ip, card}},
		"Leased":    {"A container reports an address that nobody wrote for it: its root chooses it.", Neighbours{Containers: []proxmox.ObservedContainer{leased}}, nobody, none, nil},
		"Awaiting":  {"An address that is written when the container restarts.", Neighbours{Containers: []proxmox.ObservedContainer{awaiting}}, nobody, none, []machine.Address{ip}},
		"Announced": {
			"An edit of another tenant has announced an address.", of("shop", announces("2026-01-03T00:00:00Z", "10.7.0.53@vmbr0/30")), nobody,
			brings("2026-01-01T00:00:00Z", ""),
			[]machine.Address{ip},
		},
		"AnnouncedByBoth": {
			"The other one is older.", of("shop", announces("2026-01-01T00:00:00Z", both)), nobody, brings("2026-01-03T00:00:00Z", both), []machine.Address{ip, card},
		},
		"AnnouncedByBothAndOlder": {
			"The other one waits.", of("shop", announces("2026-01-03T00:00:00Z", both)), nobody, brings("2026-01-01T00:00:00Z", both), nil,
		},
		"AnnouncedElsewhere": {
			"In another network.", of("shop", announces("2026-01-01T00:00:00Z", "10.7.0.53@vmbr0/0,10.7.0.53@vmbr1/30")), nobody, brings("2026-01-03T00:00:00Z", both), nil,
		},
		"AnnouncedByOurs": {
			"The tenant's own machines are told in another way.", of("team-b", func(vm *proxmox.ObservedVM) {
				announces("2026-01-01T00:00:00Z", both)(vm)
				vm.Metadata.Labels[proxmox.NamespaceLabel] = "team-b"
			}), nobody, brings("2026-01-03T00:00:00Z", both), nil,
		},
		"AnnouncedToANewOne": {"An edit yields to a new machine.", of("shop", announces("2026-01-01T00:00:00Z", both)), ours, none, nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			owner := Owner{Composite: "self"}
			if len(tc.all.VMs) > 0 {
				owner.ProviderConfigRef = pooledVM("", func(*proxmox.ObservedVM) {}).Spec.ProviderConfigRef
			}

			got := owner.ForeignAddresses(Bringing{NICs: nics, Addresses: []machine.Address{ip, card}, To: tc.to}, tc.all, tc.own, func(namespace string) bool { return namespace != "team-b" })
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nForeignAddresses(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAddressesBroughtIn: an address is brought in by who does not have it in the network in which it is to be.
func TestAddressesBroughtIn(t *testing.T) {
	vlan := int64(30)
	vm := pooledVM("vm", func(vm *proxmox.ObservedVM) {
		vm.Metadata.Labels = map[string]string{proxmox.IPv4Label: "10.7.0.53"}
		vm.Spec.ForProvider.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0", VLANID: &vlan}}
	})

	var c proxmox.ObservedContainer

	c.Spec.ForProvider.NetworkInterface = []proxmox.ContainerNIC{{Name: "eth0", Bridge: "vmbr0", VLANID: 30}}
	c.Spec.ForProvider.Initialization = []proxmox.ContainerInit{{IPConfig: []proxmox.IPConfig{{IPv4: []proxmox.IPAddress{{Address: "10.7.0.53/24"}}}}}}

	leased := c
	leased.Spec.ForProvider.Initialization = nil
	leased.Status.AtProvider.IPv4 = map[string]string{"eth0": "10.7.0.54/24"}

	cases := map[string]struct {
		reason, ip string
		nic        machine.NIC
		lease      bool // Whether the container has DHCP, and reports an address.
		want       bool
	}{
		"Has":     {reason: "It has the address there.", ip: "10.7.0.53", nic: machine.NIC{Bridge: "vmbr0", VLAN: 30}},
		"Another": {reason: "It has another one.", ip: "10.7.0.54", nic: machine.NIC{Bridge: "vmbr0", VLAN: 30}, want: true},
		"VLAN":    {reason: "It comes to another VLAN with it.", ip: "10.7.0.53", nic: machine.NIC{Bridge: "vmbr0"}, want: true},
		"Bridge":  {reason: "It comes to another bridge with it.", ip: "10.7.0.53", nic: machine.NIC{Bridge: "vmbr1", VLAN: 30}, want: true},
		"Leased":  {reason: "A container reports it, and nobody wrote it.", ip: "10.7.0.54", nic: machine.NIC{Bridge: "vmbr0", VLAN: 30}, lease: true, want: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.nic.IPv4 = machine.Addressing{Method: machine.MethodStatic, Address: tc.ip}
			m := &machine.Machine{NICs: []machine.NIC{tc.nic}}

			has := c
			if tc.lease {
				has = leased
			} else if got := len(AddressesBroughtIn(m, map[string]proxmox.ObservedVM{"vm": vm})) > 0; got != tc.want {
				t.Errorf("%s AddressesBroughtIn(...): want %t, got %t", tc.reason, tc.want, got)
			}

			if got := len(AddressesContainerBringsIn(m, map[string]proxmox.ObservedContainer{"container": has})) > 0; got != tc.want {
				t.Errorf("%s AddressesContainerBringsIn(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
