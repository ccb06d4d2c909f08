package lint

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
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

// uselessOfSite warns of what the claim of a ProxmoxSite says without effect.
func (l *linter) uselessOfSite(o object, s v1alpha1.ProxmoxSiteSpec) {
	if r := s.AllowRemoval; s.DeletionPolicy != v1alpha1.DeletionDelete && len(r.Interfaces)+len(r.Pools) > 0 {
		l.addAtKey(o, "spec.allowRemoval", "has no effect without deletionPolicy: Delete: what is no entry any more stays in Proxmox. Write deletionPolicy: Delete, or remove allowRemoval", Warning)
	}

	for _, node := range slices.Sorted(maps.Keys(s.Nodes)) {
		for i, b := range s.Nodes[node].Bridges {
			at := fmt.Sprintf("spec.nodes.%s.bridges[%d]", message.Key(node), i)

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
	}
}
