package examples

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/crds"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// firewallCRDs are the provider's CRDs of firewalls.
func firewallCRDs(t *testing.T) crds.Set {
	t.Helper()

	dir := filepath.Join("..", "..", "..", "shared", "other-crds")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the provider's CRDs are missing: %v", err)
		}

		t.Skipf("the provider's CRDs of firewalls are not here: %v", err)
	}

	set, err := crds.Load(filepath.Join(dir, "provider-proxmox-bpg-v1.18.0"))
	if err != nil {
		t.Fatal(err)
	}

	return set
}

// TestProviderAcceptsFirewalls holds the managed resources of a firewall, at any stage, against the provider's CRDs. An old provider gets none.
func TestProviderAcceptsFirewalls(t *testing.T) {
	set := firewallCRDs(t)

	for _, in := range world.Installations {
		if in.Name == "legacy" {
			continue
		}

		t.Run(in.Name, func(t *testing.T) {
			m := machine(t, fake.ExampleNamed(t, "nixos/dns01"), in)
			m.Catalogue = world.Object(world.Copy(m.Catalogue))
			world.Merge(world.Object(m.Catalogue["data"]), world.FromYAML(t, `sites: {home: {firewall: {groups: [web], ipSets: [lan]}}}`))
			world.Merge(m.Spec(), world.FromYAML(t, `firewall: {preset: ssh, log: info, allow: [{port: 443, from: 10.0.0.0/8, comment: "web ${x}"}, {port: 22, from: +lan}, {group: web, comment: shop}]}`))

			checked := map[any]bool{}
			check := func() {
				for range 8 {
					rsp := m.Call()

					for name := range rsp.GetDesired().GetResources() {
						d := world.Desired(rsp, name)
						if d["kind"] != world.FirewallOptionsKind && d["kind"] != world.FirewallRulesKind {
							continue
						}

						checked[d["kind"]] = true

						if errs := set.Check(d); len(errs) > 0 {
							t.Errorf("the provider refuses %s: %v", name, errs.ToAggregate())
						}

						spoilt := world.Object(world.Copy(d))
						world.Object(world.Object(spoilt["spec"])["forProvider"])["vmID"] = "1"

						if len(set.Check(spoilt)) == 0 {
							t.Errorf("a spoilt %s passes", name)
						}
					}

					m.Apply(rsp)
					m.Provide()
				}
			}

			check()
			delete(m.Spec(), "firewall")
			check()

			if len(checked) != 2 {
				t.Errorf("checked %v", checked)
			}
		})
	}
}
