package behaviour

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestOneProxmoxIsOne: two tenants have a provider configuration each. Where the catalogue says that their sites are one Proxmox, what one has is compared with what the
// other one asks for, as if they had one configuration: VMIDs, adoption, templates, addresses and memory.
func TestOneProxmoxIsOne(t *testing.T) {
	t.Parallel()

	const claimed = "VMID 153 belongs to another claim of this Proxmox, in another namespace"

	cases := map[string]struct{ spec, memory, says string }{
		"Number":   {"{proxmox: {vmId: 153}}", "64Gi", claimed},
		"Adoption": {"{adopt: {vmId: 153}}", "64Gi", claimed},
		"Template": {`{image: "153"}`, "64Gi", "no image of the catalogue is template 153"},
		"Address":  {"{network: {ip: 192.168.4.53}}", "64Gi", "is that of another claim of this Proxmox, which is not of tenant team-b"},
		"Memory":   {"{}", "8Gi", "pve has 2 GiB left of 6 GiB"},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			t.Run(name+in.Name, func(t *testing.T) {
				t.Parallel()

				p := playedPair(t, in, "Machine", tc.spec)
				m := p.hostile
				m.Catalogue = world.Object(world.Copy(m.Catalogue))
				m.CopySite("home", "team-b")
				m.SetSite("team-b", "providerConfig", "team-b")

				for _, site := range []string{"home", "team-b"} {
					m.SetSite(site, "proxmox", "dc1")
					m.SetSite(site, "nodes", map[string]any{"pve": map[string]any{"memory": tc.memory, "bridges": []any{"vmbr0"}}})
				}

				placed := world.Object(m.Spec()["proxmox"])
				placed["site"] = "team-b"
				delete(placed, "node")

				for range 6 {
					m.try()
					p.victim.try()
				}

				if text := told(m.Call()); !strings.Contains(text, tc.says) {
					t.Errorf("%q is not in\n%s", tc.says, text)
				}

				p.unharmed(t, "made")
				m.did()
			})
		}
	}
}

// TestNotesSayWhose: the catalogue does not say that two configurations are one Proxmox. What a claim made there says in its notes whose it is, so that
// nobody else adopts it, or is told of it, until its claim lets it go.
func TestNotesSayWhose(t *testing.T) {
	t.Parallel()

	const claimed = "VMID 153 belongs to another claim of this Proxmox, in another namespace"

	cases := map[string]struct {
		reason, spec, says string
		rules, letGo       bool
	}{
		"Adopts":        {reason: "It is the other claim's.", spec: "{adopt: {vmId: 153}}", says: claimed},
		"Number":        {reason: "Its name and node are nobody else's.", spec: "{proxmox: {vmId: 153}}", says: claimed},
		"AdoptsByRules": {reason: "With tenants, too.", spec: "{adopt: {vmId: 153}}", says: claimed, rules: true},
		"LetGo":         {reason: "A claim under another namespace adopts what was let go.", spec: "{adopt: {vmId: 153}}", says: "VM 153 (`vaultdns`) on node pve can be adopted", letGo: true},
		"LetGoByRules":  {reason: "It stays the other tenant's.", spec: "{adopt: {vmId: 153}}", says: claimed, letGo: true, rules: true},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			t.Run(name+in.Name, func(t *testing.T) {
				t.Parallel()

				p := playedPair(t, in, "Machine", tc.spec)
				m := p.hostile
				m.Catalogue = world.Object(world.Copy(m.Catalogue))
				m.CopySite("home", "team-b")
				m.SetSite("team-b", "providerConfig", "team-b")
				world.Object(m.Spec()["proxmox"])["site"] = "team-b"

				if !tc.rules {
					p.victim.withTenancy(nil)
					m.withTenancy(nil)
				}

				if tc.letGo {
					world.Merge(p.victim.Spec(), world.FromYAML(t, "{deletionPolicy: Orphan, deletionProtection: false}"))
					p.victim.Settle()
					p.victim.Leave()
					p.victim.Provide()
				}

				for range 6 {
					m.try()
				}

				if text := told(m.Call()); !strings.Contains(text, tc.says) {
					t.Errorf("%s\n%q is not in\n%s", tc.reason, tc.says, text)
				}

				if !tc.letGo {
					m.Approve()
					p.unharmed(t, "made")
				}
			})
		}
	}
}
