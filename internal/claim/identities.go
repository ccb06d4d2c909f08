package claim

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// An IdentityKind is what an [Identity] is known in.
type IdentityKind string

const (
	// IdentityVMID is known in a Proxmox cluster, which has one list for VMs and containers.
	IdentityVMID IdentityKind = "VMID"
	// IdentityAddress is known in the networks of a site: IPv4 or IPv6.
	IdentityAddress IdentityKind = "Address"
	// IdentityMAC is known in the networks of a site.
	IdentityMAC IdentityKind = "MAC"
	// IdentityHostName is known to the name server of a site.
	IdentityHostName IdentityKind = "HostName"
	// IdentityNode is a host name by which a K3s cluster knows a node.
	IdentityNode IdentityKind = "Node"
	// IdentityObject is the name of a K3sNode in its namespace. Where composites are namespaced, a K3sCluster makes its nodes under such names, and Crossplane
	// writes over one that nothing controls.
	IdentityObject IdentityKind = "Object"
	// IdentityPart is an interface of a Proxmox node, or a resource pool: a ProxmoxSite makes it.
	IdentityPart IdentityKind = "Part"
)

// An Identity is what only one machine, container or host can have.
type Identity struct {
	Kind IdentityKind
	// Value in one spelling: an address without its prefix length, a MAC address in upper case, a host name in lower case.
	Value string
	// Typed is the value as the claim has it.
	Typed string
	// Site as the claim names it; empty where it names none.
	Site string
	// Cluster that a [IdentityNode] is one of: a name in the catalogue, or an endpoint.
	Cluster string
	// Path of the field that a person typed: spec.network.ip.
	Path *field.Path
	// Of is the node of a K3sCluster that has it; empty for other kinds.
	Of string
}

// Identities of a claim of any kind, in the order of its fields. name is the claim's, which is the host name of a machine without one.
func (c Claim) Identities(name string) []Identity {
	switch {
	case c.Container != nil:
		s := c.Container
		out := atSite(s.Proxmox.Site)
		out.number(field.NewPath("spec", "proxmox", "vmId"), s.Proxmox.VMID, s.Adopt)

		domain := ""
		if s.Network != nil {
			domain = s.Network.Domain
		}

		out.hostName(s.Hostname, name, domain)

		if s.Network != nil {
			out.interfaceAt(field.NewPath("spec", "network"), s.Network.IP, s.Network.IPv6, s.Network.MAC)
		}

		for i, n := range s.NICs {
			out.interfaceAt(field.NewPath("spec", "nics").Index(i), n.IP, n.IPv6, n.MAC)
		}

		return out.all
	case c.K3sCluster != nil:
		return ofNodes(*c.K3sCluster, name)
	case c.ProxmoxSite != nil:
		return ofHosts(*c.ProxmoxSite)
	}

	f := c.Fields()
	out := atSite(f.Proxmox.Site)
	out.number(field.NewPath("spec", "proxmox", "vmId"), f.Proxmox.VMID, f.Adopt)

	domain := ""
	if f.Network != nil {
		domain = f.Network.Domain
	}

	if k := c.K3s(); k != nil {
		out.object(name)
		out.node(*k, f.Hostname, name)
	}

	out.hostName(f.Hostname, name, domain)

	if n := f.Network; n != nil {
		out.interfaceAt(field.NewPath("spec", "network"), n.IP, n.IPv6, n.MAC)
	}

	for i, n := range f.NICs {
		out.interfaceAt(field.NewPath("spec", "nics").Index(i), n.IP, n.IPv6, n.MAC)
	}

	return out.all
}

// ofNodes of a K3sCluster, whose host names are made of its own and those of its pools.
func ofNodes(s v1alpha1.K3sClusterSpec, name string) []Identity {
	out := atSite(templated(s.Servers.Template, "proxmox", "site"))
	// Who writes a node of it by hand names its entry of the catalogue, or its endpoint.
	cluster := cmp.Or(s.Cluster, s.Endpoint)

	servers := int64(3)
	if s.Servers.Count != nil {
		servers = *s.Servers.Count
	}

	// A K3sNode that the cluster adopts keeps its names.
	kept := map[string]bool{}
	for _, n := range s.Nodes {
		kept[n.Name] = n.Adopt != ""
	}

	pool := func(template map[string]any, pool string, count int64) {
		for i := range min(count, maxNodes) {
			if out.of = fmt.Sprintf("%s-%d", pool, i); name != "" && !kept[out.of] {
				out.ofPool(name+"-"+out.of, cluster, templated(template, "network", "domain"))
			}
		}
	}

	pool(s.Servers.Template, "server", servers)

	for _, p := range s.Agents {
		pool(p.Template, p.Name, p.Count)
	}

	for i, n := range s.Nodes {
		at := field.NewPath("spec", "nodes").Index(i)
		out.of = n.Name
		out.interfaceAt(at, n.IP, nil, n.MAC)
		out.number(at.Child("vmId"), n.VMID, nil)
	}

	return out.all
}

