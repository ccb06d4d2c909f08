package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// manifestsFolders are where K3s takes manifests and static Pods from, with the folders below them: https://docs.k3s.io/installation/packaged-components.
var manifestsFolders = []string{ //nolint:gochecknoglobals // A constant list.
	k3s.ManifestsPath, "/var/lib/rancher/k3s/agent/pod-manifests/",
}

// A Manifest is a file that K3s deploys, with the addresses that something in it announces.
type Manifest struct {
	File      string
	Announced []k3s.Announced
}

// Manifests are the files of a user-data that K3s deploys and that announce addresses, by name. Those that are encoded or fetched are not read.
func Manifests(userData string) []Manifest { return announcing(cloudinit.Parse(userData).PlainFiles()) }

// announcing are those of files, by name.
func announcing(files map[string]string) (out []Manifest) {
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if !slices.ContainsFunc(manifestsFolders, func(folder string) bool { return strings.HasPrefix(path.Clean(file), folder) }) {
			continue
		}

		if announced := k3s.AnnouncedBy(files[file]); len(announced) > 0 {
			out = append(out, Manifest{file, announced})
		}
	}

	return out
}

// Warns of an announced range that has the address of a host. whose are the words for the host, such as a path.
func (m Manifest) Warns(a k3s.Announced, address, whose string) string {
	const of = "spec.bootstrap.userData: the %s in %s has %s, which is %s: "
	if a.For == k3s.ForServers {
		return fmt.Sprintf(of+"two hosts answer for it. Give the servers an address that nothing else has.", a.Kind, message.Excerpt(m.File), address, whose)
	}

	return fmt.Sprintf(of+"a Service may get it, and two hosts answer then. Leave it out of the range %s-%s.", a.Kind, message.Excerpt(m.File), address, whose, a.Range.From, a.Range.To)
}

// announces warns of addresses that MetalLB, Cilium or kube-vip would give to a Service or to the servers, by a manifest in the claim's user-data, although a
// host has them, or the site's pool gives them to machines: both answer for them then, and the host is reached by chance only.
func (r clusterNode) announces(at *field.Path, c catalog.Cluster) {
	manifests := announcing(r.g.userData().PlainFiles())
	if len(manifests) == 0 {
		return
	}

	endpoint := r.endpoint(at, c)
	hosts := append(r.addresses(at, c), r.endpoints(endpoint)...)

	for _, m := range manifests {
		for _, a := range m.Announced {
			before := len(r.n.warnings)

			for _, t := range hosts {
				address, err := netip.ParseAddr(t.value)
				if err != nil || !a.Range.Contains(address.Unmap()) || a.For == k3s.ForServers && t.at.String() == endpoint.at.String() {
					continue
				}

				r.n.warn("%s", m.Warns(a, t.value, t.at.String()))
			}

			r.fitsPool(m, a)

			if len(r.n.warnings) == before {
				r.answersFor(m, a, endpoint)
				r.hears(m, a)
			}
		}
	}
}

// answersFor warns of an address of all servers at which nodes do not join: nobody may answer where they do (kube-vip's address and that of the cluster, one of
// which was edited alone; timothystewart6/k3s-ansible issue 376).
func (r clusterNode) answersFor(m Manifest, a k3s.Announced, endpoint typed) {
	joins, err := netip.ParseAddr(hostOf(endpoint.value))
	if a.For != k3s.ForServers || err != nil || a.Range.Contains(joins.Unmap()) || joins.Is4() != a.Range.From.Is4() {
		return
	}

	r.n.warn("spec.bootstrap.userData: the %s in %s has %s for the servers, and nodes join at %s (%s): unless a host or a load balancer has that address, write %s in both.",
		a.Kind, message.Excerpt(m.File), a.Range.From, joins, endpoint.at, a.Range.From)
}

// hears warns of a range that nodes answer for in their own network, and that is in none: the hosts of the network ask their router for it (metallb/metallb
// issue 433). Of an interface with DHCP nobody knows the network.
func (r clusterNode) hears(m Manifest, a k3s.Announced) {
	var networks []string

	for _, nic := range r.m.NICs {
		of := nic.IPv4
		if !a.Range.From.Is4() {
			of = nic.IPv6
		}

		address, err := netip.ParseAddr(of.Address)

		switch {
		case of.Method == machine.MethodStatic && err == nil:
			prefix := netip.PrefixFrom(address, int(of.Prefix)).Masked()
			if subnet := machine.SubnetRange(prefix); subnet.Overlaps(a.Range) {
				return
			}

			networks = append(networks, prefix.String())
		case !isFixed(of):
			return
		}
	}

	if a.By == k3s.ByNeighbours && len(networks) > 0 {
		r.n.warn("spec.bootstrap.userData: the %s in %s has %s, and the node is in %s: it answers for these addresses in its own network alone, where nobody looks for them. Take addresses "+
			"of that network, unless a router has theirs on the same link.", a.Kind, message.Excerpt(m.File), a.Range, strings.Join(networks, " and "))
	}
}

// endpoints are where the catalogue's other clusters are joined, by name.
func (r clusterNode) endpoints(own typed) (out []typed) {
	for name, c := range r.g.catalog.Clusters {
		if host := hostOf(c.Server); name != r.g.k3s.Cluster && host != "" && host != hostOf(own.value) {
			at := c.Path().Child("server")
			if !r.g.catalog.Tells(catalog.KindCluster, "", name) {
				at = field.NewPath("where another cluster is joined")
			}

			out = append(out, typed{host, at})
		}
	}

	slices.SortFunc(out, func(a, b typed) int { return cmp.Compare(a.at.String(), b.at.String()) })

	return out
}

// fitsPool warns of an announced range that shares addresses with the ranges of the site's pool: they are given to the next machines, and nobody asks the
// cluster. Of an address that the pool leaves out anyway, such as the cluster's endpoint, there is nothing to say; a pool of Cluster API has its own ranges.
func (r clusterNode) fitsPool(m Manifest, a k3s.Announced) {
	if !a.Range.From.Is4() || a.Range.From == a.Range.To && slices.Contains((addressPool{g: r.g, n: r.n, l: located{site: r.site}}).inUse(), a.Range.From) {
		return
	}

	pool := r.site.Network.Pool
	ranges, faults := catalog.AddressRanges(pool, nil)

	if pool.IsZero() || len(faults) > 0 {
		return // A fault of the catalogue, which says so.
	}

	for _, given := range ranges {
		if !given.Overlaps(a.Range) {
			continue
		}

		gets := "a Service"
		if a.For == k3s.ForServers {
			gets = "the servers together"
		}

		r.n.warn("spec.bootstrap.userData: the %s in %s has %s, and %s gives %s-%s to machines: %s and a machine may get one address. Leave it out of one of the two.",
			a.Kind, message.Excerpt(m.File), a.Range, r.site.Path().Child("network", "pool"), given.From, given.To, gets)

		return
	}
}
