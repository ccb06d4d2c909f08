package cluster

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// needsNewVM says whether the turn of a node that has its new spec takes a new VM.
func (s *situation) needsNewVM(m Member, c Child) bool {
	mayReplace := c.Turn == TurnMayReplace || c.Turn == TurnRebootedFirst && c.Restart == RestartNone
	if !mayReplace || !s.getsNewVM(m, c) {
		return false
	}

	return c.Need == NeedNewVM || c.VersionChanged && s.Upgrade == v1alpha1.UpgradeReplace
}

// getsNewVM says whether a turn may replace the VM of a node at all.
func (s *situation) getsNewVM(m Member, c Child) bool {
	return s.Rollout.ReplacePolicy != v1alpha1.ReplaceOnRequest && !m.DataDisks() && !c.DataDisks
}

// needsHand says whether a node waits for a power cycle that only a person can make, since Crossplane would be down with it.
func (s *situation) needsHand(m Member, c Child) bool {
	return c.Restart != RestartNone && s.Rollout.RebootPolicy == v1alpha1.RebootWhenNeeded && s.Here && s.Children.onlyServer(m)
}

// restarts says whether a node waits for a power cycle that its turn makes: also a node that keeps its VM, although only a new one has all of its change.
func (s *situation) restarts(c Child) bool {
	asked := s.Rollout.RebootPolicy == v1alpha1.RebootWhenNeeded && !c.Turn.isRebooted()

	return asked && c.Restart != RestartNone && (c.Need == NeedNothing || c.Need == NeedNewVM)
}

// keepsVM says whether a node keeps its VM, although only a new one has what it is to have, and no turn replaces it.
func (s *situation) keepsVM(m Member, c Child) bool {
	return c.Answered && c.Joined && c.Need == NeedNewVM && (!s.needsNewVM(m, c) || s.Children.onlyServer(m))
}

// grows says whether a node is one of two servers, and a third one is to come. Neither may be away before that one has joined: two have no majority
// without each of them, and what is asked of one would wait for the third, which waits for it.
func (s *situation) grows(m Member) bool {
	if m.Role != v1alpha1.K3sServer || len(s.Children.voters()) != 2 {
		return false
	}

	return slices.ContainsFunc(s.Members, func(other Member) bool {
		_, exists := s.Children[other.Node]
		return !exists && other.Role == v1alpha1.K3sServer && len(s.Refusals.Nodes[other.Node]) == 0 && !slices.Contains(s.Taken, other.Node)
	})
}

// replaceable says whether the cluster can do without a node's VM for as long as a new one takes.
func (s *situation) replaceable(m Member) bool { return !s.Children.onlyServer(m) && !s.grows(m) }

// owed is what the turn of a node that has its new spec still has to do.
func (s *situation) owed(m Member, c Child) Action {
	switch {
	case s.outdated(m, c) || !c.Answered || !c.Joined || c.Deleting:
		return ActionKeep
	case s.needsNewVM(m, c) && s.replaceable(m): // One that cannot be had keeps no other node from its turn.
		return ActionReplace
	case s.needsHand(m, c):
		return ActionKeep
	case s.restarts(c) && !s.grows(m):
		return ActionReboot
	default:
		return ActionKeep
	}
}

// stateOf a member that exists.
func (s *situation) stateOf(m Member, c Child) NodeState {
	switch {
	case c.Deleting:
		return StateLeaving
	case !c.Joined:
		return StateCreating
	case c.Need == NeedReplacing || c.Need == NeedBlocked && c.Turn == TurnReplaced:
		return StateReplacing
	case !c.serves() && (c.Answered || c.Trouble != ""):
		return StateNotReady
	case s.outdated(m, c) || s.releases.behind(c) || s.waitsForServers(m) || s.needsNewVM(m, c) && !s.replaceable(m) || s.needsHand(m, c):
		return StateOutdated
	case !c.serves() || s.owed(m, c) != ActionKeep:
		return StateChanging
	default:
		return StateReady
	}
}
