package container

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// awaitedAddresses are the IPv4 addresses, with commas between them, that an edit brings and that are not written yet, since they wait for a restart or for
// approval: who takes an address of the site's pool meanwhile takes another one. Empty where there are none. An address that is refused is no one's.
func awaitedAddresses(p Plan, o proxmox.ObservedContainer) string {
	written := fixedAddresses(p.Parameters)

	var out []string

	for _, a := range fixedAddresses(p.comparison(o).with(change.InPlace, Restart)) {
		if !slices.Contains(written, a) && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}

	return strings.Join(out, ",")
}

// KeepsNetwork says whether the container that exists refuses another network than it has: an address that its claim brings is no one's.
func KeepsNetwork(r Request) bool {
	o := r.Observed.Containers[r.Guest]
	if o.Status.AtProvider.Parameters == nil {
		return false
	}

	p := Plan{Request: r, Adopted: o.Metadata.Annotations[proxmox.AdoptedAnnotation] != "", Described: Describe(r.Container, r.Guest)}

	return network(p.comparison(o)) == change.Refused
}

// fixedAddresses are the IPv4 addresses of all interfaces, without prefix lengths.
func fixedAddresses(p proxmox.ContainerParameters) []string {
	var out []string

	for _, i := range p.Initialization {
		for _, c := range i.IPConfig {
			for _, a := range c.IPv4 {
				if prefix, err := netip.ParsePrefix(a.Address); err == nil {
					out = append(out, prefix.Addr().String())
				}
			}
		}
	}

	return out
}
