package cluster

import (
	"cmp"
	"maps"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// refusedSpec is why a node is not as the claim describes it.
const refusedSpec = "the claim's spec of it is refused"

// change nodes that differ from what the claim describes, in turns: servers before agents.
func (d *decision) change() {
	for _, m := range d.Members {
		c, exists := d.Children[m.Node]
		if !exists || c.Deleting || !d.outdated(m, c) {
			continue
		}

		s := d.steps[m.Node]
		fields := d.changes[m.Node]

		if s.Action == ActionUpgrade {
			continue
		}

		if !d.mayChange(m, s) {
			continue
		}

		s.Action, s.Fields, s.Template, s.Turn = ActionChange, fields, m.Template, TurnEdit
		s.Why = cmp.Or(list(fields), "its template")

		unfinished := c.Turn == TurnMayReplace || c.Turn == TurnReplaced && c.Need != NeedNothing
		if !isFirstTurn(c) && (unfinished || mayReplace(fields, d.Upgrade == v1alpha1.UpgradeReplace)) {
			s.Turn = TurnMayReplace
		}

		s.Spec, s.DataDisks = d.changed(m, c), c.DataDisks || m.DataDisks()

		if d.Unaccepted[m.Node] {
			d.unaccepted = append(d.unaccepted, m.Node)
		}

		if s.State != StateReplacing && s.State != StateNotReady {
			s.State = StateChanging
		}
	}
}

// mayChange says whether a node that differs from what the claim describes can have its turn now, and notes what it waits for.
func (d *decision) mayChange(m Member, s *Step) bool {
	switch {
	case len(d.Refusals.Nodes[m.Node]) > 0:
		s.Why = refusedSpec
	case !d.free(m, s):
	case !d.may(m.Node, m.Role, restEnded):
		s.Why = "waits for " + list(d.waitsFor(m.Node, m.Role, restEnded))
	default:
		return true
	}

	return false
}

// changed is the spec of a node in its turn. The actions that a person requested of it stay, and so does the way in which a founder was
// created. A replacement that is under way is given up: its VM is of the spec before.
func (w World) changed(m Member, c Child) map[string]any {
	spec := maps.Clone(SpecOf(m, c))
	spec["deletionPolicy"] = string(cmp.Or(w.DeletionPolicy, v1alpha1.DeletionOrphan))
	spec["deletionProtection"] = w.Protected

	if l, ok := c.Spec["lifecycle"].(map[string]any); ok {
		l = maps.Clone(l)
		if c.Turn == TurnReplaced && (c.Need == NeedReplacing || c.Need == NeedBlocked) {
			delete(l, "replace")
		}

		spec["lifecycle"] = l
	}

	if adopt, ok := c.Spec["adopt"]; ok {
		spec["adopt"] = adopt
	}

	if has, ok := c.Spec["k3s"].(map[string]any); ok && founds(c.Spec) {
		k := maps.Clone(group(spec, "k3s"))
		k["init"] = true
		delete(k, "token")

		if t, ok := has["token"]; ok {
			k["token"] = t
		}

		spec["k3s"] = k
		spec = keepRestore(spec, c.Spec)
	}

	return requested(spec, m, c)
}
