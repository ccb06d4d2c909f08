package cluster

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// A rest is how much of a node's turn has to be over before another node has its turn.
type rest int

const (
	// restEnded: the node's turn has nothing left to do. A new turn begins only then.
	restEnded rest = iota
	// restBetween: nothing is under way, and the next part of the turn may be still to come. A turn that has begun goes on then: two of them
	// would wait for each other otherwise.
	restBetween
)

// rests says whether a node serves its cluster and is at rest, whether or not it is as the claim describes it.
func (d *decision) rests(node string, how rest) bool {
	c := d.now.Children[node]
	if c.Unmade {
		return true // A node that is refused, as for its tenant's quota, and has no VM holds up none that has one.
	}

	if d.now.losses.lost(node) && d.steps[node].Action == ActionKeep && !d.now.losses.rejoins(node) {
		return true
	}

	if !c.serves() || d.steps[node].Action != ActionKeep {
		return false
	}

	m, wanted := d.now.members[node]
	if !wanted || d.now.outdated(m, c) {
		return true
	}

	// A need that came up later, by an edit of the catalogue, keeps nobody from anything.
	if c.Turn == TurnReplaced && c.Need == NeedBlocked || c.Turn.isRebooted() && c.Restart != RestartNone && !d.now.needsHand(m, c) {
		return false
	}

	return how == restBetween || d.now.owed(m, c) == ActionKeep
}

// restless are the nodes of a role that are not at rest, except one, sorted.
func (d *decision) restless(except string, role Role, how rest) []string {
	var out []string

	for name, s := range d.steps {
		_, exists := d.now.Children[name]
		// A node that is created in this call does not exist yet.
		if name != except && s.Role == role && (exists && !d.rests(name, how) || !exists && s.Action == ActionCreate) {
			out = append(out, name)
		}
	}

	slices.Sort(out)

	return out
}

// waitsFor are the nodes for which the turn of a node has to wait: for a server all others, for an agent the servers, and other agents where
// as many as may are away.
func (d *decision) waitsFor(node string, role Role, how rest) []string {
	servers, agents := append(slices.Clone(d.now.Leaving), d.restless(node, v1alpha1.K3sServer, how)...), d.restless(node, v1alpha1.K3sAgent, how)

	if role == v1alpha1.K3sServer && !d.now.losses.lost(node) && !d.now.losses.margin(node) {
		servers = append(servers, d.now.losses.servers()...)
	}

	if role == v1alpha1.K3sServer || int64(len(agents)) >= max(1, d.now.Rollout.MaxUnavailable) {
		return append(servers, agents...)
	}

	return servers
}

// may says whether a node can have its turn now, and remembers what it waits for.
func (d *decision) may(node string, role Role, how rest) bool {
	waits := d.waitsFor(node, role, how)
	d.said.wait(waits...)

	return len(waits) == 0
}
