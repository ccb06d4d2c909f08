package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// planOf a decision, with what is to be said of it.
func planOf(d *decision) Plan {
	p := Plan{}

	for _, m := range d.now.Members {
		s := *d.steps[m.Node]
		s.Wanted = true
		p.Steps = append(p.Steps, s)

		if s.State == StateReady {
			p.Done++
		}
	}

	for _, name := range slices.Sorted(maps.Keys(d.steps)) {
		if !d.now.wants(name) {
			p.Steps = append(p.Steps, *d.steps[name])
		}
	}

	p.Turn, p.Upgrades = turnOf(p.Steps), plansOf(d.now, d.steps)
	p.Emptied = d.now.emptied
	p.Lost = d.now.losses.message()
	p.State, p.Message = rollout(d, p)
	p.Announced = announced(d.now)

	return p
}

// turnOf steps is the step of the node whose turn it is: one that a turn begins for or goes on for now, else the first that is not at rest.
func turnOf(steps []Step) *Step {
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
func rollout(d *decision, p Plan) (v1alpha1.RolloutState, string) {
	refused := status.OfCluster.RefusedInOneLine(d.now.Refusals.All())
	pending := p.Done < len(d.now.Members) || len(p.Steps) > len(d.now.Members) || refused != ""
	broken := broken(d.now, p.Steps)

	switch {
	case emptiedMessage(d.now) != "":
		return v1alpha1.RolloutBlocked, emptiedMessage(d.now)
	case !pending:
		return v1alpha1.RolloutComplete, completed(d.now)
	case len(d.said.refused) > 0:
		return v1alpha1.RolloutBlocked, sentence(strings.Join(d.said.refused, ". "))
	case len(d.said.unaccepted) > 0:
		return v1alpha1.RolloutBlocked, "The API server did not take the new spec of " + list(d.said.unaccepted) + ": the events of the cluster's composite have its words."
	case approvals(d.now) != "":
		return v1alpha1.RolloutBlocked, approvals(d.now)
	case holds(d.now.Children, p) != "":
		return v1alpha1.RolloutBlocked, holds(d.now.Children, p)
	case p.Turn != nil && p.Turn.Action == ActionUpgrade:
		return v1alpha1.RolloutProgressing, upgradeProgress(d.now, p)
	case p.Turn != nil && p.Turn.Action != ActionKeep:
		return v1alpha1.RolloutProgressing, p.Turn.Node + " " + doing(*p.Turn) + "; " + progress(d.now, p)
	case len(broken) > 0 && refuses(d.now.Children, p.Steps) != "":
		return v1alpha1.RolloutBlocked, "The rollout waits for " + strings.Join(broken, "; ") + "; " + progress(d.now, p) + " " + refuses(d.now.Children, p.Steps)
	case len(broken) > 0:
		return v1alpha1.RolloutWaiting, "The rollout waits for " + strings.Join(broken, "; ") + "; " + progress(d.now, p)
	case p.Turn != nil:
		return v1alpha1.RolloutProgressing, p.Turn.Node + " " + underWay(*p.Turn) + trouble(d.now.Children[p.Turn.Node]) + "; " + progress(d.now, p) + afterCorrection(d.now, *p.Turn)
	case len(d.now.Leaving) > 0:
		return v1alpha1.RolloutWaiting, "The next turn waits until the VM of " + list(d.now.Leaving) + " is gone; " + progress(d.now, p)
	case refused != "":
		return v1alpha1.RolloutBlocked, strings.Join(append([]string{refused}, sentences(d.said.blocked)...), " ")
	case len(d.said.blocked) > 0:
		return v1alpha1.RolloutBlocked, strings.Join(sentences(d.said.blocked), " ")
	case p.Lost != "":
		return v1alpha1.RolloutBlocked, p.Lost
	case d.now.Rollout.Pause:
		return v1alpha1.RolloutPaused, "rollout.pause holds the next turn; " + progress(d.now, p)
	default:
		return waiting(d.now, d.said.waits, p)
	}
}

// waiting is for which nodes the next turn waits, and what these miss in their own words: the cluster may know nothing against the others. What waits for a
// node that only a person can help is blocked.
func waiting(now *situation, waits []string, p Plan) (v1alpha1.RolloutState, string) {
	names := slices.Compact(slices.Sorted(slices.Values(waits)))
	out := "The next turn waits for " + list(names) + "; " + progress(now, p)

	for _, name := range names {
		if c := now.Children[name]; c.Answered && c.Held.Reason != "" {
			return v1alpha1.RolloutBlocked, out + " " + sentence(name+" cannot go on: "+c.Held.Reason+": "+typed(name, c.Role, c.Held.Message))
		}
	}

	for _, name := range names {
		if text := now.Children[name].Quorum; text != "" {
			return v1alpha1.RolloutWaiting, out + " " + sentence(name+" says: "+typed(name, now.Children[name].Role, text))
		}
	}

	return v1alpha1.RolloutWaiting, out
}

// refuses is why the first node that takes no spec does not, in its own words; empty where all do.
func refuses(children Children, steps []Step) string {
	for _, s := range steps {
		if c := children[s.Node]; s.State == StateNotReady && c.Refused != "" {
			return sentence(s.Node + " cannot go on: " + typed(s.Node, c.Role, c.Refused))
		}
	}

	return ""
}

// broken are the nodes that are not at rest although nobody works on them, each with the reason.
func broken(now *situation, steps []Step) []string {
	var out []string

	for _, s := range steps {
		if s.State == StateNotReady && !now.losses.lost(s.Node) {
			out = append(out, s.Node+trouble(now.Children[s.Node]))
		}
	}

	return out
}

func progress(now *situation, p Plan) string {
	return fmt.Sprintf("%d of %d nodes are done.", p.Done, len(now.Members))
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

// afterCorrection is what brings a node into the cluster that has not joined, and whose spec was edited since its VM was made: no turn replaces a VM that
// may be about to join. Empty where nothing is to be said.
func afterCorrection(now *situation, s Step) string {
	if c := now.Children[s.Node]; s.State != StateCreating || !c.Answered || c.Need != NeedNewVM {
		return ""
	}

	return " Its VM has what it was made with. If it does not join with that, set lifecycle.replace to a new value for " + s.Node + " in spec.nodes."
}

// holds says what keeps the turn of a node from going on, in the node's own words; empty where it goes on, or waits for what comes by itself.
func holds(children Children, p Plan) string {
	t := p.Turn
	if t == nil || t.Action != ActionKeep && t.Action != ActionRemove {
		return ""
	}

	c := children[t.Node]

	how := underWay(*t)
	if t.Action == ActionRemove {
		how = "is being removed"
	}

	switch {
	case c.Refused != "" && t.Action == ActionKeep:
		return sentence(t.Node + " " + how + ", and cannot go on: " + typed(t.Node, c.Role, c.Refused))
	case c.Held.Reason == "" || !c.Answered:
		return ""
	}

	return sentence(t.Node + " " + how + ", and cannot go on: " + c.Held.Reason + ": " + typed(t.Node, c.Role, c.Held.Message))
}
