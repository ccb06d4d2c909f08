package tenancy

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
)

// permissions judges what needs a word in allow.
func (j *judge) permissions() {
	f := j.claimed.Fields

	if f.Adopt != nil {
		j.without(catalogue.AllowAdopt, true, at("adopt"), strconv.FormatInt(f.Adopt.VMID, 10), "an adopted VM obeys its claim, to its deletion")
	}

	s := f.Bootstrap.Snippets
	for _, said := range [][2]string{{"userData", s.UserData}, {"vendorData", s.VendorData}, {"metaData", s.MetaData}} {
		j.without(catalogue.AllowSnippets, said[1] != "", at("bootstrap", "snippets", said[0]), said[1], "files of the nodes can have others' secrets")
	}

	j.without(catalogue.AllowTemplates, j.claimed.Template, at("image"), j.claimed.Machine.Boot.Image, "who copies a disk reads all that is on it")
	j.without(catalogue.AllowPin, f.Proxmox.Node != "", at("proxmox", "node"), f.Proxmox.Node, "the function chooses nodes")
	j.without(catalogue.AllowPin, len(f.Proxmox.Avoid) > 0, at("proxmox", "avoid"), strings.Join(f.Proxmox.Avoid, " "), "the function chooses nodes")

	j.without(catalogue.AllowHA, f.HA != nil && f.HA.Enabled != nil && *f.HA.Enabled, at("ha"), "enabled",
		"a node with a VM under high availability restarts itself, with all that runs there, when it loses its Proxmox cluster")
	j.without(catalogue.AllowStartup, f.Startup != nil, at("startup"), "order", "the order and the delays hold what others have on the node")

	for i, n := range j.claimed.interfaces() {
		j.without(catalogue.AllowMAC, n.MAC != "" && !n.StableMAC, nic(i, "mac"), n.MAC, "a MAC address can be another machine's")
	}

	if c := j.claimed.Container; c != nil && c.Unprivileged != nil {
		j.without(catalogue.AllowPrivileged, !*c.Unprivileged, at("unprivileged"), "false", "root in a privileged container is root on the node")
	}
}

// nic is the path of a field of an interface.
func nic(i int, name string) *field.Path { return machine.NICPath(i).Child(name) }

// size judges class and sizes. Where classes are listed and nothing limits sizes, a claim has no more than its class.
func (j *judge) size() {
	t, m := j.tenant, j.claimed.Machine

	if m.Class != "" {
		j.listed(t.Classes, t.Path().Child("classes"), at("class"), m.Class, "class")
	}

	for _, q := range []struct {
		name, what, verb, unit string
		has, class, limit      int64
	}{
		{"cores", "cores", "are", "", m.Cores, j.claimed.ClassCores, t.Limits.Cores},
		{"memory", "memory", "is", "Mi", m.MemoryMiB, j.claimed.ClassMemoryMiB, mib(t.Limits.Memory)},
		{"swap", "swap", "is", "Mi", j.claimed.swapMiB(), j.claimed.ClassMemoryMiB, mib(t.Limits.Memory)},
		{"disk", "disks together", "are", "Gi", j.claimed.diskGiB(), j.claimed.ClassDiskGiB, gib(t.Limits.Disk)},
	} {
		key := t.Path().Child("limits", q.name)
		if q.name == "swap" {
			key = t.Path().Child("limits", "memory")
		}

		limit, why := q.limit, key.String()

		if limit == 0 && t.Classes != nil {
			limit, why = q.class, "its class, and "+why+" is not set"
		}

		if limit == 0 || q.has <= limit {
			continue
		}

		v := violation("limit", q.name, key, field.Invalid(at("size", q.name),
			strconv.FormatInt(q.has, 10)+q.unit, fmt.Sprintf("%s of a machine of tenant %s %s at most %d%s (%s)", q.what, t.Name, q.verb, limit, q.unit, why)))
		v.amount = q.has
		j.out = append(j.out, v)
	}
}

// mib and gib of a quantity; 0 for none, and for what is a fault of the catalogue.
func mib(q v1alpha1.Quantity) int64 {
	n, err := quantity.TotalMemoryMiB(q)
	if q == "" || err != nil {
		return 0
	}

	return n
}

func gib(q v1alpha1.Quantity) int64 {
	n, err := quantity.TotalDiskGiB(q)
	if q == "" || err != nil {
		return 0
	}

	return n
}

