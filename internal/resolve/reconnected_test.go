package resolve

import (
	"strings"
	"testing"
)

// TestReconnected: a site with another connection is told from another site.
func TestReconnected(t *testing.T) {
	const at = "data.sites.lab.providerConfig"

	cases := map[string]struct {
		reason, has string
		was, says   string // proxmox.site of the claim as it was applied and as it is.
		other       string // The configuration of another site.
		want        string
	}{
		"New":          {reason: "There is no VM.", other: "first"},
		"Same":         {reason: "The usual case.", has: "second", other: "first"},
		"Renamed":      {reason: "No site has the VM's any more.", has: "first", other: "third", want: at},
		"OtherSite":    {reason: "The claim may have gone to another site.", has: "first", other: "first"},
		"RenamedHere":  {reason: "The claim names the site as before.", has: "first", was: "lab", says: "lab", other: "first", want: at},
		"LeftTheOther": {reason: "The claim names another site.", has: "first", was: "bare", says: "lab", other: "third"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			catalogue := strings.Replace(strings.Replace(identitiesCatalogue, "  lab:\n", "  lab:\n    providerConfig: second\n", 1), "bare: {", "bare: {providerConfig: "+tc.other+", ", 1)
			spec := "{network: {ip: 10.20.0.60}}"
			have := Existing{ProviderConfig: tc.has}

			if tc.has != "" {
				have.Node = "pve1"
			}

			if tc.was != "" {
				was := aClaim(t, "Machine", "{network: {ip: 10.20.0.60}, proxmox: {site: "+tc.was+"}}")
				have.Applied, spec = &was, "{network: {ip: 10.20.0.60}, proxmox: {site: "+tc.says+"}}"
			}

			m, faults := Claim(aClaim(t, "Machine", spec), aCatalog(t, catalogue), have)
			if len(faults) > 0 {
				t.Fatalf("%s\nfaults: %v", tc.reason, faults)
			}

			if got := m.Placement.Reconnected; got != tc.want {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
