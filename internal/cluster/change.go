package cluster

import (
	"cmp"
	"maps"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// refusedSpec is why a node is not as the claim describes it.
const refusedSpec = "the claim's spec of it is refused"

// changeOutdated nodes, which differ from what the claim describes, in turns: servers before agents.
func changeOutdated(d *decision) {
	for _, m := range d.now.Members {
		c, exists := d.now.Children[m.Node]
		if !exists || c.Deleting {
			continue
		}

		waitForServers(d, m)

		if !d.now.outdated(m, c) {
			continue
		}

		s := d.steps[m.Node]
		fields := d.now.changes[m.Node]

		if s.Action == ActionUpgrade {
			continue
		}

		s.Refused = len(d.now.Refusals.Nodes[m.Node]) > 0
		s.MayReplace = !s.Refused && c.Joined && turnFor(d.now, c, fields) == TurnMayReplace && d.now.getsNewVM(m, c) && d.now.replaceable(m)

		if !mayChange(d, m, s) {
			continue
		}

		s.Action, s.Fields, s.Template = ActionChange, fields, m.Template
		s.Why, s.Turn = cmp.Or(list(fields), "its template"), turnFor(d.now, c, fields)
		s.Spec, s.DataDisks = changed(d.now, m, c), c.DataDisks || m.DataDisks()

		if d.now.Unaccepted[m.Node] {
			d.said.unaccepted = append(d.said.unaccepted, m.Node)
		}

		if s.State != StateReplacing && s.State != StateNotReady {
			s.State = StateChanging
		}
	}
}

// turnFor a change of fields of a node.
func turnFor(now *situation, c Child, fields []string) Turn {
	unfinished := c.Turn == TurnMayReplace || c.Turn == TurnRebootedFirst || c.Turn == TurnReplaced && c.Need != NeedNothing
	if !isFirstTurn(c) && (unfinished || mayReplace(fields, now.Upgrade == v1alpha1.UpgradeReplace)) {
		return TurnMayReplace
	}

	return TurnEdit
}

// waitForServers notes for which servers an agent waits with its release.
func waitForServers(d *decision, m Member) {
	if d.now.waitsForServers(m) {
		servers := d.now.releases.serversBefore(m.Later)
		d.steps[m.Node].Why = "waits for " + list(servers) + " to run K3s " + m.Later
		d.said.wait(servers...)
	}
}

// mayChange says whether a node that differs from what the claim describes can have its turn now, and notes what it waits for.
func mayChange(d *decision, m Member, s *Step) bool {
	switch {
	case s.Refused:
		s.Why = refusedSpec
	case !free(d, m, s):
	case !d.may(m.Node, m.Role, restEnded):
		s.Why = "waits for " + list(d.waitsFor(m.Node, m.Role, restEnded))
	default:
		return true
	}

	return false
}

// changed is the spec of a node in its turn. The actions that a person requested of it stay, and so does the way in which a founder was
// created. A replacement that is under way is given up: its VM is of the spec before.
func changed(now *situation, m Member, c Child) map[string]any {
	spec := maps.Clone(SpecOf(m, c))
	spec["deletionPolicy"] = string(cmp.Or(now.DeletionPolicy, v1alpha1.DeletionOrphan))
	spec["deletionProtection"] = now.Protected

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
