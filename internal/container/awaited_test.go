package container

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestAwaitedAddresses: a container reserves the addresses that wait for its restart, and no other ones.
func TestAwaitedAddresses(t *testing.T) {
	elsewhere := func(c *machine.Container) { c.NICs[0].IPv4.Address = "192.168.4.60" }
	adopted := func(o *proxmox.ObservedContainer) {
		annotated(o, map[string]string{proxmox.AdoptedAnnotation: "true"})
	}

	cases := map[string]struct {
		reason string
		claim  func(*machine.Container)
		has    func(*proxmox.ObservedContainer)
		want   string
	}{
		"Same":     {reason: "A container at rest has nothing to remember."},
		"Edited":   {reason: "Its address waits for a restart.", claim: elsewhere, want: "192.168.4.60"},
		"Gateway":  {reason: "The address stays.", claim: func(c *machine.Container) { c.NICs[0].IPv4.Gateway = "192.168.4.254" }},
		"DHCP":     {reason: "Nobody knows which address it gets.", claim: func(c *machine.Container) { c.NICs[0].IPv4 = machine.Addressing{Method: machine.MethodDHCP} }},
		"Adopted":  {reason: "An adopted container keeps its own: the other one is refused, and nobody's.", claim: elsewhere, has: adopted},
		"Stopped":  {reason: "What is off takes it at once.", claim: func(c *machine.Container) { elsewhere(c); c.Power = "Stopped" }, has: off},
		"Restarts": {reason: "It is written with the restart.", claim: func(c *machine.Container) { elsewhere(c); c.Lifecycle.Reboot = "1" }},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := living(aContainer(nil), tc.has)
			p := Decide(request(aContainer(tc.claim), map[string]proxmox.ObservedContainer{replacement.First: o}))

			if got := rendered(Render(p)).Metadata.Annotations[proxmox.ReservedAddressAnnotation]; got != tc.want {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// off is a container that was stopped.
func off(o *proxmox.ObservedContainer) {
	o.Spec.ForProvider.Started, o.Status.AtProvider.Started = false, false
	o.Status.AtProvider.Parameters.Started = false
}
