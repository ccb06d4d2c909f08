package k3s

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// An etcd is what the servers of a cluster keep their state in.
type etcd struct {
	members []*member
	// boot is how long after the start of a VM its member answers, learn how long a learner copies the data.
	boot, learn time.Duration
}

// A member of an etcd.
type member struct {
	node    string
	system  *system // The K3s that added it.
	learner bool
	lost    bool // It does not answer, though its VM runs.
	since   time.Time
}

// String of a member, for messages.
func (m *member) String() string {
	if m.learner {
		return m.node + " learns"
	}

	return m.node + " votes"
}

// String of all members, for messages.
func (e *etcd) String() string { return strings.Join(e.names(), ", ") }

// names of the members, each with whether it votes, sorted.
func (e *etcd) names() []string {
	out := make([]string, 0, len(e.members))
	for _, m := range e.members {
		out = append(out, m.String())
	}

	slices.Sort(out)

	return out
}

// of a system; nil if it has none.
func (e *etcd) of(s *system) *member {
	return e.find(func(m *member) bool { return m.system == s })
}

// named as a node, whose ever it is.
func (e *etcd) named(node string) *member {
	return e.find(func(m *member) bool { return m.node == node })
}

func (e *etcd) find(is func(m *member) bool) *member {
	if i := slices.IndexFunc(e.members, is); i >= 0 {
		return e.members[i]
	}

	return nil
}

// add the member of a server. The first one votes at once; others learn, one at a time. It says whether etcd takes it.
func (e *etcd) add(s *system) bool {
	first := len(e.members) == 0
	if !first && (!e.quorate() || e.find(func(m *member) bool { return m.learner }) != nil) {
		return false
	}

	e.members = append(e.members, &member{node: s.name, system: s, learner: !first, since: time.Now()})

	return true
}

// remove a member for good: its K3s ends, and does not come back with the data that it has.
func (e *etcd) remove(m *member) {
	e.members = slices.DeleteFunc(e.members, func(o *member) bool { return o == m })
	m.system.removed = true
}

// answers says whether a member does.
func (e *etcd) answers(m *member) bool {
	return m.system.runs && time.Since(m.system.guest.Booted) >= e.boot && !m.lost
}

// votes are the members that vote, those of them that answer, and how many of these etcd needs to go on.
func (e *etcd) votes() (voters, answer, needed int) {
	for _, m := range e.members {
		if m.learner {
			continue
		}

		voters++

		if e.answers(m) {
			answer++
		}
	}

	return voters, answer, voters/2 + 1
}

// quorate says whether etcd, and with it the API of K3s, takes writes.
func (e *etcd) quorate() bool {
	_, answer, needed := e.votes()

	return answer >= needed
}

// promote learners that have had the time to copy the data, and return them.
func (e *etcd) promote() (promoted []*member) {
	for _, m := range e.members {
		if m.learner && e.answers(m) && e.quorate() && time.Since(m.since) > e.learn {
			m.learner = false
			promoted = append(promoted, m)
		}
	}

	return promoted
}

// fault says what is wrong with the quorum; empty if nothing is, or if there is no cluster yet.
func (e *etcd) fault() string {
	voters, answer, needed := e.votes()
	if voters > 0 && answer < needed {
		return fmt.Sprintf("%d of %d members vote, and %d have to", answer, voters, needed)
	}

	return ""
}
