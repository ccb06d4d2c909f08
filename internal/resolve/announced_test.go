package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		"OfAnother": {
			reason: "Where another cluster is joined.", spec: strings.Replace(spec(folder+"metallb.yaml", "10.20.0.10/32"), "cluster: one", "cluster: two", 1),
			want: []string{"has 10.20.0.10, which is data.clusters.one.server: " + says},
		},
		"Below":     {reason: "K3s reads the folders below, too.", spec: spec(folder+"net/metallb.yaml", "10.20.0.60/32"), want: []string{"has 10.20.0.60, which is spec.network.ip: " + says}},
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

// TestAnnouncesOfPool: what a manifest announces is apart from the addresses that the site gives to machines.
func TestAnnouncesOfPool(t *testing.T) {
	const (
		pool = ", pool: 10.20.0.100-10.20.0.149}"
		says = "data.sites.lab.network.pool gives 10.20.0.100-10.20.0.149 to machines"
		lb   = "kind: IPAddressPool\\n    spec: {addresses: ["
		vip  = "kind: Pod\\n    spec: {containers: [{image: ghcr.io/kube-vip/kube-vip, env: [{name: address, value: "
	)

	of := func(manifest string) string {
		return "{network: {ip: 10.20.0.60}, k3s: {cluster: one, role: server, disable: [servicelb], init: true}, bootstrap: {userData: \"#cloud-config\\nwrite_files:\\n" +
			"- path: /var/lib/rancher/k3s/server/manifests/lb.yaml\\n  content: |\\n    " + manifest + "\\n\"}}"
	}

	cases := map[string]struct {
		reason, spec, pool, server string
		want                       []string // The warnings, of all that have the file's name.
	}{
		"Apart":  {reason: "The usual case.", spec: of(lb + "10.20.0.200-10.20.0.220]}"), pool: pool},
		"NoPool": {reason: "Nobody gives addresses.", spec: of(lb + "10.20.0.100-10.20.0.110]}"), pool: "}"},
		"Inside": {
			reason: "A Service and a machine may get one address.", spec: of(lb + "10.20.0.140-10.20.0.160]}"), pool: pool,
			want: []string{"the IPAddressPool in /var/lib/rancher/k3s/server/manifests/lb.yaml has 10.20.0.140-10.20.0.160, and " + says + ": a Service and a machine may get one address. Leave it out of one of the two."},
		},
		"IPv6":   {reason: "A pool has IPv4.", spec: of(lb + "'fd00::/120']}"), pool: pool},
		"Layer2": {reason: "Hosts of the network hear the node.", spec: of(lb + "10.20.0.200-10.20.0.220]}\\n    ---\\n    kind: L2Advertisement"), pool: "}"},
		"Routed": {reason: "Nothing says how it is announced.", spec: of(lb + "10.99.0.200-10.99.0.220]}"), pool: "}"},
		"Layer2Apart": {
			reason: "Nobody asks in the node's network.", spec: of(lb + "10.99.0.200-10.99.0.220]}\\n    ---\\n    kind: L2Advertisement"), pool: "}",
			want: []string{"the IPAddressPool in /var/lib/rancher/k3s/server/manifests/lb.yaml has 10.99.0.200-10.99.0.220, and the node is in 10.20.0.0/24: it answers for these addresses in its own network " +
				"alone, where nobody looks for them. Take addresses of that network, unless a router has theirs on the same link."},
		},
		"Layer2OfDHCP": {
			reason: "Nobody knows the network.", spec: strings.Replace(of(lb+"10.99.0.200-10.99.0.220]}\\n    ---\\n    kind: L2Advertisement"), "ip: 10.20.0.60", "dhcp: true", 1), pool: "}",
		},
		"VirtualOfPool": {
			reason: "The servers' address is one of those, too.", spec: of(vip + "10.20.0.120}]}]}"), pool: pool,
			want: []string{"the Pod of kube-vip in /var/lib/rancher/k3s/server/manifests/lb.yaml has 10.20.0.120, and " + says + ": the servers together and a machine may get one address. Leave it out of one of the two."},
		},
		"VirtualIsEndpoint": {reason: "The pool leaves the endpoint out.", spec: of(vip + "10.20.0.120}]}]}"), pool: pool, server: "10.20.0.120"},
		"VirtualIsByName":   {reason: "Nobody knows where the name leads.", spec: strings.Replace(of(vip+"10.20.0.121}]}]}"), "cluster: one", "cluster: two", 1), pool: "}"},
		"VirtualIsOther": {
			reason: "One of the two was edited alone.", spec: of(vip + "10.20.0.121}]}]}"), pool: "}",
			want: []string{"the Pod of kube-vip in /var/lib/rancher/k3s/server/manifests/lb.yaml has 10.20.0.121 for the servers, and nodes join at 10.20.0.10 (data.clusters.one.server): " +
				"unless a host or a load balancer has that address, write 10.20.0.121 in both."},
		},
		"VirtualIsNode": {
			reason: "A node is no virtual address.", spec: of(vip + "10.20.0.60}]}]}"), pool: pool,
			want: []string{"the Pod of kube-vip in /var/lib/rancher/k3s/server/manifests/lb.yaml has 10.20.0.60, which is spec.network.ip: two hosts answer for it. Give the servers an address that nothing else has."},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			catalogue := strings.Replace(identitiesCatalogue, ", domain: lab.example}", ", domain: lab.example"+tc.pool, 1)
			if tc.server != "" {
				catalogue = strings.ReplaceAll(catalogue, "10.20.0.10:", tc.server+":")
			}

			faults, warnings := resolvedWith(t, catalogue, "K3sNode", tc.spec, Existing{})
			if len(faults) > 0 {
				t.Fatalf("%s\nfaults: %v", tc.reason, faults)
			}

			var got []string

			for w := range strings.Lines(warnings) {
				if _, rest, ok := strings.Cut(strings.TrimSpace(w), "spec.bootstrap.userData: "); ok && strings.Contains(rest, "lb.yaml") {
					got = append(got, rest)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
