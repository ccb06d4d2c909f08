package cluster

import "github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"

// needsNewVM says whether the turn of a node that has its new spec takes a new VM.
func (w World) needsNewVM(m Member, c Child) bool {
	if c.Turn != TurnMayReplace || w.Rollout.ReplacePolicy == v1alpha1.ReplaceOnRequest || m.DataDisks() || c.DataDisks {
		return false
	}

	return c.Need == NeedNewVM || c.VersionChanged && w.Upgrade == v1alpha1.UpgradeReplace
}

// needsHand says whether a node waits for a power cycle that only a person can make, since Crossplane would be down with it.
func (w World) needsHand(m Member, c Child) bool {
	return c.RebootPending && w.Rollout.RebootPolicy == v1alpha1.RebootWhenNeeded && w.Here && w.onlyServer(m)
}

// restarts says whether a node waits for a power cycle that its turn makes.
func restarts(w World, c Child) bool {
	return c.RebootPending && w.Rollout.RebootPolicy == v1alpha1.RebootWhenNeeded && c.Turn != TurnRebooted && c.Need == NeedNothing
}

// staysUp says whether the VM of a node runs without what waits for its next power cycle, and nobody is to power-cycle it.
func staysUp(w World, m Member, c Child) bool {
	if !c.Answered || !c.Joined || !c.RebootPending || c.Turn == TurnRebooted || c.Need == NeedReplacing || w.needsNewVM(m, c) || w.needsHand(m, c) {
		return false
	}

	return !restarts(w, c)
}
