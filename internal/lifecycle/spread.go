package lifecycle

import (
	"cmp"
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// Spread says on which nodes the other servers of a K3s cluster, or machines and containers of a group, are. Of those that are not created yet, the one
// that was first to choose a node has it, so that two that choose at the same time part again before either is created. Images are to be
// among both the neighbours and the machine's own resources, or in neither. described is the managed resource of the machine's VM, or the one that looks for
// a VM with the VMID of a container.
func (o Owner) Spread(all Neighbours, described string, mine proxmox.State) resolve.Spread {
	out, others := resolve.Spread{Others: map[string][]string{}, Later: map[string]int{}}, byNode{}
	first := unborn

	if vm, ok := mine.VMs[described]; ok {
		first, out.Chosen = min(first, since(vm.Metadata)), vm.Spec.ForProvider.NodeName
	}

	for _, c := range own(mine).choices() {
		first = min(first, c.since)
		out.Chosen = cmp.Or(out.Chosen, c.node)
	}

	waiting := map[string]choice{}

	for _, p := range all.places() {
		owner := ownerOf(p.metadata)

		switch {
		case o.owns(p.metadata):
		case p.is == planned:
			waiting[owner] = waiting[owner].or(choice{metadata: p.metadata, node: p.node, since: since(p.metadata)})
		default:
			others.add(p.node, owner, o.machineOf(p.metadata))
			waiting[owner] = choice{}
		}
	}

	for _, c := range all.choices() {
		created, known := waiting[c.owner]
		if o.owns(c.metadata) || known && created.node == "" {
			continue
		}

		waiting[c.owner] = created.or(c)
	}

	out.Moving = moving(choice{node: out.Chosen, since: first}, others, waiting)

	for owner, c := range waiting {
		switch {
		case c.node == "":
		case c.since < first:
			others.add(c.node, owner, o.machineOf(c.metadata))
		default:
			out.Later[c.node]++
		}
	}

	for node, names := range others {
		out.Others[node] = slices.Sorted(maps.Values(names))
	}

	return out
}

// SpreadOfServers is [Owner.Spread] of a server among those of its cluster. Anybody can write the cluster's name into a claim, and pin its VMs to nodes:
// strangers push no two servers of the cluster onto one.
func (o Owner) SpreadOfServers(all Neighbours, k Kin, described string, mine proxmox.State) resolve.Spread {
	kin, strangers := k.beside(all)
	out := o.Spread(kin, described, mine)

	if others := o.Spread(strangers, described, mine).Others; len(others) > 0 {
		out.Strangers = others
	}

	return out
}

// moving counts those that are not created yet and that others, which chose their node earlier or are there, send on to another one.
func moving(self choice, there byNode, waiting map[string]choice) (out resolve.Moving) {
	if self.node == "" {
		return out
	}

	for _, c := range waiting {
		before := func(other choice) bool { return other.node == c.node && other.since < c.since }

		switch {
		case c.node == "" || there[c.node] == nil && !before(self) && !slices.ContainsFunc(slices.Collect(maps.Values(waiting)), before):
		case c.since < self.since:
			out.Earlier++
		default:
			out.Later++
		}
	}

	return out
}

// byNode are the names of machines and containers, by their owners, on each node.
type byNode map[string]map[string]string

// add the name of an owner.
func (b byNode) add(node, owner, name string) {
	if b[node] == nil {
		b[node] = map[string]string{}
	}

	b[node][owner] = name
}

// unborn comes after the time of everything that exists.
const unborn = "~"

// A choice of a node by a machine or a container that is not created yet.
type choice struct {
	metadata           proxmox.ObservedMetadata // Of what tells the choice.
	owner, node, since string
}

// choices that snippets or images tell, in the order of the resources' names.
func choices[P, S any](resources []proxmox.Observed[P, S], node func(P) string) []choice {
	out := make([]choice, 0, len(resources))
	for _, r := range byName(resources) {
		out = append(out, choice{
			metadata: r.Metadata, owner: ownerOf(r.Metadata), node: node(r.Spec.ForProvider), since: since(r.Metadata),
		})
	}

	return out
}

// byName is a list in the order of the resources' names.
func byName[P, S any](resources []proxmox.Observed[P, S]) []proxmox.Observed[P, S] {
	resources = slices.Clone(resources)
	slices.SortFunc(resources, func(a, b proxmox.Observed[P, S]) int {
		return cmp.Or(cmp.Compare(a.Metadata.Namespace, b.Metadata.Namespace), cmp.Compare(a.Metadata.Name, b.Metadata.Name))
	})

	return resources
}

// or is the earlier time of two choices of a server, and the node of the VM rather than of a snippet.
func (c choice) or(other choice) choice {
	if c.node == "" {
		return other
	}

	c.since = min(c.since, other.since)

	return c
}

// since orders managed resources by the time of their creation, and those of one second by their machine.
func since(m proxmox.ObservedMetadata) string { return m.CreationTimestamp + " " + ownerOf(m) }
