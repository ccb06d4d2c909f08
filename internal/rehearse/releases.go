package rehearse

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// keptReleases are what nodes' conditions say of a release or a token of K3s in their claims that is for their next VMs only, by machine: nothing is done to
// the node, and all is well with it, which is not what everybody expects who edits a version, and hides that no new node joins with a token that the cluster
// does not have. Where Kubernetes Nodes are read, condition VersionCurrent speaks of releases.
func keptReleases(p *play) (out []Wait) {
	for _, m := range p.cluster.Machines {
		reason, message, seen := "", "", false

		for _, c := range world.Conditions(m.Composite) {
			seen = seen || c["type"] == status.TypeVersionCurrent

			if c["reason"] == status.ReasonK3sVersionChanged || c["reason"] == status.ReasonTokenChanged {
				reason, message = fmt.Sprint(c["reason"]), fmt.Sprint(c["message"])
			}
		}

		if reason == status.ReasonK3sVersionChanged && seen {
			message = status.OfToken(message)
		}

		if message != "" {
			out = append(out, Wait{Machine: p.labelOf(m), Message: cluster.Typed(m.Composite, message)})
		}
	}

	slices.SortFunc(out, func(a, b Wait) int { return cmp.Compare(a.Machine, b.Machine) })

	return out
}

// keptSince is what is kept now, and was not before, one line for all machines that say the same.
func keptSince(before, now []Wait) []string { return lines(without(now, before, identical)) }

// lines of what is said of machines, one for all of which the same is said.
func lines(said []Wait) (out []string) {
	for _, w := range together(said) {
		out = append(out, w.Machine+": "+w.Message)
	}

	return out
}

// heldBack is what K3sClusters say of a release in their claims that is older than what runs, so that not even their next VMs get it: all is well with them.
func heldBack(p *play) (out []Wait) {
	for _, m := range p.cluster.Machines {
		for _, c := range world.Conditions(m.Composite) {
			if c["type"] != cluster.TypeRolledOut || !isCluster(m) {
				continue
			}

			if message := cluster.OfLaterReleases(fmt.Sprint(c["message"])); message != "" {
				out = append(out, Wait{Machine: p.labelOf(m), Message: cluster.Typed(m.Composite, message)})
			}
		}
	}

	return out
}
