package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// plan is the decision with what is to be said of it.
func (d *decision) plan() Plan {
	p := Plan{}

	for _, m := range d.Members {
		s := *d.steps[m.Node]
		s.Wanted = true
		p.Steps = append(p.Steps, s)

		if s.State == StateReady {
			p.Done++
		}
	}

	for _, name := range slices.Sorted(maps.Keys(d.steps)) {
		if !d.wants(name) {
			p.Steps = append(p.Steps, *d.steps[name])
		}
	}

	p.Turn, p.Upgrades = d.turn(p.Steps), upgrades{d}.plans()
	p.Emptied = d.emptied()
	p.Lost = lossesOf(d).lostMessage()
	p.State, p.Message = d.rollout(p)

	return p
}

// turn is the step of the node whose turn it is: one that a turn begins for or goes on for now, else the first that is not at rest.
func (d *decision) turn(steps []Step) *Step {
	for i := range steps {
		if steps[i].Action != ActionKeep && steps[i].Action != ActionWait {
			return &steps[i]
		}
	}

	for i := range steps {
		if s := steps[i].State; s == StateCreating || s == StateChanging || s == StateReplacing || s == StateLeaving {
			return &steps[i]
		}
	}

	return nil
}

// rollout is the state of the whole, and a sentence.
func (d *decision) rollout(p Plan) (v1alpha1.RolloutState, string) {
	refused := status.OfCluster.Refused(d.Refusals.All())
	pending := p.Done < len(d.Members) || len(p.Steps) > len(d.Members) || refused != ""
	broken := d.broken(p.Steps)

	switch {
	case d.emptiedMessage() != "":
		return v1alpha1.RolloutBlocked, d.emptiedMessage()
	case !pending:
		return v1alpha1.RolloutComplete, upgrades{d}.completed()
	case len(d.refused) > 0:
		return v1alpha1.RolloutBlocked, sentence(strings.Join(d.refused, ". "))
	case len(d.unaccepted) > 0:
		return v1alpha1.RolloutBlocked, "The API server did not take the new spec of " + list(d.unaccepted) + ": the events of the cluster's composite have its words."
	case approvals(d) != "":
		return v1alpha1.RolloutBlocked, approvals(d)
	case holds(d, p) != "":
		return v1alpha1.RolloutBlocked, holds(d, p)
	case p.Turn != nil && p.Turn.Action == ActionUpgrade:
		return v1alpha1.RolloutProgressing, upgrades{d}.progress(p)
	case p.Turn != nil && p.Turn.Action != ActionKeep:
		return v1alpha1.RolloutProgressing, p.Turn.Node + " " + doing(*p.Turn) + "; " + d.progress(p)
	case len(broken) > 0:
		return v1alpha1.RolloutWaiting, "The rollout waits for " + strings.Join(broken, "; ") + "; " + d.progress(p)
	case p.Turn != nil:
		return v1alpha1.RolloutProgressing, p.Turn.Node + " " + underWay(*p.Turn) + d.trouble(p.Turn.Node) + "; " + d.progress(p)
	case len(d.Leaving) > 0:
		return v1alpha1.RolloutWaiting, "The next turn waits until the VM of " + list(d.Leaving) + " is gone; " + d.progress(p)
	case refused != "":
		return v1alpha1.RolloutBlocked, strings.Join(append([]string{refused}, sentences(d.blocked)...), " ")
	case len(d.blocked) > 0:
		return v1alpha1.RolloutBlocked, strings.Join(sentences(d.blocked), " ")
	case p.Lost != "":
		return v1alpha1.RolloutBlocked, p.Lost
	case d.Rollout.Pause:
		return v1alpha1.RolloutPaused, "rollout.pause holds the next turn; " + d.progress(p)
	default:
		return d.waiting(p)
	}
}

// waiting is for which nodes the next turn waits, and what these miss in their own words: the cluster may know nothing against the others. What waits for a
// node that only a person can help is blocked.
func (d *decision) waiting(p Plan) (v1alpha1.RolloutState, string) {
	names := slices.Compact(slices.Sorted(slices.Values(d.waits)))
	out := "The next turn waits for " + list(names) + "; " + d.progress(p)

	for _, name := range names {
		if c := d.Children[name]; c.Answered && c.Held.Reason != "" {
			return v1alpha1.RolloutBlocked, out + " " + sentence(name+" cannot go on: "+c.Held.Reason+": "+typed(name, c.Role, c.Held.Message))
		}
	}

	for _, name := range names {
		if text := d.Children[name].Quorum; text != "" {
			return v1alpha1.RolloutWaiting, out + " " + sentence(name+" says: "+typed(name, d.Children[name].Role, text))
		}
	}

	return v1alpha1.RolloutWaiting, out
}

// broken are the nodes that are not at rest although nobody works on them, each with the reason.
func (d *decision) broken(steps []Step) []string {
	var out []string

	for _, s := range steps {
		if s.State == StateNotReady && !lossesOf(d).lost(s.Node) {
			out = append(out, s.Node+d.trouble(s.Node))
		}
	}

	return out
}

// trouble is what a node says of itself, in parentheses; empty where it says nothing.
func (d *decision) trouble(node string) string {
	c := d.Children[node]

	all := slices.Clone(c.Silent)
	if c.Trouble != "" && !slices.Contains(all, c.Trouble) {
		all = append([]string{c.Trouble}, all...)
	}

	if len(all) == 0 {
		return ""
	}

	return " (" + strings.Join(all, ", ") + ")"
}

func (d *decision) progress(p Plan) string {
	return fmt.Sprintf("%d of %d nodes are done.", p.Done, len(d.Members))
}

// doing is what a step does to a node.
func doing(s Step) string {
	switch s.Action {
	case ActionAdopt:
		return s.Why
	case ActionCreate:
		return "is being created: " + s.Why
	case ActionChange:
		return "gets its change: " + s.Why
	case ActionReplace:
		return "is being replaced: " + s.Why
	case ActionUpgrade:
		return "is being upgraded: " + s.Why
	case ActionReboot:
		return "is being restarted: " + s.Why
	case ActionRemove:
		return "is being removed: " + s.Why
	case ActionKeep, ActionWait:
	}

	return "is kept"
}

// underWay is what a node is in the middle of.
func underWay(s Step) string {
	switch s.State {
	case StateCreating:
		return "is being created, and has not joined yet"
	case StateReplacing:
		return "is being replaced"
	case StateLeaving:
		return "is leaving"
	case StateWaiting, StateAdopting, StateReady, StateOutdated, StateChanging, StateNotReady:
	}

	return "is being changed"
}

// holds says what keeps the turn of a node from going on, in the node's own words; empty where it goes on, or waits for what comes by itself.
func holds(d *decision, p Plan) string {
	t := p.Turn
	if t == nil || t.Action != ActionKeep && t.Action != ActionRemove {
		return ""
	}

	c := d.Children[t.Node]
	if c.Held.Reason == "" || !c.Answered {
		return ""
	}

	how := underWay(*t)
	if t.Action == ActionRemove {
		how = "is being removed"
	}

	return sentence(t.Node + " " + how + ", and cannot go on: " + c.Held.Reason + ": " + typed(t.Node, c.Role, c.Held.Message))
}
