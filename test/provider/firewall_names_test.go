package provider

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestFirewallNames holds that rules which name what the datacenter's firewall has are written as meant, that their second plan is empty, that an edit changes
// them in place, and that they are finished without hands when somebody has created what Proxmox refused them for.
func TestFirewallNames(t *testing.T) {
	t.Parallel()

	for _, kind := range []string{"VM", "Container"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()

			l, c := guestOf(t, kind)
			named := map[string]any{"groups": []any{"web", "db"}, "ipSets": []any{"lan"}, "aliases": []any{"nas"}}

			if err := unstructured.SetNestedMap(l.catalogue.Object, named, "data", "sites", "lab", "firewall"); err != nil {
				t.Fatal(err)
			}

			c.Hasty = true
			l.settle(t, c)

			l.Simulator.SetSources("dc/nas")
			edit(t, c, `{firewall: {allow: [{group: web, comment: shop}, {port: 22, from: +lan, comment: SSH}, {port: 2049, from: dc/nas}]}}`)

			for range 6 {
				if _, err := c.Round(t.Context()); err != nil {
					t.Fatal(err)
				}

				if _, err := c.Poll(t.Context()); err != nil {
					t.Fatal(err)
				}
			}

			if got := l.rules(160); got != "tcp 2049 dc/nas; group web shop" {
				t.Errorf("refused: %s", got)
			}

			want(t, c, "ProviderHealthy", "False", "ConfigurationError", "does not have an IP set or an alias")

			l.Simulator.SetSources("dc/nas", "+dc/lan")

			for range 8 {
				if _, err := c.Round(t.Context()); err != nil {
					t.Fatal(err)
				}

				if _, err := c.Poll(t.Context()); err != nil {
					t.Fatal(err)
				}
			}

			check := func(what, rules string) {
				t.Helper()

				l.settle(t, c)

				if got := l.rules(160); got != rules {
					t.Errorf("%s: want rules\n%s, got\n%s", what, rules, got)
				}

				want(t, c, "FirewallApplied", "True", "Filtering", "")
				l.neverLockedOut(t, 160, what)
				without(t, l.poll(t, c), "/")
			}

			check("created", "tcp 22 +dc/lan SSH; tcp 2049 dc/nas; group web shop")

			edit(t, c, `{firewall: {allow: [{group: db}, {group: web, comment: shops}, {port: 22, from: +dc/lan}]}}`)
			check("edited", "tcp 22 +dc/lan; group db; group web shops")

			edit(t, c, `{firewall: {allow: [{group: web, comment: shops}, {port: 22}]}}`)
			check("removed", "tcp 22; group web shops")
		})
	}
}
