package k3s

import (
	"fmt"
	"slices"
	"strings"
)

const (
	keyProxy = "kube-proxy-arg"
	// nftables is a mode of kube-proxy, which takes it without a feature gate since the minor release withNFTables (k3s-io/k3s issue 11267).
	nftables     = "nftables"
	withNFTables = 31
)

// proxyModes are those that kube-proxy has on Linux: https://kubernetes.io/docs/reference/networking/virtual-ips.
func proxyModes() []string { return []string{"iptables", "ipvs", nftables} }

// proxyMode is the mode of kube-proxy that a config says; empty for none.
func proxyMode(config map[string]any) string { return lastArgument(config, keyProxy, "proxy-mode") }

// UsesNFTables says whether kube-proxy writes rules of nftables, for which a kernel may be too old.
func UsesNFTables(config map[string]any) bool { return proxyMode(config) == nftables }

// ProxyEnds is why kube-proxy does not start in the mode that a config says, and K3s with it.
func ProxyEnds(config map[string]any, release string) []Contradiction {
	mode := proxyMode(config)
	minor, known := MinorOf(release)

	switch {
	case mode == "":
		return nil
	case !slices.Contains(proxyModes(), mode):
		return []Contradiction{{keyProxy, fmt.Sprintf("kube-proxy has no proxy-mode of this name, and K3s does not start: write %s, or leave it out", strings.Join(proxyModes(), ", "))}}
	case mode == nftables && known && minor < withNFTables && !strings.Contains(lastArgument(config, keyProxy, "feature-gates"), "NFTablesProxyMode=true"):
		return []Contradiction{{keyProxy, fmt.Sprintf("kube-proxy before v1.%d takes proxy-mode=nftables with a feature gate only, and K3s does not start without it: "+
			"leave it out, or add feature-gates=NFTablesProxyMode=true", withNFTables)}}
	}

	return nil
}

// withoutCgroups1 is the minor release since which the kubelet does not start on a guest with cgroups of version 1 unless it is told to
// (kubernetes/minikube issue 22315, k0sproject/k0s issue 7398).
const withoutCgroups1 = 35

// NeedsCgroups2 says whether the kubelet of a release does not start on a guest with cgroups of version 1.
func NeedsCgroups2(config map[string]any, release string) bool {
	minor, known := MinorOf(release)

	return known && minor >= withoutCgroups1 && !strings.EqualFold(ofKubelet(config, "fail-cgroupv1"), "false")
}