// image judges images by name; a VMID or a volume is a matter of allow.
func (j *judge) image() {
	if name := j.claimed.Machine.Boot.Image; name != "" && !j.claimed.Template {
		j.listed(j.tenant.Images, j.tenant.Path().Child("images"), at("image"), name, "image")
	}
}

// place judges site, node, datastores, pool and VMID.
func (j *judge) place() {
	t, p := j.tenant, j.claimed.Machine.Placement

	site, ok := t.Site(p.Site)
	if !ok && p.Site == "" {
		j.add("site", "", t.Path().Child("sites"), field.Required(at("proxmox", "site"), fmt.Sprintf("tenant %s has sites of its own (%s); %s",
			t.Name, t.Path().Child("sites"), message.There(slices.Collect(maps.Keys(t.Sites)), ""))))

		return
	} else if !ok {
		j.listed(namesOf(t.Sites), t.Path().Child("sites"), at("proxmox", "site"), p.Site, "site")
		return
	}

	key := t.SitePath(p.Site)

	said := j.claimed.Fields.Proxmox
	if said.Node != "" {
		j.node(p.Site, at("proxmox", "node"), said.Node)
	}

	// The default of a node that is not the tenant's is no fault of its own.
	ours := said.Node == "" || site.Nodes == nil || slices.Contains(site.Nodes, said.Node)

	if p.DiskDatastore != "" && (said.Storage != "" || ours) {
		j.listed(site.Datastores, key.Child("datastores"), at("proxmox", "storage"), p.DiskDatastore, "datastore")
	}

	for i, d := range j.claimed.Machine.Disks {
		if d.Datastore != p.DiskDatastore {
			j.listed(site.Datastores, key.Child("datastores"), field.NewPath("spec", "disks").Index(i).Child("storage"), d.Datastore, "datastore")
		}
	}

	for i, d := range j.claimed.Fields.Disks {
		if j.claimed.Container != nil && d.Storage != "" {
			j.listed(site.Datastores, key.Child("datastores"), field.NewPath("spec", "disks").Index(i).Child("storage"), d.Storage, "datastore")
		}
	}

	if site.Pool != "" && p.Pool != site.Pool {
		j.add("pool", p.Pool, key.Child("pool"), field.Invalid(at("proxmox", "pool"), message.Excerpt(p.Pool), fmt.Sprintf("must be %s: machines of tenant %s are in this pool (%s)",
			site.Pool, t.Name, key.Child("pool"))))
	}

	if j.claimed.Fields.Adopt == nil {
		j.vmID(p.Site, at("proxmox", "vmId"), p.VMID)
	}
}

// node of a site that is the tenant's.
func (j *judge) node(site string, at *field.Path, node string) {
	allowed, _ := j.tenant.Site(site)
	j.listed(allowed.Nodes, j.tenant.SitePath(site).Child("nodes"), at, node, "node")
}

// vmID judges a VMID at a site that is the tenant's; 0 is none.
func (j *judge) vmID(site string, at *field.Path, id int64) {
	allowed, _ := j.tenant.Site(site)

	if r := allowed.VMIDs; r != nil && id != 0 && (id < r.From || id > r.To) {
		key := j.tenant.SitePath(site).Child("vmIds")
		j.add("vmId", strconv.FormatInt(id, 10), key, field.Invalid(at, id, fmt.Sprintf("must be from %d to %d: the VMIDs of tenant %s (%s)",
			r.From, r.To, j.tenant.Name, key)))
	}
}

// network judges bridges, VLANs, addresses, DNS names and the firewall.
func (j *judge) network() {
	t, m := j.tenant, j.claimed.Machine
	site, _ := t.Site(m.Placement.Site)

	for i, n := range j.claimed.interfaces() {
		j.bridge(site, i, n)
		j.addresses(site, i, n)
		j.joined(nic(i, "ip"), n.IPv4.Address)
		j.joined(nic(i, "ipv6").Child("ip"), n.IPv6.Address)

		if t.Firewall == catalogue.FirewallRequired && (n.Firewall == nil || !*n.Firewall) {
			j.add("firewall", strconv.Itoa(i), t.Path().Child("firewall"), field.Invalid(nic(i, "firewall"), false, fmt.Sprintf(
				"must be true: machines of tenant %s are behind Proxmox's firewall (%s)", t.Name, t.Path().Child("firewall"))))
		}
	}

	if t.Firewall == catalogue.FirewallRequired && !m.Firewall.Filters() {
		j.add("firewall", "", t.Path().Child("firewall"), field.Required(at("firewall"), fmt.Sprintf("tenant %s has %s with a firewall that is on and has rules, such as {preset: ssh} (%s)",
			t.Name, j.claimed.guests(), t.Path().Child("firewall"))))
	}

	j.firewallNames(site)

	if name := m.DNSRecord; name != "" && t.DNS != nil && !slices.ContainsFunc(t.DNS, func(pattern string) bool { return catalog.Matches(pattern, name) }) {
		j.add("dns", name, t.Path().Child("dns"), field.Invalid(at("network", "dnsRecord"), message.Excerpt(name), fmt.Sprintf("is no name of tenant %s (%s); %s",
			t.Name, t.Path().Child("dns"), message.ThereAre(slices.Clone(t.DNS)))))
	}
}

