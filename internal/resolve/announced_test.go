package resolve

import (
	"strings"
	"testing"
)

// TestAnnounces: a range of addresses for Services, in a manifest of the claim's user-data, has no address of a host.
func TestAnnounces(t *testing.T) {
	const (
		folder = "/var/lib/rancher/k3s/server/manifests/"
		says   = "a Service may get it, and two hosts answer then"
	)

	spec := func(file, addresses string) string {
		return "{network: {ip: 10.20.0.60}, k3s: {cluster: one, role: server, init: true}, bootstrap: {userData: \"#cloud-config\\nwrite_files:\\n- path: " + file +
			"\\n  content: |\\n    kind: IPAddressPool\\n    spec: {addresses: [" + addresses + "]}\\n\"}}"
	}

	cases := map[string]struct {
		reason, spec string
		have         Existing
		want         []string // Parts of the warnings; none: there is none.
	}{
		"Apart":    {reason: "The usual case.", spec: spec(folder+"metallb.yaml", "10.20.0.200-10.20.0.220")},
		"Own":      {reason: "The node's own.", spec: spec(folder+"metallb.yaml", "10.20.0.55-10.20.0.70"), want: []string{"has 10.20.0.60, which is spec.network.ip: " + says + ". Leave it out of the range 10.20.0.55-10.20.0.70."}},
		"Endpoint": {reason: "The cluster's endpoint.", spec: spec(folder+"metallb.yaml", "10.20.0.10/32"), want: []string{"has 10.20.0.10, which is data.clusters.one.server: " + says}},
		"Whole": {reason: "All of the network, with router and name server.", spec: spec(folder+"metallb.yaml", "10.20.0.0/24"), want: []string{
			"has 10.20.0.1, which is data.sites.lab.network.gateway: " + says, "has 10.20.0.53, which is data.sites.lab.network.dns[0]: " + says, "has 10.20.0.60", "has 10.20.0.10",
		}},
		"Elsewhere": {reason: "A file that K3s does not read.", spec: spec("/opt/metallb.yaml", "10.20.0.0/24")},
		"Lives":     {reason: "User-data is read once.", spec: spec(folder+"metallb.yaml", "10.20.0.0/24"), have: Existing{Node: "pve1"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			faults, warnings := resolved(t, "K3sNode", tc.spec, tc.have)
			if len(faults) > 0 {
				t.Fatalf("%s\nfaults: %v", tc.reason, faults)
			}

			for _, w := range tc.want {
				if !strings.Contains(warnings, w) {
					t.Errorf("%s\nno warning has %q: %s", tc.reason, w, warnings)
				}
			}

			if got := strings.Count(warnings, says); got != len(tc.want) {
				t.Errorf("%s\nwant %d warnings, got %d: %s", tc.reason, len(tc.want), got, warnings)
			}
		})
	}
}
