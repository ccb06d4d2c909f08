package site

import (
	"fmt"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// An interface has its ports and addresses in Proxmox until they are taken from it there: also one that the claim no longer has, which stays. With another
// interface of the node that is to have them, the node and its VMs could be cut off.

// hold a part that is to have what another interface of its node has in Proxmox.
func (p *Plan) hold(part *Part, port string) {
	for _, other := range p.Parts {
		if !p.has(other, *part, port) {
			continue
		}

		if !other.Removed && p.awaits(other, *part, map[string]bool{}) {
			part.Problem = fmt.Sprintf("%s of node %s belongs to %s, which waits in turn for what %s has: neither lets go of it first. Exchange them in Proxmox (node, "+
				"System, Network), or give one of them in a commit before this one a value that no interface has.", message.Excerpt(port), part.Node, other.Name, part.Name)

			return
		}

		if !other.Removed {
			part.Waits = fmt.Sprintf("It waits until %s of node %s no longer has %s.", other.Name, part.Node, message.Excerpt(port))
			return
		}

		part.Problem = fmt.Sprintf("%s of node %s belongs to %s, which the claim no longer has, and which stays in Proxmox with it. Write %s into the claim again, without %s, and allow "+
			"that; or have it deleted (spec.deletionPolicy: Delete, and %s).", message.Excerpt(port), part.Node, other.Name, other.Name, message.Excerpt(port), removalField(other))
	}
}

// awaits says whether an interface is to have what a part has in Proxmox, or what one has that is to have it, and so on.
func (p *Plan) awaits(from, part Part, seen map[string]bool) bool {
	seen[from.Key()] = true

	for _, holder := range p.Parts {
		holds := func(value string) bool { return p.has(holder, from, value) }
		if holder.Removed || seen[holder.Key()] || !slices.ContainsFunc(append(slices.Clone(from.Ports), from.Address, from.Address6), holds) {
			continue
		}

		if holder.Key() == part.Key() || p.awaits(holder, part, seen) {
			return true
		}
	}

	return false
}

// has says whether another interface of a part's node has a port, or an address, in Proxmox.
func (p *Plan) has(other, part Part, port string) bool {
	if other.Kind == machine.SitePool || other.Node != part.Node || other.Key() == part.Key() || port == "" {
		return false
	}

	o := p.Observed.SiteParts[other.Resource]
	at := o.Status.AtProvider

	return at.ID != "" && !isGone(o) && (slices.Contains(at.Ports, port) || at.Address == port || at.Address6 == port)
}

// wanted says which interface of the claim is to have what a removed one has in Proxmox; empty where none is.
func (p *Plan) wanted(removed Part) string {
	for _, other := range p.Parts {
		for _, port := range append(slices.Clone(other.Ports), other.Address, other.Address6) {
			if !other.Removed && p.has(removed, other, port) {
				return other.Name
			}
		}
	}

	return ""
}