// firewallNames judges what rules name of the datacenter's firewall.
func (j *judge) firewallNames(site catalogue.TenantSite) {
	f := j.claimed.Fields.Firewall
	if f == nil {
		return
	}

	for i, r := range f.Allow {
		if name, ok := catalog.FirewallNameOf(r); ok {
			names, list := catalog.NamesOf(name.Kind, site.Firewall)
			key := j.tenant.SitePath(j.claimed.Machine.Placement.Site).Child("firewall", list)

			// A rule that moves in its list names nothing new.
			if !slices.Contains(names, name.Name) {
				fault := notListed(j.tenant, rule{names, key, string(name.Kind)}, at("firewall", "allow").Index(i).Child(name.Field), name.Name)
				j.add(string(name.Kind), name.Name, key, withValue(fault, cmp.Or(r.Group, r.From)))
			}
		}
	}
}

// bridge judges an interface's bridge and VLAN tag.
func (j *judge) bridge(site catalogue.TenantSite, i int, n machine.NIC) {
	if site.Bridges == nil || n.Bridge == "" || j.claimed.SiteUnread {
		return
	}

	path := nic(i, "bridge")
	if i == 0 && j.claimed.Fields.Proxmox.Bridge != "" {
		path = at("proxmox", "bridge")
	}

	key := j.tenant.SitePath(j.claimed.Machine.Placement.Site)

	if _, ok := site.Bridges[n.Bridge]; !ok {
		j.listed(namesOf(site.Bridges), key.Child("bridges"), path, n.Bridge, "bridge")
		return
	}

	path = nic(i, "vlan")
	if i == 0 && j.claimed.Fields.Proxmox.VLAN != nil {
		path = at("proxmox", "vlan")
	}

	if fault := j.tagFault(key, site, path, network{n.Bridge, n.VLAN}); fault != nil {
		j.add("vlan", path.String()+strconv.FormatInt(n.VLAN, 10)+" on "+n.Bridge, key.Child("bridges", message.Key(n.Bridge)), fault)
	}
}

// tagFault is the fault of a VLAN tag that the tenant does not have on a bridge of its own; nil where it has it. key is the rules of the site.
func (j *judge) tagFault(key *field.Path, site catalogue.TenantSite, at *field.Path, n network) *field.Error {
	tags := site.Bridges[n.carrier]
	if len(tags) == 0 || slices.Contains(tags, n.tag) {
		return nil
	}

	var there []string

	for _, tag := range tags {
		name := strconv.FormatInt(tag, 10)
		if tag == 0 {
			name = "none"
		}

		there = append(there, name)
	}

	return field.Invalid(at, n.tag, fmt.Sprintf("is no VLAN tag of tenant %s on bridge %s (%s); %s",
		j.tenant.Name, n.carrier, key.Child("bridges", message.Key(n.carrier)), message.ThereAre(there)))
}

