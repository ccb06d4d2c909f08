package compose

import (
	"net/netip"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// announcedOfServers are warnings of addresses that a manifest in the user-data of a new server announces, although another server of its cluster has them.
// What the claim and the catalogue know to be somebody's, package resolve says.
func announcedOfServers(c *call, m *machine.Machine) (out []string) {
	if m.K3s == nil || len(c.otherServerVMs) == 0 || born(c) {
		return nil // User-data is read once.
	}

	for _, manifest := range resolve.Manifests(c.claim.Fields().Bootstrap.UserData) {
		for _, a := range manifest.Announced {
			for _, vm := range c.otherServerVMs {
				address, err := netip.ParseAddr(vm.Metadata.Labels[proxmox.AddressLabel("ipv4", 0)])
				if err == nil && c.facts.Kin.Has(vm) && a.Range.Contains(address) {
					out = append(out, manifest.Warns(a, address.String(), "the address of the cluster's server "+message.Excerpt(c.facts.Kin.ServerOf(vm))))
				}
			}
		}
	}

	slices.Sort(out)

	return slices.Compact(out)
}