// maxNodes of a pool whose names are known: what has more is a fault of its own.
const maxNodes = 100

// ofPool is a node of a K3sCluster, by its names.
func (f *found) ofPool(name, cluster, domain string) {
	f.object(name)

	if cluster != "" {
		f.node(v1alpha1.K3s{Cluster: cluster}, "", name)
	}

	f.hostName("", name, domain)
}

func (f *found) object(name string) {
	if name != "" {
		f.add(IdentityObject, name, name, field.NewPath("metadata", "name"))
	}
}

// templated is a text of a template.
func templated(template map[string]any, group, name string) string {
	fields, _ := template[group].(map[string]any)
	text, _ := fields[name].(string)

	return text
}

// ofHosts of a ProxmoxSite: the addresses of their bridges and VLAN interfaces.
func ofHosts(s v1alpha1.ProxmoxSiteSpec) []Identity {
	out := atSite(s.Proxmox.Site)

	for _, node := range slices.Sorted(maps.Keys(s.Nodes)) {
		at := field.NewPath("spec", "nodes", node)

		for i, b := range s.Nodes[node].Bridges {
			out.add(IdentityPart, node+"/"+b.Name, node+"/"+b.Name, at.Child("bridges").Index(i).Child("name"))
			out.addresses(at.Child("bridges").Index(i), b.ProxmoxSiteInterface)
		}

		for i, v := range s.Nodes[node].VLANs {
			name := fmt.Sprintf("%s/%s.%d", node, v.Interface, v.Tag)
			out.add(IdentityPart, name, name, at.Child("vlans").Index(i))
			out.addresses(at.Child("vlans").Index(i), v.ProxmoxSiteInterface)
		}
	}

	for i, p := range s.Pools {
		out.add(IdentityPart, "pool "+p.Name, p.Name, field.NewPath("spec", "pools").Index(i).Child("name"))
	}

	return out.all
}

// found are identities of a claim.
type found struct {
	all      []Identity
	site, of string
}

func atSite(site string) *found { return &found{site: site} }

func (f *found) add(kind IdentityKind, value, typed string, path *field.Path) {
	f.all = append(f.all, Identity{Kind: kind, Value: value, Typed: typed, Site: f.site, Path: path, Of: f.of})
}

func (f *found) number(path *field.Path, id *int64, adopt *v1alpha1.Adopt) {
	if adopt != nil {
		id, path = &adopt.VMID, field.NewPath("spec", "adopt", "vmId")
	}

	if id != nil {
		n := strconv.FormatInt(*id, 10)
		f.add(IdentityVMID, n, n, path)
	}
}

func (f *found) interfaceAt(path *field.Path, ip string, v6 *v1alpha1.IPv6, mac string) {
	f.address(path.Child("ip"), ip)

	if v6 != nil {
		f.address(path.Child("ipv6", "ip"), v6.IP)
	}

	if mac != "" {
		f.add(IdentityMAC, strings.ToUpper(mac), mac, path.Child("mac"))
	}
}

func (f *found) addresses(path *field.Path, of v1alpha1.ProxmoxSiteInterface) {
	f.address(path.Child("address"), of.Address)
	f.address(path.Child("address6"), of.Address6)
}

// address with or without its prefix length. What is none, others refuse.
func (f *found) address(path *field.Path, typed string) {
	text, _, _ := strings.Cut(typed, "/")
	if a, err := netip.ParseAddr(text); err == nil {
		f.add(IdentityAddress, a.String(), typed, path)
	}
}

// hostName of a machine. Without a domain, it is one of the site's.
func (f *found) hostName(hostname, name, domain string) {
	if path, typed := typedName(hostname, name); typed != "" {
		f.add(IdentityHostName, strings.ToLower(strings.TrimSuffix(typed+"."+domain, ".")), typed, path)
	}
}

// node is the host name of a K3s node, by which K3s tells its nodes apart: the second one is refused, since its node password is another
// (pkg/nodepassword of k3s).
func (f *found) node(k v1alpha1.K3s, hostname, name string) {
	if path, typed := typedName(hostname, name); typed != "" {
		f.add(IdentityNode, strings.ToLower(typed), typed, path)
		f.all[len(f.all)-1].Cluster = cmp.Or(k.Cluster, k.ClusterName, k.Server)
	}
}

// typedName is the host name of a machine, and the field that has it.
func typedName(hostname, name string) (path *field.Path, typed string) {
	if hostname == "" {
		return field.NewPath("metadata", "name"), name
	}

	return field.NewPath("spec", "hostname"), hostname
}
