package rehearse

import (
	"fmt"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// A guard holds in a world in which something goes wrong that nobody but what went wrong takes the majority of an etcd away.
type guard struct {
	votes   world.Votes         // After the turn before.
	members map[string][]string // Of clusters, after the turn before.
	voted   map[string]bool     // Clusters that have had a majority.
	lost    bool                // A majority was lost, and not only by what went wrong.
	broke   int                 // The round before which something went wrong; [never].
}

// A call knows of what went wrong this many rounds later.
const unknownFor = 2

// never is so long ago that each call would know of what went wrong then.
const never = -unknownFor - 1

// watchOver the majorities of a play.
func watchOver(p *play) *guard {
	g := &guard{votes: world.NewVotes(), voted: map[string]bool{}, members: map[string][]string{}, broke: never}
	p.turned = func() { g.hold(p) }
	p.halted = func() bool { _, halted := g.halted(p); return halted }

	for _, e := range p.polls.electorates() {
		g.voted[e.name] = p.polls.etcdOf(e).HasMajority()
		g.members[e.name] = e.members
		g.votes.Note(e.members, p.polls.hasVote)
	}

	return g
}

// breaks is what goes wrong.
func (g *guard) breaks(p *play, what func()) {
	var served []string

	for _, node := range world.Keys(p.cluster.Nodes) {
		if p.cluster.NodeServes(node) {
			served = append(served, node)
		}
	}

	what()
	beat(p.cluster)

	g.broke = p.round

	for _, node := range served {
		if !p.cluster.NodeServes(node) {
			p.cluster.Lately[node] = true
		}
	}

	g.votes.Lose(g.votes.Voters(), p.polls.hasVote, p.round)
}

// hold after the turn of a machine.
func (g *guard) hold(p *play) {
	// What a call ordered of system-upgrade-controller before it could know begins by then, is nobody's mistake, and takes as long as it takes.
	if p.round > g.broke+unknownFor {
		clear(p.cluster.Lately)
	} else {
		g.votes.Lose(p.cluster.Kubernetes.Upgrader.Working(), p.polls.hasVote, p.round)
	}

	for _, e := range p.polls.electorates() {
		left := g.leavers(e)
		// What went wrong after the round before is in no call's observation yet.
		count := g.votes.Count(e.members, p.polls.hasVote, func(node string) bool {
			since, lost := g.votes.LostIn(node)

			return lost && p.round <= since+1
		})

		if count.TakesMajority() || left && !count.HasMajority() {
			g.lost = true
		}
	}
}

// leavers says whether a server that had a vote is no member any more, of those that are left.
func (g *guard) leavers(e electorate) bool {
	left := false

	for _, node := range g.members[e.name] {
		if !slices.Contains(e.members, node) {
			left = left || g.votes.Had(node) && len(e.members) > 0
			g.votes.Forget(node)
		}
	}

	g.members[e.name] = e.members

	return left
}

// conditionCrossplane stands for what is in no condition of a claim: Crossplane does nothing.
const conditionCrossplane = "Crossplane"

// halted says whether Crossplane runs in a cluster whose API does not answer: then nobody writes anything any more, and what for is waited.
func (g *guard) halted(p *play) (Wait, bool) {
	for _, all := range p.polls.electorates() {
		e := p.polls.etcdOf(all)
		if !g.voted[all.name] || e.HasMajority() || !world.RunsHere(all.machine) {
			continue
		}

		return Wait{
			Machine: p.labelOf(all.machine), Condition: conditionCrossplane, Reason: ReasonNoMajority,
			Message: fmt.Sprintf("Crossplane runs in this cluster, whose etcd has no majority: %d of %d vote. Nothing is done any more.", e.Votes, e.Members),
			Todo:    "start the VMs of its servers in Proxmox (`qm start`), or restore etcd from a snapshot where they are gone.",
		}, true
	}

	return Wait{}, false
}
