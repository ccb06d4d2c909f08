package cluster

import (
	"fmt"
	"maps"
	"slices"
)

// A held identity is one that a node is to have while another node's VM has it.
type held struct {
	by    string // The other node; empty where nobody has it.
	value string // As the claim has it.
}

// heldBy says which node has what another one is to have.
func heldBy(children Children, m Member) held {
	for _, field := range identities {
		value := identityOf(m.Spec, field)
		if c, exists := children[m.Node]; value == "" || exists && c.has(field, value) {
			continue
		}

		for _, name := range slices.Sorted(maps.Keys(children)) {
			if name != m.Node && children[name].has(field, value) {
				return held{by: name, value: value}
			}
		}
	}

	return held{}
}

// free says whether nobody else has what a member is to have, and notes what it waits for. What goes round in a circle, and what the other node keeps,
// only a person can decide.
func free(d *decision, m Member, s *Step) bool {
	h := heldBy(d.now.Children, m)
	if h.by == "" {
		return true
	}

	s.Why = "waits until " + h.by + "'s VM does not have " + h.value + " any more"

	switch owner, wanted := d.now.members[h.by]; {
	case circle(d.now, m.Node) && d.said.circles:
	case circle(d.now, m.Node):
		d.said.circles = true
		d.said.block(fmt.Sprintf("%s is to have %s, which %s has, and that one waits for what %s has: two VMs would have one address for a while. "+
			"Give %s in one commit a value that nobody has, and, when that is rolled out, in a second commit what this claim gives them now",
			m.Node, h.value, h.by, m.Node, m.Node))
	case wanted && keepsIdentity(d.now.Children, owner, h.value):
		d.said.block(fmt.Sprintf("%s is to have %s, which is %s's: give one of them another value", m.Node, h.value, h.by))
	case wanted && heldUp(d.now.Children[h.by]):
		c := d.now.Children[h.by]
		d.said.block(fmt.Sprintf("%s is to have %s, which %s's VM has until a new one replaces it, and that waits: %s: %s",
			m.Node, h.value, h.by, c.Held.Reason, typed(h.by, c.Role, c.Held.Message)))
	case wanted && d.now.keepsVM(owner, d.now.Children[h.by]) && d.now.Children.onlyServer(owner):
		d.said.block(fmt.Sprintf("%s is to have %s, which the VM of %s keeps, as the only server of the cluster: give %s another value",
			m.Node, h.value, h.by, m.Node))
	case wanted && d.now.keepsVM(owner, d.now.Children[h.by]):
		d.said.block(fmt.Sprintf("%s is to have %s, which %s's VM has until a new one replaces it: set lifecycle.replace to a new value for %s",
			m.Node, h.value, h.by, h.by))
	default:
		d.said.wait(h.by)
	}

	return false
}

// heldUp says whether a node is to be replaced, and only a person can let that go on.
func heldUp(c Child) bool { return c.Answered && c.Need == NeedBlocked && c.Held.Reason != "" }

// circle says whether the nodes that have to make way for each other come back to the first one.
func circle(now *situation, node string) bool {
	next := node

	// No circle has more nodes than there are.
	for range now.Members {
		m, wanted := now.members[next]
		if !wanted {
			return false
		}

		if next = heldBy(now.Children, m).by; next == node {
			return true
		}
	}

	return false
}

// keepsIdentity says whether a member is to keep a value that it has.
func keepsIdentity(children Children, m Member, value string) bool {
	return slices.ContainsFunc(identities, func(field string) bool {
		wanted := identityOf(m.Spec, field)
		return wanted == value || wanted == "" && children[m.Node].has(field, value)
	})
}
