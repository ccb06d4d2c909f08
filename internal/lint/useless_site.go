package lint

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"

	catalogues "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// installersBridge is the one that Proxmox's installer makes on every node.
const installersBridge = "vmbr0"

// noPorts are names of interfaces that are no ports of a bridge, and why: the kernel takes only what has frames of Ethernet, no bridge and no Wi-Fi adapter
// (br_add_if of Linux, net/bridge/br_if.c), and what belongs to a guest is gone when the guest stops. A name proves nothing, so these are warnings.
var noPorts = []struct { //nolint:gochecknoglobals // A constant table.
	pattern *regexp.Regexp
	why     string
}{
	{regexp.MustCompile(`^wl(an\d+|p\d+s\d+\w*|[ox]\w+)$`), "is a Wi-Fi adapter by its name, which the kernel takes into no bridge: name a NIC with a cable, such as enp2s0"},
	{regexp.MustCompile(`^(wg|tun|ppp|ib|tailscale)\d+$`), "has no frames of Ethernet, by its name, and the kernel takes nothing else into a bridge: name a NIC, such as enp2s0"},
	{regexp.MustCompile(`^(docker\d+|virbr\d+|lxcbr\d+|br\d+)$`), "is a bridge by its name: a bridge cannot be a port of a bridge"},
	{
		regexp.MustCompile(`^(tap|veth|fwbr|fwln|fwpr)\d+[ip]\d+$`),
		"is an interface of a guest by its name, which Proxmox makes when the guest starts: remove it, and name the bridge in the guest's claim (network.bridge)",
	},
}

// inPool warns of an address of a node that the site's pool has: a guest with network.pool may get it, since what a ProxmoxSite says is nobody's claim of it.
func inPool(l *linter, o object, at, address string, pool catalogues.AddressPool) {
	p, err := netip.ParsePrefix(address)

	ranges, faults := catalog.AddressRanges(pool, nil)
	if err != nil || len(faults) > 0 || pool.IsZero() || pool.Named != nil {
		return
	}

	for _, r := range ranges {
		if r.Contains(p.Addr()) {
			l.add(o, at, fmt.Sprintf("%s: is in the site's address pool, %s, from which guests get theirs: take an address outside of it, or take this one out of the pool",
				message.Excerpt(address), r), Warning)
		}
	}
}

// uselessOfSite warns of what the claim of a ProxmoxSite says without effect.
func uselessOfSite(l *linter, o object, s v1alpha1.ProxmoxSiteSpec, cat catalog.Catalog) {
	pool := cat.Sites[cmp.Or(s.Proxmox.Site, cat.Defaults.Site, only(cat.Sites))].Network.Pool

	if r := s.AllowRemoval; s.DeletionPolicy != v1alpha1.DeletionDelete && len(r.Interfaces)+len(r.Pools) > 0 {
		l.addAtKey(o, "spec.allowRemoval", "has no effect without deletionPolicy: Delete: what is no entry any more stays in Proxmox. Write deletionPolicy: Delete, or remove allowRemoval", Warning)
	}

	for _, node := range slices.Sorted(maps.Keys(s.Nodes)) {
		for i, v := range s.Nodes[node].VLANs {
			at := fmt.Sprintf("spec.nodes.%s.vlans[%d]", message.Key(node), i)

			uselessWord(l, o, at, v.ProxmoxSiteInterface)
			inPool(l, o, at+".address", v.Address, pool)
		}

		for i, b := range s.Nodes[node].Bridges {
			at := fmt.Sprintf("spec.nodes.%s.bridges[%d]", message.Key(node), i)

			uselessBridge(l, o, at, b)
			uselessWord(l, o, at, b.ProxmoxSiteInterface)
			inPool(l, o, at+".address", b.Address, pool)
		}
	}
}

// uselessWord warns of a word that allows no change of an interface, since it is the hash of none.
func uselessWord(l *linter, o object, at string, i v1alpha1.ProxmoxSiteInterface) {
	if word := i.AllowInterruption; word != "" && !lifecycle.IsLettered(word) {
		l.add(o, at+".allowInterruption", fmt.Sprintf("%s: has no effect: it is not the hash of a change, which has a letter and nine more letters from a to f or digits. "+
			"Write the one that status.interfaces shows beside the changes, and kubectl machine plan, too, such as \"b81f9a3c20\"", message.Excerpt(word)), Warning)
	}
}

// uselessBridge warns of a bridge that is on the node already, and of ports that no bridge takes.
func uselessBridge(l *linter, o object, at string, b v1alpha1.ProxmoxSiteBridge) {
	if b.Name == installersBridge {
		l.add(o, at+".name", installersBridge+": Proxmox's installer makes this bridge, with the node's address. Where the node has it, the entry does nothing (NameTaken): "+
			"remove the entry, since claims name the bridge in network.bridge without one, or take another name", Warning)
	}

	for j, port := range b.Ports {
		for _, no := range noPorts {
			if no.pattern.MatchString(port) {
				l.add(o, fmt.Sprintf("%s.ports[%d]", at, j), message.Excerpt(port)+": "+no.why, Warning)
			}
		}
	}
}
