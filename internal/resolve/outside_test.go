package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOutsideOfTheGateway: K3s does not start without a default route. A new node's address outside of the gateway's subnet is a fault, and so is one that an
// edit brings; a node that has such an address goes on with it.
func TestOutsideOfTheGateway(t *testing.T) {
	const (
		catalogue = `classes: {small: {cores: 1, memory: 2Gi, disk: 20Gi}}
clusters: {home: {server: "https://k3s:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}}}
images: {debian: {url: "https://x/y.qcow2", os: debian}}
defaults: {site: home, image: debian, class: small, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIVRyGQFJFGj6ZCDkHIZtgGyJ2VjpoyQkgTNvnjmTFqC a"]}
sites: {home: {nodes: {pve: {}}, network: {gateway: 192.168.4.1, cidr: 24}}}`
		agent = ", k3s: {cluster: home, role: agent}}"
		fault = `spec.network.ip: Invalid value: "10.30.0.5/24": is outside the subnet of gateway 192.168.4.1 (data.sites.home.network.gateway), and without a default ` +
			`route K3s does not start: take an address of 192.168.4.0/24, or set spec.network.gateway`
		warning = "spec.network.ip: 10.30.0.5/24 is outside the subnet of gateway 192.168.4.1 (data.sites.home.network.gateway), so the machine has no default route"
	)

	before := func(network string) Existing {
		applied := aClaim(t, kindNode, "{network: "+network+agent)
		return Existing{Node: "pve", Has: &Entries{}, Applied: &applied}
	}

	for name, tc := range map[string]struct {
		reason   string
		kind     string // A K3sNode unless it is said.
		spec     string
		existing Existing
		faults   []string
		warns    bool
	}{
		"New":         {reason: "It would never join.", spec: "{network: {ip: 10.30.0.5}" + agent, faults: []string{fault}},
		"Machine":     {reason: "A machine may do without.", kind: kindMachine, spec: "{network: {ip: 10.30.0.5}}", warns: true},
		"Inside":      {reason: "The site's gateway is the node's.", spec: "{network: {ip: 192.168.4.5}" + agent},
		"OwnGateway":  {reason: "It has one of its own.", spec: "{network: {ip: 10.30.0.5, gateway: 10.30.0.1}" + agent},
		"OfAnother":   {reason: "Another interface has one.", spec: "{network: {ip: 10.30.0.5}, nics: [{bridge: vmbr1, dhcp: true}]" + agent},
		"OfIPv6":      {reason: "IPv6 brings one.", spec: "{network: {ip: 10.30.0.5, ipv6: {auto: true}}" + agent, warns: true},
		"AddressSaid": {reason: "K3s looks for no route.", spec: "{network: {ip: 10.30.0.5}, k3s: {cluster: home, role: agent, config: {node-ip: 10.30.0.5}}}", warns: true},
		"Edited":      {reason: "The VM that would have it would not join.", spec: "{network: {ip: 10.30.0.5}" + agent, existing: before("{ip: 192.168.4.5}"), faults: []string{fault}},
		"FromDHCP":    {reason: "The same.", spec: "{network: {ip: 10.30.0.5}" + agent, existing: before("{dhcp: true}"), faults: []string{fault}},
		"Exists":      {reason: "It has the address, and somebody gave its guest a route.", spec: "{network: {ip: 10.30.0.5}" + agent, existing: before("{ip: 10.30.0.5}"), warns: true},
		"NeverReady":  {reason: "Nobody knows what the VM was made with.", spec: "{network: {ip: 10.30.0.5}" + agent, existing: Existing{Node: "pve", Has: &Entries{}}, warns: true},
	} {
		t.Run(name, func(t *testing.T) {
			kind := kindNode
			if tc.kind != "" {
				kind = tc.kind
			}

			m, errs := Claim(aClaim(t, kind, tc.spec), aCatalog(t, catalogue), tc.existing)

			var faults []string
			for _, err := range errs {
				faults = append(faults, err.Error())
			}

			if diff := cmp.Diff(tc.faults, faults); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if m != nil && strings.Contains(strings.Join(m.Warnings, "\n"), warning) != tc.warns {
				t.Errorf("%s\nwant the warning: %t, got %v", tc.reason, tc.warns, m.Warnings)
			}
		})
	}
}
