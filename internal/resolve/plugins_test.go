package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlugins: a network plugin in the user-data of a server fits the cluster and the network that the nodes are in.
func TestPlugins(t *testing.T) {
	const (
		config = ", config: {flannel-backend: none, disable-network-policy: true"
		folder = "/var/lib/rancher/k3s/server/manifests/"
		says   = folder + "cni.yaml: "
		calico = "apiVersion: operator.tigera.io/v1\\n    kind: Installation\\n    spec: {calicoNetwork: {ipPools: [{cidr: "
		cilium = "kind: HelmChart\\n    spec: {chart: cilium, valuesContent: '"
		both   = ": pods do not reach it when the plugin has started, nor may the node, and a pod may get its address. Give pods "
	)

	of := func(manifest string) string {
		return "{network: {ip: 10.20.0.60}, k3s: {cluster: one, role: server, init: true}, bootstrap: {userData: \"#cloud-config\\nwrite_files:\\n- path: " + folder +
			"cni.yaml\\n  content: |\\n    " + manifest + "\\n\"}}"
	}

	cases := map[string]struct {
		reason, spec, config string
		have                 Existing
		want                 []string
	}{
		"Fits":  {reason: "As K3s' page has it.", spec: of(calico + "10.42.0.0/16}]}}"), config: config + "}"},
		"Nodes": {reason: "They have their networks from K3s.", spec: of(cilium + "ipam: {mode: kubernetes}'}"), config: config + "}"},
		"Two": {
			reason: "flannel is on where nobody says anything.", spec: of(calico + "10.42.0.0/16}]}}"),
			want: []string{says + "Installation of Calico connects the pods, and so does K3s' own flannel, which is on: set flannel-backend: none and disable-network-policy: true in the config of the cluster."},
		},
		"Host": {
			reason: "Cilium's default has the whole network.", spec: of(cilium + "kubeProxyReplacement: true'}"), config: config + "}",
			want: []string{says + "HelmChart of Cilium: pods get addresses of 10.0.0.0/8, its default, and 10.20.0.60 is spec.network.ip" + both + "10.42.0.0/16, the cluster's cluster-cidr."},
		},
		"HostOfCluster": {
			reason: "K3s' own network has it as well.", spec: strings.Replace(of(cilium+"kubeProxyReplacement: true'}"), "10.20.0.60}", "10.20.0.60}, nics: [{bridge: vmbr0, vlan: 9, ip: 10.42.0.9/24}]", 1), config: config + "}",
			want: []string{says + "HelmChart of Cilium: pods get addresses of 10.0.0.0/8, its default, and 10.20.0.60 is spec.network.ip" + both + "10.244.0.0/16, also as cluster-cidr in the config of the cluster."},
		},
		"Services": {
			reason: "They have a network beside.", spec: of(calico + "10.40.0.0/14}]}}"), config: config + "}",
			want: []string{says + "Installation of Calico: pods get addresses of 10.40.0.0/14, and Services get those of 10.43.0.0/16 (service-cidr): a pod and a Service may get one address. Give pods 10.42.0.0/16, the cluster's cluster-cidr."},
		},
		"Elsewhere": {reason: "A file that K3s does not read.", spec: strings.Replace(of(calico+"10.0.0.0/8}]}}"), folder, "/opt/", 1)},
		"Lives":     {reason: "User-data is read once.", spec: of(calico + "10.0.0.0/8}]}}"), have: Existing{Node: "pve1"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			catalogue := strings.Replace(identitiesCatalogue, ", tlsSANs: [10.20.0.10]}", ", tlsSANs: [10.20.0.10]"+tc.config+"}", 1)

			faults, warnings := resolvedWith(t, catalogue, "K3sNode", tc.spec, tc.have)
			if len(faults) > 0 {
				t.Fatalf("%s\nfaults: %v", tc.reason, faults)
			}

			var got []string

			for w := range strings.Lines(warnings) {
				if _, rest, ok := strings.Cut(strings.TrimSpace(w), "spec.bootstrap.userData: "); ok {
					got = append(got, rest)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
