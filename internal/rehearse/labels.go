package rehearse

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// labelOf a machine, as people call it.
func (p *play) labelOf(m *world.Machine) string {
	for _, a := range p.actors {
		if a.machine == nil || a.machine == m || a.nodes == nil || !isNodeOf(m, a.machine) {
			continue
		}

		name := world.Annotation(m.Composite, resourceName)
		if len(p.actors) > 1 {
			return a.label + "/" + name
		}

		return name
	}

	for _, a := range p.actors {
		if a.machine == m {
			return a.label
		}
	}

	return claimName(m)
}

// labelActors says what people call each claim, by which everything here knows it: its name, with its namespace where a claim of another one has that name, and
// with its kind where one of another kind has both.
func labelActors(actors []*actor) {
	words := func(a *actor) []string {
		_, path, _ := strings.Cut(a.Name, " ")

		return []string{path[strings.LastIndex(path, "/")+1:], path, a.Name}
	}

	for _, a := range actors {
		for i, word := range words(a) {
			isOther := func(other *actor) bool { return other != a && words(other)[i] == word }
			if a.label = word; !slices.ContainsFunc(actors, isOther) && word != "" {
				break
			}
		}
	}
}

// resourceName is the annotation with the name that a composed resource has in its composite.
const resourceName = "crossplane.io/composition-resource-name"

// isNodeOf says whether a machine is a node of a cluster, or was one.
func isNodeOf(m, cluster *world.Machine) bool {
	meta := world.Object(m.Composite["metadata"])

	return slices.ContainsFunc(world.List(meta["ownerReferences"]), func(o any) bool {
		owner := world.Object(o)

		return owner["controller"] == true && owner["kind"] == cluster.Composite["kind"] && owner["name"] == cluster.Name() &&
			cmp.Or(meta["namespace"], any("")) == cmp.Or(world.Object(cluster.Composite["metadata"])["namespace"], any(""))
	})
}

// machineOf a name that people call it by; nil without one.
func (p *play) machineOf(label string) *world.Machine {
	all := p.all()

	i := slices.IndexFunc(all, func(m *world.Machine) bool { return p.labelOf(m) == label })
	if i < 0 {
		return nil
	}

	return all[i]
}

// claimName is the name of the claim, or of a namespaced composite.
func claimName(m *world.Machine) string {
	if name, ok := world.Object(m.Spec()["claimRef"])["name"].(string); ok {
		return name
	}

	return fmt.Sprint(world.Object(m.Composite["metadata"])["name"])
}

// lives says whether a machine has its claim.
func (p *play) lives(m *world.Machine) bool { return slices.Contains(p.cluster.Machines, m) }

// all machines of the world: those with a claim, and then those whose claims are gone while something of them is there.
func (p *play) all() []*world.Machine {
	out := slices.Clone(p.cluster.Machines)

	for _, r := range world.Remnants(p.cluster) {
		if !slices.Contains(out, r.Machine) {
			out = append(out, r.Machine)
		}
	}

	return out
}
