package lint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestBeside: claims that are right alone, and wrong beside another one.
func TestBeside(t *testing.T) {
	const (
		key  = "bootstrap: {sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cZ3m1H0f1l0a3mQ0k6r3Vn1bq8o4J9yM2s7u1xKzP]}\n"
		site = "apiVersion: homelab.io/v1alpha1\nkind: ProxmoxSite\nmetadata: {name: home, namespace: infra-machines}\nspec:\n  proxmox: {site: home}\n  nodes:\n" +
			"    pve1: {bridges: [{name: vmbr1, ports: [enp2s0]}, {name: vmbr2, ports: [enp3s0], mtu: 9000}]}\n    pve2: {bridges: [{name: vmbr2, ports: [enp3s0]}]}\n"
	)

	catalogue := []manifest.Raw{{File: "catalogue.yaml", Documents: manifest.RawDocuments([]byte(environment("defaults: {site: home}\nsites:\n  home:\n    nodes:\n" +
		"      pve1: {bridges: [vmbr0, vmbr1, vmbr2]}\n      pve2: {bridges: [vmbr0, vmbr1, vmbr2]}\n    network: {bridge: vmbr0, gateway: 192.168.4.1, cidr: 24}\n" +
		"clusters:\n  home: {server: \"https://192.168.4.40:6443\"}")))}}

	machine := func(place, network string) string {
		return aMachine("image: debian-13\nsize: {cores: 2, memory: 2Gi}\n" + key + "proxmox: " + place + "\nnetwork: " + network)
	}

	container := func(network string) string {
		return "apiVersion: homelab.io/v1alpha1\nkind: Container\nmetadata: {name: ct, namespace: infra-machines}\nspec:\n  image: local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst\n  features: {nesting: true}\n" +
			"  size: {cores: 1, memory: 512Mi, disk: 4Gi}\n  " + key + "  proxmox: {node: pve1, vmId: 150}\n" +
			"  network: " + network + "\n"
	}

	cluster := func(place string) string {
		return "apiVersion: homelab.io/v1alpha1\nkind: K3sCluster\nmetadata: {name: home, namespace: infra-machines}\nspec:\n  version: v1.33.6+k3s1\n  cluster: home\n  token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}\n  servers:\n    count: 3\n    image: debian-13\n    template:\n      size: {cores: 2, memory: 4Gi, disk: 20Gi}\n      " +
			key + "      proxmox: " + place + "\n      network: {bridge: vmbr1, mtu: 9000}\n  nodes: [{name: server-0, ip: 192.168.4.51}, {name: server-1, ip: 192.168.4.52}, {name: server-2, ip: 192.168.4.53}]\n"
	}

	node := func(name, ip, role, server, version string) string {
		return strings.Replace(aNode("image: debian-13\nsize: {cores: 2, memory: 4Gi}\n"+key+"proxmox: {node: pve1}\nnetwork: {ip: "+ip+"}\nk3s: {role: "+role+", server: \""+server+"\", version: "+
			version+", token: {file: /etc/token}}"), "agent-1", name, 1)
	}

	const lab, other = "https://192.168.4.200:6443", "https://192.168.4.201:6443"

	cases := map[string]struct {
		reason    string
		documents []string
		want      []string
	}{
		"MTU": {
			reason: "Proxmox does not start the VM, and says so at its next start.", documents: []string{site, machine("{node: pve1}", "{ip: 192.168.4.50, bridge: vmbr1, mtu: 9000}")},
			want: []string{"claims.yaml:18:51: warning: spec.network.mtu: 9000: bridge vmbr1 of node pve1 has an MTU of 1500 (ProxmoxSite home, claims.yaml), and Proxmox does not start a VM with a " +
				"larger one there: write 1, which takes the bridge's, or raise that of the bridge first"},
		},
		"MTUOfNIC": {
			reason: "Of any interface; where the function chooses the node, of any node.", documents: []string{site, machine("{}", "{ip: 192.168.4.50}\nnics: [{bridge: vmbr2, mtu: 8000}]")},
			want: []string{"claims.yaml:19:31: warning: spec.nics[0].mtu: 8000: bridge vmbr2 of node pve2 has an MTU of 1500 (ProxmoxSite home, claims.yaml), and Proxmox does not start a VM with a " +
				"larger one there: write 1, which takes the bridge's, or raise that of the bridge first"},
		},
		"MTUFits":    {reason: "The bridge is as wide.", documents: []string{site, machine("{node: pve1}", "{ip: 192.168.4.50, bridge: vmbr2, mtu: 9000}")}},
		"MTUOfIt":    {reason: "1 is the bridge's own.", documents: []string{site, machine("{node: pve1}", "{ip: 192.168.4.50, bridge: vmbr1, mtu: 1}")}},
		"MTUUnknown": {reason: "The ProxmoxSite does not make this bridge.", documents: []string{site, machine("{node: pve1}", "{ip: 192.168.4.50, mtu: 9000}")}},
		"MTUOfCluster": {
			reason: "Of the nodes of a cluster, each once.", documents: []string{site, cluster("{node: pve1}")},
			want: []string{"claims.yaml:24:37: warning: spec.servers.template.network.mtu: 9000: bridge vmbr1 of node pve1 has an MTU of 1500 (ProxmoxSite home, claims.yaml), and Proxmox does not start a VM with " +
				"a larger one there: write 1, which takes the bridge's, or raise that of the bridge first"},
		},
		"MTUOfContainer": {
			reason: "Proxmox starts no such container either (pve-container, update_lxc_config); 1 is no MTU of a container.", documents: []string{site, container("{ip: 192.168.4.50, bridge: vmbr1, mtu: 9000}")},
			want: []string{"claims.yaml:19:51: warning: spec.network.mtu: 9000: bridge vmbr1 of node pve1 has an MTU of 1500 (ProxmoxSite home, claims.yaml), and Proxmox does not start a container with a " +
				"larger one there: leave it out, which takes the bridge's, or raise that of the bridge first"},
		},
		"MTUOfContainerFits": {reason: "The bridge is as wide.", documents: []string{site, container("{ip: 192.168.4.50, bridge: vmbr2, mtu: 9000}")}},
		"EndpointOfAgent": {
			reason:    "Nothing answers at port 6443 of an agent.",
			documents: []string{node("a1", "192.168.4.61", "agent", lab, "v1.33.6+k3s1"), node("a2", "192.168.4.62", "agent", "https://192.168.4.61:6443", "v1.33.6+k3s1")},
			want: []string{"claims.yaml:21:30: warning: spec.k3s.server: \"https://192.168.4.61:6443\": an agent has this address (K3sNode a1, claims.yaml), and none has the API of " +
				"K3s: write that of a server, or one that leads to all of them"},
		},
		"EndpointOfOtherCluster": {
			reason: "A cluster has its own API.", documents: []string{
				strings.NewReplacer("bridge: vmbr1, mtu: 9000", "bridge: vmbr1").Replace(cluster("{node: pve1}")),
				strings.NewReplacer("name: home,", "name: lab,", "  cluster: home\n", "  endpoint: https://192.168.4.52:6443\n", "192.168.4.5", "192.168.4.7", "bridge: vmbr1, mtu: 9000", "bridge: vmbr1").Replace(cluster("{node: pve1}")),
			},
			want: []string{"claims.yaml:23:13: warning: spec.endpoint: \"https://192.168.4.52:6443\": a server of another cluster has this address (K3sCluster home, claims.yaml): write the " +
				"address of this one"},
		},
		"EndpointOfServer": {
			reason:    "A server answers.",
			documents: []string{node("s1", "192.168.4.61", "server", lab, "v1.33.6+k3s1"), node("a1", "192.168.4.62", "agent", "https://192.168.4.61:6443", "v1.33.6+k3s1")},
		},
		"EndpointOfMachine": {
			reason:    "A machine may be the load balancer.",
			documents: []string{machine("{node: pve1}", "{ip: 192.168.4.61}"), node("a1", "192.168.4.62", "agent", "https://192.168.4.61:6443", "v1.33.6+k3s1")},
		},
		"Servers": {
			reason:    "etcd and the API servers of two releases apart.",
			documents: []string{node("s1", "192.168.4.51", "server", lab, "v1.31.4+k3s1"), node("s2", "192.168.4.52", "server", lab, "v1.34.1+k3s1")},
			want: []string{"claims.yaml:21:70: warning: spec.k3s.version: v1.34.1+k3s1: s1 (claims.yaml) has v1.31.4+k3s1: servers of a cluster may be one minor release apart, during an upgrade: take the " +
				"same one, or upgrade the others first, one minor release after the other"},
		},
		"NewAgent": {
			reason:    "It does not join.",
			documents: []string{node("s1", "192.168.4.51", "server", lab, "v1.33.6+k3s1"), node("a1", "192.168.4.52", "agent", lab, "v1.34.1+k3s1")},
			want: []string{"claims.yaml:21:69: warning: spec.k3s.version: v1.34.1+k3s1: s1 (claims.yaml) has v1.33.6+k3s1: an agent must not be newer than a server of its cluster: upgrade the servers " +
				"first"},
		},
		"OldAgent": {
			reason:    "A kubelet may be three minor releases older, and not four.",
			documents: []string{node("s1", "192.168.4.51", "server", lab, "v1.35.1+k3s1"), node("a1", "192.168.4.52", "agent", lab, "v1.31.4+k3s1"), node("a2", "192.168.4.53", "agent", lab, "v1.32.4+k3s1")},
			want:      []string{"claims.yaml:21:69: warning: spec.k3s.version: v1.31.4+k3s1: s1 (claims.yaml) has v1.35.1+k3s1: an agent may be 3 minor releases older than its servers, and no more"},
		},
		"Upgrade": {
			reason:    "One server after the other.",
			documents: []string{node("s1", "192.168.4.51", "server", lab, "v1.33.6+k3s1"), node("s2", "192.168.4.52", "server", lab, "v1.34.1+k3s1"), node("a1", "192.168.4.53", "agent", lab, "v1.33.6+k3s1")},
		},
		"TwoClusters": {
			reason:    "They have nothing to do with each other.",
			documents: []string{node("s1", "192.168.4.51", "server", lab, "v1.31.4+k3s1"), node("s2", "192.168.4.52", "server", other, "v1.34.1+k3s1")},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			report := Check([]manifest.Raw{{File: "claims.yaml", Documents: manifest.RawDocuments([]byte(strings.Join(tc.documents, "---\n")))}}, catalogue, Options{})

			var got []string
			for _, f := range report.Faults {
				got = append(got, f.String())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
