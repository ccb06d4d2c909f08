package k3s

import (
	"fmt"
	"slices"
	"time"
)

// A member of the played etcd.
type member struct {
	node    string
	disk    string // Of the VM whose K3s added it.
	learner bool
	lost    bool // Its etcd does not answer, though its VM runs.
	since   time.Time
}

// member of a VM; nil if it has none.
func (c *Cluster) member(disk string) *member {
	for _, m := range c.members {
		if m.disk == disk {
			return m
		}
	}

	return nil
}

// memberNamed as a node, whose ever it is.
func (c *Cluster) memberNamed(node string) *member {
	for _, m := range c.members {
		if m.node == node {
			return m
		}
	}

	return nil
}

// answers says whether a member's etcd does.
func (c *Cluster) answers(m *member) bool {
	s := c.systems[m.disk]

	return s != nil && s.runs && !m.lost
}

// votes are the members that vote, those of them that answer, and how many of these etcd needs to go on.
func (c *Cluster) votes() (voters, answer, needed int) {
	for _, m := range c.members {
		if m.learner {
			continue
		}

		voters++

		if c.answers(m) {
			answer++
		}
	}

	return voters, answer, voters/2 + 1
}

// quorate says whether etcd, and with it the API of K3s, takes writes.
func (c *Cluster) quorate() bool {
	_, answer, needed := c.votes()

	return answer >= needed
}

// promote learners that have had the time to copy the data.
func (c *Cluster) promote() {
	for _, m := range c.members {
		if m.learner && c.answers(m) && c.quorate() && time.Since(m.since) > c.pace.Learn {
			m.learner = false
			c.note("member of %s votes", m.node)
		}
	}
}

// removeMember takes a VM's member out of etcd for good: its K3s ends, and does not come back with the data that it has.
func (c *Cluster) removeMember(m *member) {
	c.members = slices.DeleteFunc(c.members, func(o *member) bool { return o == m })
	c.note("remove member of %s", m.node)

	if s := c.systems[m.disk]; s != nil {
		s.removed = true
	}
}

// check that the members that answer are a majority, once there is a cluster.
func (c *Cluster) check() {
	voters, answer, needed := c.votes()
	if voters > 0 && answer < needed {
		c.violate("%d of %d members vote, and %d have to", answer, voters, needed)
	}

	c.fewest = min(c.fewest, answer)
}

// violate writes down that something must never happen, once for each stretch of time in which it lasts.
func (c *Cluster) violate(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if len(c.violations) == 0 || c.violations[len(c.violations)-1] != what {
		c.violations = append(c.violations, what)
		c.note("VIOLATION: %s", what)
	}
}
