package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// compare claims with each other: what two of them cannot have both.
func (l *linter) compare() {
	seen := map[string]object{}

	take := func(o object, key, path, text string, severity Severity) {
		first, taken := seen[key]
		if !taken {
			seen[key] = o
			return
		}

		at := position(first.node, path)
		l.add(o, path, fmt.Sprintf(text, fmt.Sprintf("%s %s (%s:%d)", message.Excerpt(first.kind()), message.Excerpt(first.name()), first.file,
			first.first+at.Line-1)), severity)
	}

	for _, o := range l.claims {
		if o.name() != "" {
			key := fmt.Sprintf("name/%s/%s/%s", o.kind(), o.namespace(), o.name())
			take(o, key, "metadata.name", "%s has the same name and namespace: the cluster keeps one of them", Error)
		}

		c := claim.Decode(composite(o.value))
		from := l.catalogueOf(o)
		// Claims with other catalogues are for other clusters.
		scope := strconv.Itoa(slices.Index(l.catalogues, from)) + "/"

		for _, i := range identitiesOf(c, o.name()) {
			if !i.cluster {
				i.key = cmp.Or(i.site, l.siteOf(o)) + "/" + i.key
			}

			take(o, scope+i.key, i.path, i.text, i.severity)
		}
	}
}

// siteOf a claim that names none.
func (l *linter) siteOf(o object) string {
	cat := catalog.BuiltIn()
	if from := l.catalogueOf(o); from != nil {
		cat = from.merged
	}

	return cmp.Or(cat.Defaults.Site, only(cat.Sites))
}

// An identity is what only one machine of a site, or of a K3s cluster, can have.
type identity struct {
	key      string // Kind and value, such as ip/192.168.4.53.
	site     string // As the claim names it; empty where it names none.
	cluster  bool   // It is one of a K3s cluster, which the key has.
	path     string // Of the field.
	text     string // A format for the one that has it, too.
	severity Severity
}

// identitiesOf a claim of any kind.
func identitiesOf(c claim.Claim, name string) []identity {
	switch {
	case c.Container != nil:
		s := c.Container

		out := identitiesAt(s.Proxmox.Site, "spec.proxmox.vmId", s.Proxmox.VMID, s.Adopt)
		if s.Network != nil {
			out = append(out, addressesAt(s.Proxmox.Site, "spec.network", s.Network.IP, s.Network.MAC)...)
		}

		return out
	case c.K3sCluster != nil:
		return identitiesOfNodes(*c.K3sCluster)
	}

	f := c.Fields()
	out := identitiesAt(f.Proxmox.Site, "spec.proxmox.vmId", f.Proxmox.VMID, f.Adopt)

	if n := f.Network; n != nil {
		out = append(out, addressesAt(f.Proxmox.Site, "spec.network", n.IP, n.MAC)...)
	}

	for i, n := range f.NICs {
		out = append(out, addressesAt(f.Proxmox.Site, fmt.Sprintf("spec.nics[%d]", i), n.IP, n.MAC)...)
	}

	if k := c.K3s(); k != nil {
		out = append(out, nodeName(*k, f.Hostname, name))
	}

	return out
}

// identitiesOfNodes of a K3sCluster, whose host names the cluster makes.
func identitiesOfNodes(s v1alpha1.K3sClusterSpec) []identity {
	var out []identity

	place, _ := s.Servers.Template["proxmox"].(map[string]any)
	site, _ := place["site"].(string)

	for i, n := range s.Nodes {
		at := fmt.Sprintf("spec.nodes[%d]", i)
		out = append(out, identitiesAt(site, at+".vmId", n.VMID, nil)...)
		out = append(out, addressesAt(site, at, n.IP, n.MAC)...)
	}

	return out
}

// identitiesAt are the VMID of a claim. Proxmox has one list of VMIDs for VMs and containers.
func identitiesAt(site, path string, id *int64, adopt *v1alpha1.Adopt) []identity {
	if adopt != nil {
		id, path = &adopt.VMID, "spec.adopt.vmId"
	}

	if id == nil {
		return nil
	}

	n := strconv.FormatInt(*id, 10)

	return []identity{{key: "vmid/" + n, site: site, path: path, text: n + ": %s has this VMID, too: Proxmox gives it to one of them", severity: Warning}}
}

// addressesAt are the addresses of an interface.
func addressesAt(site, path, ip, mac string) []identity {
	var out []identity

	if ip != "" {
		out = append(out, identity{key: "ip/" + ip, site: site, path: path + ".ip", text: verbatim(ip) + ": %s has this address, too", severity: Warning})
	}

	if mac != "" {
		out = append(out, identity{
			key: "mac/" + strings.ToUpper(mac), site: site, path: path + ".mac", severity: Error,
			text: verbatim(mac) + ": %s has this MAC address, too: in one network neither of the two works",
		})
	}

	return out
}

// nodeName is the host name of a K3s node, by which K3s tells its nodes apart: the second one is refused, since its node password is another
// (pkg/nodepassword of k3s).
func nodeName(k v1alpha1.K3s, hostname, name string) identity {
	path := "spec.hostname"
	if hostname == "" {
		hostname, path = name, "metadata.name"
	}

	return identity{
		key: "node/" + cmp.Or(k.Cluster, k.ClusterName, k.Server) + "/" + strings.ToLower(hostname), cluster: true, path: path, severity: Error,
		text: verbatim(hostname) + ": %s has this host name, too: K3s refuses a second node of one name in a cluster",
	}
}

// verbatim is a text of a claim, for a format.
func verbatim(text string) string { return strings.ReplaceAll(message.Excerpt(text), "%", "%%") }
