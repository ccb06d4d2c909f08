package container

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestDropped: what a claim says no longer, and its container keeps, is told with the edit.
func TestDropped(t *testing.T) {
	object := func(name string, value any) map[string]any { return map[string]any{name: value} }

	cases := map[string]struct {
		reason  string
		was     v1alpha1.AppliedSpec
		is      map[string]any
		edit    func(*machine.Container)
		has     func(*proxmox.ObservedContainer)
		replace bool // Whether the container does not exist.
		want    []string
	}{
		"Protection": {
			reason: "Proxmox goes on to protect it.", was: object("proxmox", object("protection", true)), is: object("proxmox", object("node", "pve")),
			has:  func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters.Protection = new(true) },
			want: []string{"spec.proxmox.protection: the claim says it no longer. The container keeps true, and one that replaces it begins with false."},
		},
		"ProtectionOff": {
			reason: "It is off in either case.", was: object("proxmox", object("protection", false)), is: object("proxmox", object("node", "pve")),
			has: func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters.Protection = new(false) },
		},
		"NameServers": {
			reason: "The provider ignores that they go.", was: object("network", object("dns", []any{"192.168.4.1"})), is: object("network", object("ip", "192.168.4.50/24")),
			edit: func(c *machine.Container) { c.DNS = nil },
			want: []string{"spec.network.dns: the claim says it no longer. The container keeps 192.168.4.1, and one that replaces it begins without it."},
		},
		"NameServersOfTheSite": {
			reason: "It gets those of the site, as RebootPending says.", was: object("network", object("dns", []any{"192.168.4.9"})), is: object("network", object("ip", "192.168.4.50/24")),
		},
		"MAC": {
			reason: "Said once.", was: object("network", object("mac", "BC:24:11:00:00:96")), is: object("network", object("ip", "192.168.4.50/24")),
			has: func(o *proxmox.ObservedContainer) {
				o.Status.AtProvider.Parameters.NetworkInterface[0].MACAddress = "BC:24:11:00:00:96"
			},
			want: []string{"spec.network.mac: the claim says it no longer. The container keeps BC:24:11:00:00:96, and one that replaces it gets another one, which a reservation on a DHCP server does not know."},
		},
		"Keys": {
			reason: "No key is in a message.", was: object("bootstrap", object("sshAuthorizedKeys", []any{"ssh-ed25519 BBBB ops@home"})), is: map[string]any{},
			edit: func(c *machine.Container) { c.Access.SSHAuthorizedKeys, c.KeysUnsaid = nil, true },
			want: []string{"spec.bootstrap.sshAuthorizedKeys: the claim says it no longer. The container keeps those that it was created with, and one that replaces it begins with those of the catalogue."},
		},
		"Adopted": {
			reason: "It keeps what nothing says, and nothing replaces it.", was: object("notes", "dns of the house"), is: map[string]any{},
			edit: func(c *machine.Container) { c.KeepsOwn.Notes = true },
			has: func(o *proxmox.ObservedContainer) {
				annotated(o, map[string]string{proxmox.AdoptedAnnotation: "150"})
				o.Status.AtProvider.Parameters.Description = "dns of the house"
			},
			want: []string{"spec.notes: the claim says it no longer. The container keeps dns of the house."},
		},
		"Unknown": {reason: "Nobody knows what the claim said before.", is: map[string]any{}, edit: func(c *machine.Container) { c.DNS = nil }},
		"New":     {reason: "Nothing is there to keep it.", was: object("proxmox", object("protection", true)), is: map[string]any{}, replace: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			there := living(aContainer(nil), tc.has)

			observed := map[string]proxmox.ObservedContainer{replacement.First: there}
			if tc.replace {
				observed = nil
			}

			if diff := cmp.Diff(tc.want, Dropped(Decide(request(aContainer(tc.edit), observed)), tc.was, tc.is)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
