package world

import (
	"slices"
	"strings"
)

// A leaver is a machine whose claim is gone, while Usages keep some of what it composed.
type leaver struct {
	machine *Machine
	kept    []string // Composed resources.
}

// LetGo of what nothing uses any more, of machines that leave.
func LetGo(c *Cluster) {
	for i, l := range c.leaving {
		var kept []string

		// VMs before the claims on their addresses.
		for _, name := range slices.Backward(l.kept) {
			by := usersOf(l.machine.Observed, l.machine.Observed[name])
			if slices.ContainsFunc(c.Kubernetes.going, func(g going) bool { return slices.Contains(by, Object(g.object["metadata"])["name"]) }) {
				kept = append([]string{name}, kept...)

				l.marks(name)
			} else {
				finalize(l.machine, name, l.machine.Observed[name])
			}
		}

		c.leaving[i].kept = kept
	}

	c.leaving = slices.DeleteFunc(c.leaving, func(l leaver) bool { return len(l.kept) == 0 })
}

// marks the VM of a composed resource that is to be destroyed.
func (l leaver) marks(name string) {
	for _, vm := range l.machine.Proxmox.VMs {
		if vm.Owner == ownerOf(l.machine.Name(), name) {
			vm.leaves = strings.Contains(Policies(l.machine.Observed[name]), "Delete")
		}
	}
}

// Leave deletes the machine's claim, unless a Usage keeps the claim or its composite: then nothing happens. What a Usage keeps below them waits until
// what uses it is gone, as long as that takes. An IPAddressClaim that nothing keeps goes first.
func (m *Machine) Leave() {
	m.cluster.T.Helper()

	if m.isKept() {
		return
	}

	var kept []string

	for _, name := range Keys(m.Observed) {
		kind := kindOf(m.Observed[name])
		if (kind == VMKind || kind == AddressClaimKind) && usedBy(m.Observed, m.Observed[name]) != "" {
			kept = append(kept, name)
		} else {
			finalize(m, name, m.Observed[name])
		}
	}

	for range 10 {
		m.cluster.Kubernetes.work(m.cluster)
	}

	m.cluster.leaving = append(m.cluster.leaving, leaver{m, kept})
	LetGo(m.cluster)

	all := m.cluster.Machines[:0:0]
	for _, other := range m.cluster.Machines {
		if other != m {
			all = append(all, other)
		}
	}

	m.cluster.Machines = all
}
