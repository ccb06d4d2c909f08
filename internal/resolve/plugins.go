package resolve

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// plugins warns of network plugins that a server's user-data installs beside that of K3s, and of those that give pods addresses which a host or a Service has,
// by their own default or by their documentation's example. hosts are what the node reaches.
func plugins(g *given, n *notes, of cluster, hosts []typed) {
	files := g.userData().PlainFiles()

	for _, file := range slices.Sorted(maps.Keys(files)) {
		if of.k3s.Role != v1alpha1.K3sServer || !strings.HasPrefix(file, k3s.ManifestsPath) {
			continue
		}

		for _, p := range k3s.PluginsOf(files[file]) {
			what := fmt.Sprintf("spec.bootstrap.userData: %s: %s of %s", message.Excerpt(file), p.Kind, p.Name)

			// k3s-io/k3s issue 54, https://docs.k3s.io/networking/basic-network-options.
			if p.Alone && k3s.Backend(of.shared) != k3s.BackendNone {
				n.warn("%s connects the pods, and so does K3s' own flannel, which is on: set flannel-backend: none and disable-network-policy: true in the config of the cluster.", what)
			}

			for _, pods := range p.Pods {
				keepsOut(n, of.shared, hosts, p, pods, what)
			}
		}
	}
}

// keepsOut warns of a network of pods with the address of a host, which no node reaches then, or with addresses of Services.
func keepsOut(n *notes, shared map[string]any, hosts []typed, p k3s.Plugin, pods netip.Prefix, what string) {
	whose := "pods get addresses of " + pods.String()
	if p.Default {
		whose += ", its default"
	}

	instead := k3s.PodsOf(shared)
	remedy := fmt.Sprintf("Give pods %s, the cluster's cluster-cidr.", instead)

	var taken *typed

	for _, t := range hosts {
		address, err := netip.ParseAddr(t.value)
		if err != nil {
			continue
		}

		if instead.Contains(address.Unmap()) {
			remedy = fmt.Sprintf("Give pods %s, also as cluster-cidr in the config of the cluster.", elsewhere(k3s.Range{Prefix: instead, Of: k3s.NetworkPods}, address.Unmap()))
		}

		if taken == nil && pods.Contains(address.Unmap()) {
			taken = &t
		}
	}

	if taken != nil {
		n.warn("%s: %s, and %s is %s: pods do not reach it when the plugin has started, nor may the node, and a pod may get its address. %s", what, whose, taken.value, taken.at, remedy)

		return
	}

	for _, services := range k3s.Ranges(shared) {
		if services.Of == k3s.NetworkServices && services.Prefix.Overlaps(pods) {
			n.warn("%s: %s, and Services get those of %s (%s): a pod and a Service may get one address. %s", what, whose, services.Prefix, services.Key, remedy)

			return
		}
	}
}
