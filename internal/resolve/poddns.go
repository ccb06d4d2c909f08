package resolve

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// ownDomains are top-level domains of networks at home, in which few have a wildcard record: RFC 2606, 6762, 8375 and 9476, ICANN's .internal, and habits.
var ownDomains = strings.Fields("alt arpa corp example home internal intranet invalid lan local localdomain localhost private test") //nolint:gochecknoglobals // A constant list.

// podsSearch warns of public search domains on a node. Pods take over the node's, and complete each name of less than five dots with them before they ask
// for the name itself: where a domain has a wildcard record, that answers for all of the internet (k3s-io/k3s issues 1527 and 9286).
func podsSearch(g *given, n *notes, k *machine.K3s) {
	if g.spec.Network == nil || hasResolvConf(k) {
		return
	}

	at := g.at.Child("network", "searchDomains")

	for i, domain := range g.spec.Network.SearchDomains {
		last := domain[strings.LastIndex(domain, ".")+1:]
		if last == domain || slices.Contains(ownDomains, strings.ToLower(last)) {
			continue
		}

		n.warn("%s: pods complete each name with %s, too: if it has a wildcard record (*.%s), names outside of the cluster lead there. Then leave it out, or set resolv-conf in "+
			"spec.k3s.config to a file of the guest without search.", at.Index(i), domain, domain)
	}
}

// podsAsk warns of a file with name servers for pods that is right in another guest: /etc/resolv.conf of images of Debian and Ubuntu names systemd-resolved at
// 127.0.0.53, and in CoreDNS' pod that is the pod itself (coredns/coredns issue 2087, geerlingguy/ansible-role-kubernetes issue 85). User-data may change it.
func podsAsk(where func(key string) *field.Path, g *given, n *notes, m *machine.Machine, k *machine.K3s) {
	key, file := k3s.ResolvConf(k.Config)
	if file != "/etc/resolv.conf" || !namesByOrder(m) || strings.Contains(g.spec.Bootstrap.UserData, "resolv") {
		return
	}

	n.warn("%s: /etc/resolv.conf of Debian and Ubuntu asks systemd-resolved at 127.0.0.53, which in CoreDNS' pod is the pod itself: CoreDNS ends at that loop, and pods resolve no name. "+
		"Leave resolv-conf out: K3s takes /run/systemd/resolve/resolv.conf by itself.", where(key))
}

// hasResolvConf says whether the kubelet has a resolv.conf of its own for pods.
func hasResolvConf(k *machine.K3s) bool {
	_, file := k3s.ResolvConf(k.Config)

	return file != ""
}
