package resolve

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// TestTenancyTellsNoNames: a name that the catalogue does not have is refused as one that it has and the tenant may not use: with the tenant's own list, and no
// suggestion of what is beyond it.
func TestTenancyTellsNoNames(t *testing.T) {
	t.Parallel()

	const pool = "proxmox: {pool: team-b}"

	cases := map[string]struct{ reason, kind, spec, field, says, never string }{
		"Class":     {"Nearly a class of others.", "", "{" + pool + ", class: larg}", "spec.class", "is no class of tenant team-b", "large"},
		"Own":       {"Nearly the tenant's own.", "", "{" + pool + ", class: smal}", "spec.class", "did you mean small?", "large"},
		"Image":     {"Nearly a template.", "", "{" + pool + ", image: golde}", "spec.image", "is no image of tenant team-b", "golden"},
		"Tag":       {"As an image of containers.", "", `{` + pool + `, image: "ubuntu:24.04"}`, "spec.image", "is no image of tenant team-b", "ubuntu-24"},
		"Site":      {"Nearly a site.", "", "{proxmox: {pool: team-b, site: othe}}", "spec.proxmox.site", "is no site of tenant team-b", "other"},
		"Node":      {"Nearly a node.", "", "{proxmox: {pool: team-b, node: n3}}", "spec.proxmox.node", "is no node of tenant team-b", "n2"},
		"Bridge":    {"Nearly a bridge.", "", "{" + pool + ", nics: [{bridge: vmbr11, dhcp: true}]}", "spec.nics[0].bridge", "is no bridge of tenant team-b", "vmbr1,"},
		"Datastore": {"Nearly a datastore.", "", "{" + pool + ", disks: [{name: d, size: 1Gi, storage: slo}]}", "spec.disks[0].storage", "is no datastore of tenant team-b", "slow"},
		"PCI":       {"Nearly a device.", "", "{" + pool + ", devices: {pci: [{mapping: gpu1}]}, firmware: {machine: q35}}", "spec.devices.pci[0].mapping", "is no PCI device of tenant team-b", "gpu0"},
		"Group":     {"Nearly a security group.", "", "{" + pool + ", firewall: {allow: [{group: admin}]}}", "spec.firewall.allow[0].group", "is no security group of tenant team-b", "admins"},
		"IPSet":     {"Nearly an IP set, in either spelling.", "", "{" + pool + ", firewall: {allow: [{port: 22, from: +office}]}}", "spec.firewall.allow[0].from", `"+office": is no IP set of tenant team-b`, "offices"},
		"Alias":     {"Nearly an alias.", "", "{" + pool + ", firewall: {allow: [{port: 22, from: dc/na}]}}", "spec.firewall.allow[0].from", "is no alias of tenant team-b", "nas"},
		"USB":       {"A list that is left out hides nothing.", "", "{" + pool + ", devices: {usb: [{mapping: stic}]}}", "spec.devices.usb[0].mapping", "did you mean stick?", "tenant"},
		"Cluster":   {"Nearly a cluster.", claim.KindK3sNode, "{" + pool + ", k3s: {role: agent, cluster: wor}}", "spec.k3s.cluster", "is no cluster of tenant team-b", "work"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			kind := tc.kind
			if kind == "" {
				kind = kindMachine
			}

			_, errs := Claim(claimIn(t, "team-b", kind, tc.spec), divided(t, teamB), Existing{})

			said := ""

			for _, err := range errs {
				if err.Field == tc.field && strings.Contains(err.Error(), tc.says) {
					said = err.Error()
				}

				if strings.Contains(err.Detail, tc.never) {
					t.Errorf("%s\n%q is told: %v", tc.reason, tc.never, err)
				}
			}

			if said == "" {
				t.Errorf("%s\n%s: want %q, got %v", tc.reason, tc.field, tc.says, errs)
			}

			// Who is no tenant is helped as before.
			_, errs = Claim(claimIn(t, "", kind, tc.spec), divided(t, teamB), Existing{})
			for _, err := range errs {
				if strings.Contains(err.Error(), "team-b") {
					t.Errorf("%s\nthe platform is told of the tenant: %v", tc.reason, err)
				}
			}
		})
	}
}
