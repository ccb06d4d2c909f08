package rehearse

import (
	"fmt"
	"slices"

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
			return claimName(a.machine) + "/" + name
		}

		return name
	}

	return claimName(m)
}

// resourceName is the annotation with the name that a composed resource has in its composite.
const resourceName = "crossplane.io/composition-resource-name"

// isNodeOf says whether a machine is a node of a cluster, or was one.
func isNodeOf(m, cluster *world.Machine) bool {
	return slices.ContainsFunc(world.List(world.Object(m.Composite["metadata"])["ownerReferences"]), func(o any) bool {
		owner := world.Object(o)

		return owner["controller"] == true && owner["kind"] == cluster.Composite["kind"] && owner["name"] == cluster.Name()
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
