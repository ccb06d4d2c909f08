package container

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// storage10 is a further interface of a claim.
func storage10() machine.NIC {
	return machine.NIC{
		Bridge: "vmbr1", VLAN: 30, MTU: 9000, Firewall: new(true), IPv4: machine.Addressing{Method: machine.MethodStatic, Address: "10.30.0.5", Prefix: 24},
	}
}

// withStorage10 is a container with this interface, as the provider reports it.
func withStorage10(p *proxmox.ContainerParameters) {
	p.NetworkInterface = append(p.NetworkInterface, proxmox.ContainerNIC{
		Name: "eth1", Bridge: "vmbr1", VLANID: 30, MTU: 9000, Firewall: true, MACAddress: "BC:24:11:00:00:97",
	})
	p.Initialization[0].IPConfig = append(p.Initialization[0].IPConfig, proxmox.IPConfig{IPv4: []proxmox.IPAddress{{Address: "10.30.0.5/24"}}})
}

// TestInterfaces holds that each interface has its addresses at its own place: the provider leaves out what has none, and pairs the rest.
func TestInterfaces(t *testing.T) {
	c := aContainer(func(c *machine.Container) { c.NICs = append(c.NICs, machine.NIC{Bridge: "vmbr2"}, storage10()) })
	p := Describe(c, replacement.First)

	wantNICs := []proxmox.ContainerNIC{
		{Name: "eth0", Bridge: "vmbr0", VLANID: 20, Firewall: true}, {Name: "eth1", Bridge: "vmbr2"}, {Name: "eth2", Bridge: "vmbr1", VLANID: 30, Firewall: true, MTU: 9000},
	}
	wantAddresses := []proxmox.IPConfig{
		{IPv4: []proxmox.IPAddress{{Address: "192.168.4.50/24", Gateway: "192.168.4.1"}}},
		{IPv4: []proxmox.IPAddress{{Address: "manual"}}},
		{IPv4: []proxmox.IPAddress{{Address: "10.30.0.5/24"}}},
	}

	if diff := cmp.Diff(wantNICs, p.NetworkInterface); diff != "" {
		t.Errorf("interfaces: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(wantAddresses, p.Initialization[0].IPConfig); diff != "" {
		t.Errorf("addresses: -want, +got:\n%s", diff)
	}
}

// TestInterfacesGo follows whose a container's further interfaces are: those of its claim go when the claim has none, those that somebody added stay.
func TestInterfacesGo(t *testing.T) {
	two := func(c *machine.Container) { c.NICs = append(c.NICs, storage10()) }
	add := func(o *proxmox.ObservedContainer) { withStorage10(&o.Status.AtProvider.Parameters.ContainerParameters) }
	mark := func(o *proxmox.ObservedContainer) {
		annotated(o, map[string]string{proxmox.InterfacesAnnotation: "claim"})
	}
	all := func(edits ...func(*proxmox.ObservedContainer)) func(*proxmox.ObservedContainer) {
		return func(o *proxmox.ObservedContainer) {
			for _, e := range edits {
				e(o)
			}
		}
	}

	cases := map[string]struct {
		reason  string
		claim   func(*machine.Container)
		has     func(*proxmox.ObservedContainer)
		pending []change.Effect
		mark    string
	}{
		"One":       {reason: "A container with one interface has nothing to remember."},
		"ByHand":    {reason: "Somebody added an interface: it stays, and is not the claim's.", has: add},
		"Claimed":   {reason: "The claim names the interface that there is: it is the claim's from now on.", claim: two, has: add, mark: "claim"},
		"Requested": {reason: "An interface that waits for a restart is not there yet.", claim: two, pending: []change.Effect{Restart}},
		"Removed":   {reason: "The claim has none any more: its interface goes at the next restart.", has: all(add, mark), pending: []change.Effect{Restart}, mark: "claim"},
		"Gone":      {reason: "It is gone, and forgotten.", has: mark},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := aContainer(tc.claim)
			o := living(aContainer(nil), tc.has)

			p := Decide(request(m, map[string]proxmox.ObservedContainer{replacement.First: o}))

			var pending []change.Effect

			for _, c := range slices.Concat(p.Pending, p.Refused) {
				if c.Field == nicsField {
					pending = append(pending, c.Effect)
				}
			}

			if diff := cmp.Diff(tc.pending, pending); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if got := rendered(Render(p)).Metadata.Annotations[proxmox.InterfacesAnnotation]; got != tc.mark {
				t.Errorf("%s\nmark: want %q, got %q", tc.reason, tc.mark, got)
			}
		})
	}
}
