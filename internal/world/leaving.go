package world

import (
	"fmt"
	"slices"
	"strings"
)

// A leaver is a machine whose claim is gone, while something keeps a part of what it composed.
type leaver struct {
	machine *Machine
	kept    []string // Composed resources.
}

// A Hindrance is why a managed resource that was deleted is still there.
type Hindrance string

// The Hindrances.
const (
	HinderedByNothing Hindrance = ""
	HinderedByUse     Hindrance = "Used"          // A Usage: what uses it is there.
	HinderedByPause   Hindrance = "Paused"        // The provider does not look at it.
	HinderedByNode    Hindrance = "NodeUnhealthy" // It is on a Proxmox node that does not answer.
	HinderedByError   Hindrance = "ProviderError" // The provider does not come as far as to destroy it.
)

// A Remnant is a managed resource of a machine whose claim is gone.
type Remnant struct {
	Machine *Machine
	Object  map[string]any
	Why     Hindrance
}

// Remnants of machines whose claims are gone, in the order in which these went.
func Remnants(c *Cluster) []Remnant {
	var out []Remnant

	for _, l := range c.leaving {
		for _, name := range l.kept {
			out = append(out, Remnant{l.machine, l.machine.Observed[name], l.hindrance(name)})
		}
	}

	return out
}

// LetGo of what nothing keeps any more, of machines that leave.
func LetGo(c *Cluster) {
	for i := range c.leaving {
		c.leaving[i].letGo()
	}

	c.leaving = slices.DeleteFunc(c.leaving, func(l leaver) bool { return len(l.kept) == 0 })
}

// Linger lets provider-kubernetes and the provider work on what machines that leave have left behind, where no other machine's turn does that.
func Linger(c *Cluster) {
	c.Kubernetes.work(c)
	LetGo(c)
}

// letGo of what nothing keeps any more: VMs before the claims on their addresses.
func (l *leaver) letGo() {
	for _, name := range slices.Backward(slices.Clone(l.kept)) {
		if why := l.hindrance(name); why != HinderedByNothing {
			l.marks(name, why)
			continue
		}

		finalize(l.machine, name, l.machine.Observed[name])

		l.kept = slices.DeleteFunc(l.kept, func(kept string) bool { return kept == name })
	}
}

// hindrance of a composed resource that was deleted.
func (l *leaver) hindrance(name string) Hindrance {
	c, observed := l.machine.cluster, l.machine.Observed
	by := usersOf(observed, observed[name])
	isUser := func(o map[string]any) bool { return slices.Contains(by, Object(o["metadata"])["name"]) }

	used := slices.ContainsFunc(c.Kubernetes.going, func(g going) bool { return isUser(g.object) }) ||
		slices.ContainsFunc(l.kept, func(other string) bool { return other != name && isUser(observed[other]) })

	switch {
	case used:
		return HinderedByUse
	case !c.Lingers:
		return HinderedByNothing
	default:
		return reconciliationOf(l.machine, name, observed[name]).hindrance()
	}
}

// hindrance of a managed resource that was deleted, and that nothing uses. What may not be destroyed goes without a look at Proxmox.
func (r reconciliation) hindrance() Hindrance {
	destroys := strings.Contains(Policies(r.object), "Delete") && Annotation(r.object, ExternalName) != ""

	switch {
	case r.isHeldByPause():
		return HinderedByPause
	case destroys && r.onDead():
		return HinderedByNode
	case destroys && r.provider.Fails[r.name] != "":
		return HinderedByError
	default:
		return HinderedByNothing
	}
}

// isHeldByPause says whether a pause keeps a managed resource from going. The provider puts its finalizer on what it works on, and so on nothing that was
// paused from the start.
func (r reconciliation) isHeldByPause() bool {
	neverSeen := Policies(r.object) == onlyObserves && Annotation(r.object, ExternalName) == ""

	return Annotation(r.object, paused) == "true" && !neverSeen
}

// marks a composed resource that was deleted, and its VM that is to be destroyed. What a Usage keeps the API server does not even begin to delete.
func (l *leaver) marks(name string, why Hindrance) {
	if why != HinderedByUse {
		o := Object(Copy(l.machine.Observed[name]))
		Object(o["metadata"])["deletionTimestamp"] = "2026-01-02T00:00:00Z"
		l.machine.Observed[name] = o
	}

	for _, vm := range l.machine.Proxmox.VMs {
		if vm.Owner == OwnerOf(l.machine, name) {
			vm.leaves = strings.Contains(Policies(l.machine.Observed[name]), "Delete")
		}
	}
}

// Leave deletes the machine's claim, unless a Usage keeps the claim or its composite: then nothing happens. What a Usage keeps below them waits until
// what uses it is gone, as long as that takes. An IPAddressClaim that nothing keeps goes first. The nodes of a cluster go with it.
func (m *Machine) Leave() {
	m.cluster.T.Helper()

	if m.isKept() {
		return
	}

	l := leaver{machine: m}

	for _, name := range Keys(m.Observed) {
		kind := kindOf(m.Observed[name])
		used := (kind == VMKind || kind == AddressClaimKind) && usedBy(m.Observed, m.Observed[name]) != ""

		if used || l.hindrance(name) != HinderedByNothing {
			l.kept = append(l.kept, name)
		} else {
			finalize(m, name, m.Observed[name])
		}
	}

	for range 10 {
		m.cluster.Kubernetes.work(m.cluster)
	}

	m.cluster.leaving = append(m.cluster.leaving, l)
	LetGo(m.cluster)

	all := m.cluster.Machines[:0:0]
	for _, other := range m.cluster.Machines {
		if other != m {
			all = append(all, other)
		}
	}

	m.cluster.Machines = all

	if m.nodes != nil {
		m.nodes.Leave()
	}
}

// KeptBy is what the Usage says that keeps claim or composite from deletion; empty where none does.
func KeptBy(m *Machine) string {
	name := m.keeper()
	if name == "" {
		return ""
	}

	return fmt.Sprint(Object(m.Observed[name]["spec"])["reason"])
}
