package k3s

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestPluginsOf(t *testing.T) {
	pods := func(texts ...string) []netip.Prefix { return prefixesOf(texts) }
	calico := func(env string) string {
		return "kind: DaemonSet\nspec: {template: {spec: {containers: [{image: \"docker.io/calico/node:v3.29.1\", env: [" + env + "]}]}}}"
	}
	chart := func(name, more string) string { return "kind: HelmChart\nspec:\n  chart: " + name + "\n" + more }

	const installation = "apiVersion: operator.tigera.io/v1\nkind: Installation\n"

	cases := map[string]struct {
		reason, manifests string
		want              []Plugin
	}{
		"Pool":         {"As Calico's own tool writes it.", "apiVersion: crd.projectcalico.org/v1\nkind: IPPool\nspec: {cidr: 10.1.2.3/16}", []Plugin{{Name: "Calico", Kind: "IPPool", Pods: pods("10.1.0.0/16")}}},
		"Installation": {"As the operator's page has it.", installation + "spec: {calicoNetwork: {ipPools: [{cidr: 192.168.0.0/16}, {cidr: \"fd00::/56\"}, {cidr: x}]}}", []Plugin{{Name: "Calico", Kind: "Installation", Alone: true, Pods: pods("192.168.0.0/16", "fd00::/56")}}},
		"OtherCNI":     {"Only the policies are Calico's.", installation + "spec: {cni: {type: AmazonVPC}}", []Plugin{{Name: "Calico", Kind: "Installation"}}},
		"Daemons":      {"The page's file, as it is.", calico("{name: DATASTORE_TYPE, value: kubernetes}"), []Plugin{{Name: "Calico", Kind: "DaemonSet", Alone: true, Default: true, Pods: pods("192.168.0.0/16")}}},
		"DaemonsPool":  {"The network is said.", calico("{name: CALICO_IPV4POOL_CIDR, value: 10.42.0.0/16}"), []Plugin{{Name: "Calico", Kind: "DaemonSet", Alone: true, Pods: pods("10.42.0.0/16")}}},
		"Canal":        {"flannel connects the pods.", calico("{name: CALICO_NETWORKING_BACKEND, value: none}"), nil},
		"OtherDaemons": {"It is no plugin.", "kind: DaemonSet\nspec: {template: {spec: {containers: [{image: ghcr.io/kube-vip/kube-vip:v1}]}}}", nil},
		"Cilium":       {"It has a network of its own.", chart("cilium", "  valuesContent: |\n    kubeProxyReplacement: true"), []Plugin{{Name: "Cilium", Kind: "HelmChart", Alone: true, Default: true, Pods: pods("10.0.0.0/8")}}},
		"CiliumList":   {"As its values have it.", chart("oci://quay.io/cilium/charts/cilium", "  valuesContent: |\n    ipam: {operator: {clusterPoolIPv4PodCIDRList: [10.42.0.0/16]}}"), []Plugin{{Name: "Cilium", Kind: "HelmChart", Alone: true, Pods: pods("10.42.0.0/16")}}},
		"CiliumText":   {"As a text.", chart("cilium", "  valuesContent: \"ipam: {operator: {clusterPoolIPv4PodCIDRList: 10.42.0.0/16}}\""), []Plugin{{Name: "Cilium", Kind: "HelmChart", Alone: true, Pods: pods("10.42.0.0/16")}}},
		"CiliumSet":    {"set counts before the values.", chart("cilium", "  set: {ipam.operator.clusterPoolIPv4PodCIDRList: \"{10.42.0.0/16}\"}"), []Plugin{{Name: "Cilium", Kind: "HelmChart", Alone: true, Pods: pods("10.42.0.0/16")}}},
		"CiliumNodes":  {"Nodes have the networks.", chart("cilium", "  set: {ipam.mode: kubernetes}"), []Plugin{{Name: "Cilium", Kind: "HelmChart", Alone: true}}},
		"CiliumChain":  {"Another plugin connects the pods.", chart("cilium", "  valuesContent: |\n    cni: {chainingMode: generic-veth}\n    ipam: {mode: kubernetes}"), []Plugin{{Name: "Cilium", Kind: "HelmChart"}}},
		"Operator":     {"Calico by its chart.", chart("tigera-operator", "  valuesContent: |\n    installation: {calicoNetwork: {ipPools: [{cidr: 192.168.0.0/16}]}}"), []Plugin{{Name: "Calico", Kind: "HelmChart", Alone: true, Pods: pods("192.168.0.0/16")}}},
		"OtherChart":   {"It is no plugin.", chart("cert-manager", "  valuesContent: \"ipam: {mode: x}\""), nil},
		"Several":      {"One after the other.", "kind: ConfigMap\n---\n" + installation + "---\nkind: [", []Plugin{{Name: "Calico", Kind: "Installation", Alone: true}}},
		"NoManifest":   {"A text.", "hello", nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, PluginsOf(tc.manifests), cmpopts.EquateEmpty(), cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
				t.Errorf("%s\nPluginsOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
