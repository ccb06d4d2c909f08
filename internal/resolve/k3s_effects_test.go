package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestK3sEffects: what a new node's config and that of its cluster do outside of the node is checked before there is a VM.
func TestK3sEffects(t *testing.T) {
	const document = `
sites:
  home: {nodes: {pve: {}}, network: {gateway: 192.168.4.1, dns: [10.43.0.10], cidr: 24}}
  plain: {nodes: {pve: {}}, network: {gateway: 192.168.4.1, dns: [192.168.4.1], cidr: 24}}
clusters:
  home: {server: "https://192.168.4.210:6443", version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}}
  dual: {server: "https://10.8.0.9:6443", version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}, config: {cluster-cidr: "10.9.0.0/16,fd00:9::/56", service-cidr: "10.8.0.0/16,fd00:8::/112"}}
  cni: {server: "https://192.168.4.210:6443", version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}, config: {flannel-backend: none, disable-network-policy: true}}
  backend: {server: "https://192.168.4.210:6443", version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}, config: {flannel-backend: cilium, cluster-dns: 10.96.0.10}}
  bucket: {server: "https://192.168.4.210:6443", version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}, config: {etcd-s3-config-secret: s3}}
  images: {server: "https://192.168.4.210:6443", version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}, config: {embedded-registry: true}}
`

	const (
		stops   = ", and would stop answering when the network plugin starts: take an address outside of it, or, for a cluster that does not exist yet, set "
		pods    = "is inside 10.42.0.0/16, the network of the cluster's pods (K3s' default for cluster-cidr)" + stops + "cluster-cidr: 10.244.0.0/16 in data.clusters.home.config"
		service = "is inside 10.43.0.0/16, the network of the cluster's services (K3s' default for service-cidr)" + stops + "service-cidr: 10.245.0.0/16 in data.clusters.home.config"
	)

	node := func(site, network, k3s string) string {
		return `{proxmox: {site: ` + site + `, node: pve}, network: ` + network + `, k3s: {` + k3s + `}, bootstrap: {snippets: {vendorData: "local:snippets/token.yaml"}}}`
	}
	without := func(spec string) string {
		return strings.Replace(spec, `snippets: {vendorData: "local:snippets/token.yaml"}`, `report: Link`, 1)
	}

	const fine = `{ip: 192.168.4.53}`

	cases := map[string]struct {
		reason   string
		spec     string
		existing Existing
		want     []string
		warns    string
	}{
		"Argument": {
			reason: "K3s passes it on, and the kubelet does not start.", spec: node("plain", fine, `cluster: home, role: agent, config: {kubelet-arg: ["max-pods 200"]}`),
			want: []string{"spec.k3s.config[kubelet-arg]: Invalid value: item 1 must be name=value, such as max-pods=200 for the kubelet: K3s takes all of it for the name, and the program does not start"},
		},
		"ArgumentExisting": {
			reason: "Its K3s is installed.", spec: node("plain", fine, `cluster: home, role: agent, config: {kubelet-arg: ["max-pods 200"]}`), existing: Existing{Node: "pve"},
		},
		"Backend": {
			reason: "K3s does not start, and the catalogue says it; what contradicts something else is said beside it.", spec: node("plain", fine, "cluster: backend, role: server"),
			want: []string{
				"data.clusters.backend.config[flannel-backend]: Invalid value: must be vxlan, host-gw, wireguard-native or none: K3s does not start with others. For another network plugin, " +
					"such as Cilium or Calico, write none, and install the plugin",
				"data.clusters.backend.config[cluster-dns]: Invalid value: 10.96.0.10 is outside of 10.43.0.0/16 (service-cidr), where the Service of CoreDNS gets this address, so no pod could " +
					"resolve a name: take 10.43.0.10, or leave cluster-dns out. The name servers of the nodes are spec.network.dns",
			},
		},
		"Bucket": {
			reason: "The switch is another key.", spec: node("plain", fine, "cluster: bucket, role: server"),
			warns: "data.clusters.bucket.config[etcd-s3-config-secret]: has no effect on scheduled snapshots without etcd-s3: true",
		},
		"BackendOfServers": {reason: "An agent has none of these keys, and its servers say so.", spec: node("plain", fine, "cluster: backend, role: agent")},
		"BackendExisting":  {reason: "Its K3s is installed.", spec: node("plain", fine, "cluster: backend, role: server"), existing: Existing{Node: "pve"}},
		"Disable": {
			reason: "K3s passes over it.", spec: node("plain", fine, "cluster: home, role: server, disable: [traefik, network-policy]"),
			warns: "spec.k3s.disable: network-policy is no component that K3s deploys, so nothing is disabled: set disable-network-policy: true in config",
		},
		"Around": {
			reason: "Who checks labels reads the field.", spec: node("plain", fine, `cluster: home, role: agent, config: {kubelet-arg: ["node-labels=a=b"]}`),
			warns: "spec.k3s.config[kubelet-arg]: node-labels goes around what the function and other parts of the cluster read: set spec.k3s.labels",
		},
		"Registries": {
			reason: "K3s finds no image with such a name.", spec: strings.Replace(node("plain", fine, "cluster: home, role: agent"), "snippets:",
				`userData: "#cloud-config\nwrite_files:\n- {path: /etc/rancher/k3s/registries.yaml, content: 'mirrors: {\"https://r.lab\": {}}'}\n", snippets:`, 1),
			warns: "spec.bootstrap.userData: /etc/rancher/k3s/registries.yaml: mirrors[https://r.lab]: must be the registry as images name it",
		},
		"RegistriesEncoded": {
			reason: "Nobody reads it here.", spec: strings.Replace(node("plain", fine, "cluster: home, role: agent"), "snippets:",
				`userData: "#cloud-config\nwrite_files:\n- {path: /etc/rancher/k3s/registries.yaml, encoding: b64, content: bWlycm9y}\n", snippets:`, 1),
		},
		"NoFile": {
			reason: "K3s stops without it.", spec: without(node("plain", fine, `cluster: home, role: agent, config: {flannel-conf: /etc/flannel.json}`)),
			warns: "spec.k3s.config[flannel-conf]: /etc/flannel.json must be on the node when K3s starts",
		},
		"NoDocker": {
			reason: "K3s does not bring it.", spec: without(node("plain", fine, `cluster: home, role: agent, config: {docker: true}`)), warns: "spec.k3s.config[docker]: needs Docker",
		},
		"Fine": {reason: "Nothing overlaps.", spec: node("plain", fine, "cluster: home, role: agent")},
		"Pods": {
			reason: "Each address says where it was typed.", spec: node("plain", `{ip: 10.42.0.51, cidr: 23, gateway: 10.42.0.1}`, "cluster: home, role: agent"),
			want: []string{`spec.network.ip: Invalid value: "10.42.0.51": ` + pods, `spec.network.gateway: Invalid value: "10.42.0.1": ` + pods},
		},
		"External": {
			reason: "Others are told to reach the node there.", spec: node("plain", fine, "cluster: home, role: agent, config: {node-external-ip: '203.0.113.7, 10.42.0.7'}"),
			want: []string{`spec.k3s.config[node-external-ip]: Invalid value: "10.42.0.7": ` + pods},
		},
		"Services": {
			reason: "Services have a network, too, and the site's name server is in it.", spec: node("home", `{ip: 10.43.7.52, gateway: 10.43.7.1}`, "cluster: home, role: server"),
			want: []string{
				`spec.network.ip: Invalid value: "10.43.7.52": ` + service, `spec.network.gateway: Invalid value: "10.43.7.1": ` + service,
				`data.sites.home.network.dns[0]: Invalid value: "10.43.0.10": ` + service,
			},
		},
		"DualStack": {
			reason: "The cluster's own networks count, in both families, and so does its endpoint.",
			spec:   node("plain", `{ip: 10.42.0.51, gateway: 10.42.0.1, ipv6: {ip: "fd00:9::5", cidr: 64}}`, "cluster: dual, role: agent"),
			want: []string{
				`spec.network.ipv6.ip: Invalid value: "fd00:9::5": is inside fd00:9::/56, the network of the cluster's pods (cluster-cidr of data.clusters.dual.config)` + stops +
					"cluster-cidr: fd00:244::/56 in data.clusters.dual.config",
				`data.clusters.dual.server: Invalid value: "10.8.0.9": is inside 10.8.0.0/16, the network of the cluster's services (service-cidr of data.clusters.dual.config)` + stops +
					"service-cidr: 10.245.0.0/16 in data.clusters.dual.config",
			},
		},
		"OtherPlugin": {reason: "Its pods are where the plugin says.", spec: node("plain", `{ip: 10.42.0.51, gateway: 10.42.0.1}`, "cluster: cni, role: agent")},
		"Exists":      {reason: "An existing VM runs, and its claim goes on being obeyed.", spec: node("plain", `{ip: 10.42.0.51}`, "cluster: home, role: agent, version: v1.36.0+k3s1"), existing: Existing{Node: "pve"}},
		"NoCatalogue": {
			reason: "An agent does not know the networks of such a cluster.", spec: node("plain", `{ip: 10.42.0.51, gateway: 10.42.0.1}`, `clusterName: lab, server: "https://192.168.4.210:6443", version: v1.34.1+k3s1, role: agent, token: {file: /etc/rancher/k3s/token}`),
			warns: "spec.network.ip: 10.42.0.51 is inside 10.42.0.0/16, K3s' default for pods: where the cluster has no other cluster-cidr",
		},
		"NewerAgent": {
			reason: "It would not start.", spec: node("plain", fine, "cluster: home, role: agent, version: v1.36.0+k3s1"),
			want: []string{`spec.k3s.version: Invalid value: "v1.36.0+k3s1": an agent must not be newer than its servers, which have v1.34.1+k3s1 (data.clusters.home.version): ` +
				"upgrade the servers first, and set data.clusters.home.version; or leave version out here"},
		},
		"NewerPatch": {
			reason: "The same minor release works.", spec: node("plain", fine, "cluster: home, role: agent, version: v1.34.2+k3s1"), warns: "upgrade servers before agents",
		},
		"OlderAgent": {reason: "Agents may be behind.", spec: node("plain", fine, "cluster: home, role: agent, version: v1.33.1+k3s1")},
		"NextServer": {reason: "An upgrade begins with a server.", spec: node("plain", fine, "cluster: home, role: server, version: v1.35.0+k3s1")},
		"OtherServer": {
			reason: "Two minor releases are no upgrade.", spec: node("plain", fine, "cluster: home, role: server, version: v1.32.9+k3s1"),
			want: []string{`spec.k3s.version: Invalid value: "v1.32.9+k3s1": must be within one minor release of the cluster's servers, which have v1.34.1+k3s1 ` +
				"(data.clusters.home.version), and differ only during an upgrade: leave version out here"},
		},
		"LaterKey": {
			reason: "K3s may know a key that the list does not have.", spec: node("plain", fine, "cluster: home, role: agent, config: {quick-start: true}"),
			warns: "spec.k3s.config: not judged: quick-start",
		},
		"OtherKey": {
			reason: "RKE2 has it, and somebody thinks that it does something.", spec: node("plain", fine, "cluster: home, role: agent, config: {profile: cis}"),
			warns: "spec.k3s.config[profile]: is a key of RKE2, which K3s passes over: set protect-kernel-defaults: true",
		},
		"ProgramFile": {
			reason: "The kubelet passes over it.",
			spec: strings.Replace(without(node("plain", fine, "cluster: home, role: agent, token: {secretRef: {name: t}, allowPlaintext: true}")), `report: Link`,
				`userData: "#cloud-config\nwrite_files:\n- {path: /var/lib/rancher/k3s/agent/etc/kubelet.conf.d/10.yaml, content: 'maxPods: 200'}\n"`, 1),
			warns: "spec.bootstrap.userData: /var/lib/rancher/k3s/agent/etc/kubelet.conf.d/10.yaml: the kubelet passes over it, since its name does not end in .conf.",
		},
		"NoMirrors": {
			reason: "The registry shares nothing.", spec: without(node("plain", fine, "cluster: images, role: agent, token: {secretRef: {name: t}, allowPlaintext: true}")),
			warns: "embedded-registry shares no images without mirrors in /etc/rancher/k3s/registries.yaml",
		},
		"Mirrors": {
			reason: "It does with them.",
			spec: strings.Replace(without(node("plain", fine, "cluster: images, role: agent, token: {secretRef: {name: t}, allowPlaintext: true}")), `report: Link`,
				`userData: "#cloud-config\nwrite_files:\n- {path: /etc/rancher/k3s/registries.yaml, content: 'mirrors: {\"*\": {}}'}\n"`, 1),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, kindNode, tc.spec), aCatalog(t, document), tc.existing)

			var got []string
			for _, err := range errs {
				got = append(got, err.Error())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}

			if m == nil {
				return
			}

			all := strings.Join(m.Warnings, "\n")
			if !strings.Contains(all, tc.warns) {
				t.Errorf("%s\nwarnings: %q, want %q", tc.reason, all, tc.warns)
			}

			for _, of := range []string{"embedded-registry", "cluster-cidr", "upgrade servers", "not judged: quick-start", "goes around", "no component", "mirrors[", "no YAML", "no effect on"} {
				if strings.Contains(all, of) != strings.Contains(tc.warns, of) {
					t.Errorf("%s\nwarnings: %q, want %q", tc.reason, all, tc.warns)
				}
			}
		})
	}
}
