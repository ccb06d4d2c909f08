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
func (w World) heldBy(m Member) held {
	for _, field := range identities {
		value := identityOf(m.Spec, field)
		if c, exists := w.Children[m.Node]; value == "" || exists && c.has(field, value) {
			continue
		}

		for _, name := range slices.Sorted(maps.Keys(w.Children)) {
			if name != m.Node && w.Children[name].has(field, value) {
				return held{by: name, value: value}
			}
		}
	}

	return held{}
}

// free says whether nobody else has what a member is to have, and notes what it waits for. What goes round in a circle, and what the other node keeps,
// only a person can decide.
func (d *decision) free(m Member, s *Step) bool {
	h := d.heldBy(m)
	if h.by == "" {
		return true
	}

	s.Why = "waits until " + h.by + "'s VM does not have " + h.value + " any more"

	switch owner, wanted := d.members[h.by]; {
	case circle(d, m.Node) && d.circles:
	case circle(d, m.Node):
		d.circles = true
		d.blocked = append(d.blocked, fmt.Sprintf("%s is to have %s, which %s has, and that one waits for what %s has: two VMs would have one address for a while. "+
			"Give %s in one commit a value that nobody has, and, when that is rolled out, in a second commit what this claim gives them now",
			m.Node, h.value, h.by, m.Node, m.Node))
	case wanted && keepsIdentity(d, owner, h.value):
		d.blocked = append(d.blocked, fmt.Sprintf("%s is to have %s, which is %s's: give one of them another value", m.Node, h.value, h.by))
	case wanted && heldUp(d.Children[h.by]):
		c := d.Children[h.by]
		d.blocked = append(d.blocked, fmt.Sprintf("%s is to have %s, with which %s's VM runs until its next power cycle, and that waits: %s: %s",
			m.Node, h.value, h.by, c.Held.Reason, typed(h.by, c.Role, c.Held.Message)))
	case wanted && !keepsIdentity(d, owner, h.value) && staysUp(d.World, owner, d.Children[h.by]):
		d.blocked = append(d.blocked, fmt.Sprintf("%s is to have %s, with which %s's VM runs until its next power cycle: set lifecycle.reboot to a new value for %s",
			m.Node, h.value, h.by, h.by))
	default:
		d.waits = append(d.waits, h.by)
	}

	return false
}

// heldUp says whether a node is to be restarted, and only a person can let that go on.
func heldUp(c Child) bool { return c.Answered && c.RebootPending && c.Held.Reason != "" }

// circle says whether the nodes that have to make way for each other come back to the first one.
func circle(d *decision, node string) bool {
	next := node

	// No circle has more nodes than there are.
	for range d.Members {
		m, wanted := d.members[next]
		if !wanted {
			return false
		}

		if next = d.heldBy(m).by; next == node {
			return true
		}
	}

	return false
}

// keepsIdentity says whether a member is to keep a value that it has.
func keepsIdentity(d *decision, m Member, value string) bool {
	return slices.ContainsFunc(identities, func(field string) bool {
		wanted := identityOf(m.Spec, field)
		return wanted == value || wanted == "" && d.Children[m.Node].has(field, value)
	})
}
