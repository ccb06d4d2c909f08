package resolve

import (
	"strings"
	"testing"
)

// TestNotShared: each fault of a datastore says what would be right.
func TestNotShared(t *testing.T) {
	cases := map[string]struct {
		reason, spec, catalogue, want string
	}{
		"NoSite": {
			reason: "Only a site has a list.", spec: `{proxmox: {node: pve}, ha: {enabled: true}}`, catalogue: `{}`,
			want: "and only sharedDatastores of a site in the catalogue says which ones do: name a site (proxmox.site, or defaults.site in the catalogue), or remove ha",
		},
		"NoList": {
			reason: "The site has none.", spec: `{proxmox: {site: home, node: pve}, ha: {enabled: true}}`, catalogue: `{sites: {home: {nodes: {pve: {}}}}}`,
			want: "and site 'home' has no sharedDatastores: list 'local-lvm' there, in the catalogue, if all nodes see it, or remove ha",
		},
		"NotListed": {
			reason: "It has others.", spec: `{proxmox: {site: home, node: pve}, ha: {enabled: true}}`, catalogue: `{sites: {home: {nodes: {pve: {}}, sharedDatastores: [nas, ceph]}}}`,
			want: "and 'local-lvm' is not among sharedDatastores of site 'home': it has nas, ceph. Use such a datastore, add the name to sharedDatastores in the catalogue if all nodes " +
				"see it, or remove ha",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Claim(aClaim(t, "Machine", tc.spec), aCatalog(t, tc.catalogue), Existing{})

			var got []string

			for _, err := range errs {
				if err.Field == "spec.ha.enabled" {
					got = append(got, err.Detail)
				}
			}

			if len(got) != 1 || !strings.HasSuffix(got[0], "all nodes of the site see, "+tc.want) {
				t.Errorf("%s\nwant one fault that ends in %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestHAOnFewNodes: one of two nodes has no quorum.
func TestHAOnFewNodes(t *testing.T) {
	for nodes, want := range map[string]string{
		"{pve1: {}}": "there is no other one that could start the VM", "{pve1: {}, pve2: {}}": "the other has no quorum", "{pve1: {}, pve2: {}, pve3: {}}": "",
	} {
		cat := "{sites: {home: {nodes: " + nodes + ", sharedDatastores: [ceph, local]}}}"

		m, errs := Claim(aClaim(t, "Machine", "{proxmox: {site: home, node: pve1, storage: ceph}, ha: {enabled: true}}"), aCatalog(t, cat), Existing{})
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}

		if got := strings.Join(m.Warnings, "\n"); !strings.Contains(got, want) || strings.Contains(got, "spec.ha") != (want != "") {
			t.Errorf("%s: want %q, got %s", nodes, want, got)
		}
	}
}
