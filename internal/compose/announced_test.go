package compose

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestAnnouncedOfServers: a range for Services has no address of another server.
func TestAnnouncedOfServers(t *testing.T) {
	const manifest = "#cloud-config\nwrite_files:\n- path: /var/lib/rancher/k3s/server/manifests/lb.yaml\n  content: |\n    "

	metallb := manifest + "kind: IPAddressPool\n    spec: {addresses: [10.0.0.8-10.0.0.9]}\n"

	cases := map[string]struct {
		reason, userData string
		servers          map[string]string
		observed         map[string]proxmox.ObservedVM
		alone            bool // The machine is no K3s node.
		want             []string
	}{
		"Apart":   {reason: "The usual case.", userData: metallb, servers: map[string]string{"s0": "10.0.0.7"}},
		"Unknown": {reason: "An address by DHCP that nobody has reported.", userData: metallb, servers: map[string]string{"s0": ""}},
		"Within": {
			reason: "Both answer.", userData: metallb, servers: map[string]string{"s0": "10.0.0.7", "s1": "10.0.0.8", "s2": "10.0.0.9"}, want: []string{
				"spec.bootstrap.userData: the IPAddressPool in /var/lib/rancher/k3s/server/manifests/lb.yaml has 10.0.0.8, which is the address of the cluster's server s1: " +
					"a Service may get it, and two hosts answer then. Leave it out of the range 10.0.0.8-10.0.0.9.",
				"spec.bootstrap.userData: the IPAddressPool in /var/lib/rancher/k3s/server/manifests/lb.yaml has 10.0.0.9, which is the address of the cluster's server s2: " +
					"a Service may get it, and two hosts answer then. Leave it out of the range 10.0.0.8-10.0.0.9.",
			},
		},
		"VirtualAddress": {
			reason:   "A server is no virtual address.",
			userData: manifest + "kind: Pod\n    spec: {containers: [{image: ghcr.io/kube-vip/kube-vip, env: [{name: address, value: 10.0.0.8}]}]}\n",
			servers:  map[string]string{"s1": "10.0.0.8"}, want: []string{
				"spec.bootstrap.userData: the Pod of kube-vip in /var/lib/rancher/k3s/server/manifests/lb.yaml has 10.0.0.8, which is the address of the cluster's server s1: " +
					"two hosts answer for it. Give the servers an address that nothing else has.",
			},
		},
		"Lives":      {reason: "User-data is read once.", userData: metallb, servers: map[string]string{"s1": "10.0.0.8"}, observed: map[string]proxmox.ObservedVM{"vm": {}}},
		"NoNode":     {reason: "Nobody reads the manifests.", userData: metallb, servers: map[string]string{"s1": "10.0.0.8"}, alone: true},
		"NoManifest": {reason: "Nothing is announced.", servers: map[string]string{"s1": "10.0.0.8"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &call{claim: claim.Claim{K3sNode: &v1alpha1.K3sNodeSpec{}}}
			c.claim.K3sNode.Bootstrap.UserData, c.facts.Observed.VMs = tc.userData, tc.observed

			for server, address := range tc.servers {
				vm := proxmox.ObservedVM{}
				vm.Spec.ForProvider.Name = server
				vm.Metadata.Labels = map[string]string{proxmox.AddressLabel("ipv4", 0): address}
				c.otherServerVMs = append(c.otherServerVMs, vm)
			}

			m := &machine.Machine{K3s: &machine.K3s{}}
			if tc.alone {
				m.K3s = nil
			}

			if diff := cmp.Diff(tc.want, announcedOfServers(c, m)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
