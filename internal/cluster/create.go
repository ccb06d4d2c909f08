package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// createMissing nodes: servers one by one, each when those before it have joined, and agents when a server has joined.
func createMissing(d *decision) {
	answers, children, before := false, d.now.Children, ""

	for _, m := range d.now.Members {
		c, exists := children[m.Node]

		if exists {
			answers = answers || m.Role == v1alpha1.K3sServer && c.Joined && !c.Deleting
			continue
		}

		s, is := d.steps[m.Node], nodeOf(children, m.Machine)

		switch {
		case waitsBehind(m, before):
			s.Why = "waits for " + before
		case slices.Contains(d.now.Taken, m.Node):
			s.Why = "K3sNode " + m.Machine + " exists already, and is not this cluster's"
			d.said.block(m.Node + " is not created: " + s.Why)
		case len(d.now.Refusals.Nodes[m.Node]) > 0:
			s.Why = refusedSpec
		case !free(d, m, s):
		case is != "":
			s.Why = "K3sNode " + m.Machine + " is node " + is + " of this cluster"
			d.said.block(m.Node + " is not created: " + s.Why)
		case m.AdoptVM != nil:
			begin(d.now, m, s)
		case m.Founder != nil && !children.hasServers() && adoptsVMs(d.now.Members):
			s.Why = "would start another cluster beside that of the VMs that are adopted"
			d.said.block(m.Node + " is not created, because it " + s.Why + ": it has to adopt a server, too")
		case m.Role == v1alpha1.K3sAgent && !answers:
			s.Why = "waits for a server that has joined"
		case m.Role == v1alpha1.K3sAgent || m.Founder != nil && !children.hasServers() || follows(children, m, answers) && d.may(m.Node, m.Role, restEnded):
			begin(d.now, m, s)
		default:
			s.Why = "waits for " + list(d.waitsFor(m.Node, m.Role, restEnded))
		}

		// The next server waits for this one.
		if m.Role == v1alpha1.K3sServer {
			answers, before = answers && s.Action != ActionCreate, cmp.Or(before, holdsNext(children, m))
		}
	}
}

// holdsNext is a server that is to have what the only server has until its restart; empty for any other. The only server may be restarted for what it is to
// give up. One of two may not, and a second one brings nothing without a third.
func holdsNext(children Children, m Member) string {
	if len(children.voters()) == 1 && heldBy(children, m).by != "" {
		return m.Node
	}

	return ""
}

// waitsBehind says whether a member is a server, and another one comes first.
func waitsBehind(m Member, before string) bool { return m.Role == v1alpha1.K3sServer && before != "" }

// follows says whether a server that does not exist can join others. The first one has none before it: where it is gone, or another one was adopted,
// any that has joined will do.
func follows(children Children, m Member, answers bool) bool {
	return answers || m.Founder != nil && children.founded()
}

// begin a node that does not exist.
func begin(now *situation, m Member, s *Step) {
	m = now.releases.born(m)
	s.Action, s.State, s.Spec, s.Template, s.Why = ActionCreate, StateCreating, m.Spec, m.Template, "it does not exist yet"
	s.DataDisks = m.DataDisks()

	if m.Earlier != "" {
		s.Why += ", and comes with K3s " + versionOf(m.Spec) + ", since that runs, not with the earlier " + m.Earlier
	}

	switch {
	case m.AdoptVM != nil:
		// What disks it has is not known before the provider has read it.
		s.Spec, s.DataDisks = withAdoption(s.Spec, m), true
		s.Why = fmt.Sprintf("it adopts VM %v, on which nothing changes before you approve it", m.AdoptVM["vmId"])
	case m.Founder != nil && !now.Children.founded():
		s.Spec, s.Why = m.Founder, "it starts the cluster"
	}

	s.Spec, s.Requested = withLifecycle(maps.Clone(s.Spec), m.Lifecycle), m.Lifecycle
}
