package cluster

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// noSuchNode is why a node goes.
const noSuchNode = "the claim has no such node any more"

// removeUnwanted nodes, which the claim does not describe: agents before servers, the highest numbers first, one at a time.
func removeUnwanted(d *decision) {
	var gone []string

	for name := range d.now.Children {
		if !d.now.wants(name) {
			gone = append(gone, name)
		}
	}

	slices.SortFunc(gone, func(a, b string) int {
		return cmp.Or(-cmp.Compare(rank(d.now.Children[a].Role), rank(d.now.Children[b].Role)), -cmp.Compare(len(a), len(b)), -strings.Compare(a, b))
	})

	for _, name := range gone {
		c, s := d.now.Children[name], d.steps[name]
		if c.Deleting || s.Action == ActionUpgrade {
			continue
		}

		if why := mustStay(d.now, name, c); why != "" {
			s.Why = why
			d.said.block(name + " stays: " + why)

			continue
		}

		if givesUp(s, c) {
			s.Why = "gives up what is on its lost Proxmox node first"
			continue
		}

		if !d.may(name, c.Role, restEnded) {
			s.Why = "waits for " + list(d.waitsFor(name, c.Role, restEnded))
			continue
		}

		if beingMade(c) {
			s.Why = "waits until its VM is made, so that it can be destroyed"
			d.said.wait(name)

			continue
		}

		leave(d.now, name, c, s)
	}
}

// leave is what a node that may go does next: first what has to be before its VM is destroyed, then its composite goes.
func leave(now *situation, node string, c Child, s *Step) {
	s.Action, s.State, s.Why = ActionRemove, StateLeaving, noSuchNode

	switch {
	case c.Unmade:
		s.Spec = nil // It answers to no edit, and has nothing to be protected.
	case stopsFirst(c) && !now.losses.fenced(node):
		s.Spec, s.Why = withPower(s.Spec, v1alpha1.PowerStopped), "its VM is stopped first, so that it does not join while it goes"
	case drainsFirst(now, c):
		s.Spec, s.Why = withLifecycle(s.Spec, map[string]any{"drain": lifecycle.DrainForRemoval}), "its Node is drained first"+drainTrouble(c)
	case c.Spec["deletionProtection"] != false || !c.Answered:
		// Its own protection goes first.
		s.Spec["deletionProtection"] = false
	default:
		s.Spec = nil
	}
}

// beingMade says whether the provider makes the VM of a node now. Until it is known to be the node's, nobody may destroy it: whoever deletes the node
// leaves a VM behind that joins the cluster, and has no snippets any more.
func beingMade(c Child) bool {
	return c.Answered && !c.Joined && c.VM == VMStateMaking
}

// stopsFirst says whether the VM of a server that nobody has seen in the cluster has to be stopped before the server goes. It could become a member of
// etcd at any moment, and a member whose VM is destroyed without a word stays one that is out.
func stopsFirst(c Child) bool {
	return c.Role == v1alpha1.K3sServer && !c.Joined && c.VMID != nil && !(c.Answered && c.VM == VMStateStopped)
}

func withPower(spec map[string]any, p v1alpha1.Power) map[string]any {
	out := maps.Clone(spec)
	out["power"] = string(p)

	return out
}

// mustStay says why a node cannot be removed; empty if it can.
func mustStay(now *situation, node string, c Child) string {
	switch {
	case c.Unmade:
		return ""
	case now.DeletionPolicy != v1alpha1.DeletionDelete:
		return "with deletionPolicy: Orphan its VM would run on as a node of the cluster; set deletionPolicy: Delete"
	case now.losses.lost(node) && !now.losses.fenced(node):
		return "its Proxmox node " + c.ProxmoxNode + " is not in the catalogue, and the provider would try for ever to delete what is on it; when its VM is off for good, " +
			"set lost: true for it in spec.nodes"
	case c.Provider == ProviderHostSilent && !now.losses.fenced(node):
		return "its Proxmox node " + c.ProxmoxNode + " does not answer, and what is on it could not be deleted; it goes when the node is back, or, when its VM is off for good, " +
			"with lost: true for it in spec.nodes"
	case c.DataDisks && now.Protected:
		return "its VM has data disks, which would be destroyed; set deletionProtection: false"
	case c.Role == v1alpha1.K3sServer && !now.NodesLeave:
		return "its member would stay in etcd, which could lose its quorum; set providerConfig and observe in the cluster's entry of the catalogue"
	case c.Role == v1alpha1.K3sServer && !now.Children.majority(node):
		return "the remaining servers would have no quorum without it"
	default:
		return ""
	}
}

// rank of a role: servers first.
func rank(r Role) int {
	if r == v1alpha1.K3sServer {
		return 0
	}

	return 1
}
