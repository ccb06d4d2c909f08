package cluster

import (
	"cmp"
	"maps"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// keep every node as it is, with what a person asks of it.
func keep(now *situation) map[string]*Step {
	out := map[string]*Step{}

	for _, m := range now.Members {
		s := &Step{Node: m.Node, Machine: m.Machine, Role: m.Role, Action: ActionWait, State: StateWaiting}

		if c, ok := now.Children[m.Node]; ok {
			s = keptMember(now, m, c)
		}

		out[m.Node] = s
	}

	for name, c := range now.Children {
		if now.wants(name) {
			continue
		}

		s := kept(now, name, c)
		s.State = StateOutdated

		// A person helps it on its way.
		if asks := leavingLost(now.Requests[name], c); len(asks) > 0 {
			all := map[string]any{}
			maps.Copy(all, c.Requested)
			maps.Copy(all, asks)

			s.Spec, s.Requested = requested(s.Spec, Member{Lifecycle: all}, c), all
		}

		if c.Deleting {
			s.Action, s.State, s.Spec, s.Why = ActionRemove, StateLeaving, nil, noSuchNode
		}

		out[name] = s
	}

	return out
}

// keptMember is a node that the claim describes, as it is, with what a person asks of it.
func keptMember(now *situation, m Member, c Child) *Step {
	s := kept(now, m.Node, c)
	s.Spec, s.Requested = drainedAsClaimed(withoutOwnDrain(requested(s.Spec, m, c), m), SpecOf(m, c), c), m.Lifecycle
	s.State = now.stateOf(m, c)

	// The new VM of a founder joins: one that found nobody at the cluster's address, while other servers are away, would start another cluster.
	if founds(c.Spec) && asksReplacement(m, c) && now.Children.othersJoined(m.Node) {
		as := asJoiner
		if len(now.Refusals.Nodes[m.Node]) > 0 {
			as = joining
		}

		s.Spec = as(s.Spec, SpecOf(m, c))
	}

	if m.Founder != nil && c.Founded && c.Answered && c.Need == NeedNewVM && now.Children.onlyServer(m) {
		s.Spec = asFounder(s.Spec, m.Founder)
	}

	// Only the approval can differ, and it counts once.
	if m.AdoptVM != nil && !c.Joined {
		s.Spec = withAdoption(s.Spec, m)
	}

	return s
}

// kept is a node with the spec that it has. What says how nodes are deleted is the cluster's at once, since nothing follows from it
// before a node is deleted.
func kept(now *situation, name string, c Child) *Step {
	spec := maps.Clone(c.Spec)
	spec["deletionPolicy"] = string(cmp.Or(now.DeletionPolicy, v1alpha1.DeletionOrphan))
	spec["deletionProtection"] = now.Protected

	return &Step{
		Node: name, Machine: c.Machine, Role: c.Role, Action: ActionKeep, Spec: spec, Template: c.Template, Turn: c.Turn, Requested: c.Requested,
		Joined: c.Joined, Ready: c.serves(), DataDisks: c.DataDisks, Adopted: c.Adopted,
	}
}