// addresses judges the fixed addresses of an interface.
func (j *judge) addresses(site catalogue.TenantSite, i int, n machine.NIC) {
	if site.Addresses.IsZero() {
		return
	}

	key := j.tenant.SitePath(j.claimed.Machine.Placement.Site).Child("addresses")
	ranges, _ := catalog.AddressRanges(site.Addresses, nil)

	if ip, err := netip.ParseAddr(n.IPv4.Address); err == nil && n.IPv4.Method == machine.MethodStatic && !within(ranges, ip) {
		path := nic(i, "ip")
		if n.IPv4.Pool != nil {
			path = nic(i, "pool")
		}

		j.add("address", ip.String(), key, field.Invalid(path, ip.String(), fmt.Sprintf("is no address of tenant %s (%s); %s",
			j.tenant.Name, key, message.ThereAre(textOf(ranges)))))
	}

	if n.IPv6.Method == machine.MethodStatic {
		j.add("address", n.IPv6.Address, key, field.Forbidden(nic(i, "ipv6").Child("ip"), fmt.Sprintf("the addresses of tenant %s are IPv4 (%s): use auto, or DHCP",
			j.tenant.Name, key)))
	}

	if n.IPv4.Pending() && !n.IPv4.Pool.Of.IsZero() {
		j.add("address", "pool", key, field.Forbidden(nic(i, "pool"), fmt.Sprintf("the site's pool is one of Cluster API, whose addresses nobody divides; write an address of %s", key)))
	} else if n.IPv4.Pending() && len(overlap(n.IPv4.Pool.Ranges, ranges)) == 0 {
		j.add("address", "pool", key, field.Forbidden(nic(i, "pool"), fmt.Sprintf("the site's pool has no address of tenant %s (%s)", j.tenant.Name, key)))
	}
}

// joined judges an address at which clusters of the catalogue are joined: who has it is taken for a server, by the nodes and by kubectl.
func (j *judge) joined(at *field.Path, address string) {
	serves := func(cluster string) bool {
		roles, ok := j.tenant.Clusters[cluster]
		return j.tenant.Clusters == nil || ok && (roles == nil || slices.Contains(roles, string(v1alpha1.K3sServer)))
	}

	if j.claimed.JoinedAt == nil {
		return
	}

	clusters := j.claimed.JoinedAt(address)
	if len(clusters) == 0 || slices.ContainsFunc(clusters, serves) {
		return
	}

	key := j.tenant.Path().Child("clusters")
	j.add("joined", address, key, field.Invalid(at, address, fmt.Sprintf("is where a K3s cluster is joined of which tenant %s has no servers (%s): take another address",
		j.tenant.Name, key)))
}

func within(ranges []machine.AddressRange, ip netip.Addr) bool {
	return slices.ContainsFunc(ranges, func(r machine.AddressRange) bool { return r.Contains(ip) })
}

func textOf(ranges []machine.AddressRange) (out []string) {
	for _, r := range ranges {
		out = append(out, r.String())
	}

	return out
}

// devices judges resource mappings.
func (j *judge) devices() {
	site, _ := j.tenant.Site(j.claimed.Machine.Placement.Site)
	key := j.tenant.SitePath(j.claimed.Machine.Placement.Site)

	for i, name := range j.claimed.Machine.PCI {
		j.listed(site.PCI, key.Child("pci"), field.NewPath("spec", "devices", "pci").Index(i).Child("mapping"), name, "PCI device")
	}

	for i, name := range j.claimed.Machine.USB {
		j.listed(site.USB, key.Child("usb"), field.NewPath("spec", "devices", "usb").Index(i).Child("mapping"), name, "USB device")
	}
}

// cluster judges the K3s cluster of the catalogue that a node joins, and its role there.
func (j *judge) cluster() {
	k := j.claimed.Machine.K3s
	if k == nil || k.Cluster == "" || k.ClusterName != "" || j.tenant.Clusters == nil {
		return
	}

	key := j.tenant.Path().Child("clusters")

	roles, ok := j.tenant.Clusters[k.Cluster]
	if !ok {
		j.listed(namesOf(j.tenant.Clusters), key, at("k3s", "cluster"), k.Cluster, "cluster")
		return
	}

	// What a node was in one cluster it may not be in another one for that.
	if role := string(k.Role); roles != nil && !slices.Contains(roles, role) {
		at, key := at("k3s", "role"), key.Child(message.Key(k.Cluster))
		j.add("role", role+" of "+k.Cluster, key, field.Invalid(at, message.Excerpt(role), fmt.Sprintf(
			"is no role of tenant %s (%s); %s", j.tenant.Name, key, message.There(slices.Clone(roles), role))))
	}
}

// deletion judges what becomes of a machine when its claim is deleted. One that stays is in no quota any more, and nobody in Kubernetes sees it.
func (j *judge) deletion() {
	t := j.tenant
	if t.Deletion != catalogue.DeletionRequired || j.claimed.Machine.DeletionPolicy != v1alpha1.DeletionOrphan {
		return
	}

	j.add("deletion", "", t.Path().Child("deletion"), field.Invalid(at("deletionPolicy"), string(v1alpha1.DeletionOrphan), fmt.Sprintf(
		"must be Delete: tenant %s leaves no %s behind (%s)", t.Name, j.claimed.guests(), t.Path().Child("deletion"))))
}
