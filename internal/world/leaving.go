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
				l.machine.Delete(l.machine, name, l.machine.Observed[name])
			}
		}

		c.leaving[i].kept = kept
	}

	c.leaving = slices.DeleteFunc(c.leaving, func(l leaver) bool { return len(l.kept) == 0 })
}

// marks the VM of a composed resource that is to be destroyed.
func (l leaver) marks(name string) {
	for _, vm := range l.machine.Proxmox.VMs {
		if vm.Owner == key(l.machine, name) {
			vm.leaves = strings.Contains(Policies(l.machine.Observed[name]), "Delete")
		}
	}
}
