package lifecycle

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Presence is what is known of the networks that a guest is in. With an edit of an address, those that its claim describes are others at once, and the
// guest is there when it has read the edit: at a restart, or never, if it reads its cloud-init drive at its first boot only.
type Presence string

// What is known.
const (
	// PresenceClaimed: the guest is where its claim says.
	PresenceClaimed Presence = ""
	// PresenceUnread: nobody knows where it is. It may be in each network that it was in.
	PresenceUnread Presence = "Unread"
	// PresenceReported: it has the addresses that its agent reports.
	PresenceReported Presence = "Reported"
)

// formerNetwork ends the comment of a rule for networks that the guest has not left.
const formerNetwork = " (former network)"

// former are the rules for networks in which the guest still is, or may be, although its claim describes others. They were written for its own networks
// then, and go when it is seen elsewhere.
func (g FirewalledGuest) former() []proxmox.FirewallRule {
	var out []proxmox.FirewallRule

	if g.Presence == PresenceClaimed {
		return out
	}

	for _, has := range g.Observed.Rules[proxmox.FirewallRulesOf(g.Name)].Spec.ForProvider.Rule {
		has.Comment = strings.TrimSuffix(has.Comment, formerNetwork)

		own := g.ownNetworks(has)
		if len(own) == 0 {
			continue
		}

		var still []string

		for source := range strings.SplitSeq(has.Source, ",") {
			if n, err := netip.ParsePrefix(source); err == nil && !machine.Within(n, own) && g.mayBeIn(n, own) {
				still = append(still, source)
			}
		}

		has.Source, has.Comment = strings.Join(still, ","), has.Comment+formerNetwork
		if len(still) > 0 && !slices.Contains(out, has) {
			out = append(out, has)
		}
	}

	return out
}

// ownNetworks are those that the claim's rules for the same connections name as the guest's own; none where it has no such rule.
func (g FirewalledGuest) ownNetworks(has proxmox.FirewallRule) []netip.Prefix {
	var out []netip.Prefix

	for _, r := range g.Wanted.Rules {
		claimed := ruleOf(r)
		claimed.Source = has.Source

		if !r.OwnNetworks || claimed != has {
			continue
		}

		for source := range strings.SplitSeq(r.From, ",") {
			if n, err := netip.ParsePrefix(source); err == nil {
				out = append(out, n)
			}
		}
	}

	return out
}

// mayBeIn says whether the guest may be in a network, and in none of its own that the claim describes.
func (g FirewalledGuest) mayBeIn(network netip.Prefix, own []netip.Prefix) bool {
	if g.Presence == PresenceUnread {
		return true
	}

	return slices.ContainsFunc(g.Addresses, func(a netip.Addr) bool {
		return network.Contains(a) && !machine.Within(netip.PrefixFrom(a, a.BitLen()), own)
	})
}

// withoutFormer is a filter without the networks that the guest is to leave.
func withoutFormer(f change.Filter) change.Filter {
	f.Rules = slices.DeleteFunc(slices.Clone(f.Rules), func(r proxmox.FirewallRule) bool { return strings.HasSuffix(r.Comment, formerNetwork) })

	return f
}

// presenceOf a VM. waits are the changes that it has not taken up.
func presenceOf(vm proxmox.ObservedVM, waits []change.Change) (Presence, []netip.Addr) {
	p := vm.Spec.ForProvider

	switch addresses := slices.Concat(proxmox.GuestAddresses(vm)...); {
	case len(addresses) > 0:
		return PresenceReported, addresses
	case HasGuestAgent(p), change.ReadsDriveOnce(p), slices.ContainsFunc(waits, change.OfAddress):
		return PresenceUnread, nil
	}

	return PresenceClaimed, nil
}
