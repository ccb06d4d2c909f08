package lifecycle

import (
	"cmp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// Spread says on which nodes the other servers are. Of servers that are not created yet, the one that was first to choose a node has
// it, so that two that choose at the same time part again before either is created.
func (o Owner) Spread(all Servers, described string, own proxmox.State) resolve.Spread {
	out := resolve.Spread{Others: map[string][]string{}}
	first := unborn

	if vm, ok := own.VMs[described]; ok {
		first, out.Chosen = min(first, since(vm.Metadata)), vm.Spec.ForProvider.NodeName
	}

	for _, f := range own.Files {
		first = min(first, since(f.Metadata))
		out.Chosen = cmp.Or(out.Chosen, f.Spec.ForProvider.NodeName)
	}

	waiting := map[string]choice{}

	for _, vm := range all.VMs {
		owner := ownerOf(vm.Metadata)

		switch {
		case o.Owns(vm):
		case vm.ObserveOnly():
			waiting[owner] = waiting[owner].or(choice{vm.Spec.ForProvider.NodeName, vm.Metadata.Labels[proxmox.MachineLabel], since(vm.Metadata)})
		default:
			node := cmp.Or(vm.Status.AtProvider.NodeName, vm.Spec.ForProvider.NodeName)
			out.Others[node] = append(out.Others[node], vm.Metadata.Labels[proxmox.MachineLabel])
			waiting[owner] = choice{}
		}
	}

	for _, f := range all.Files {
		owner := ownerOf(f.Metadata)
		created, known := waiting[owner]

		if owner == o.Namespace+"/"+o.Composite || known && created.node == "" {
			continue
		}

		waiting[owner] = created.or(choice{f.Spec.ForProvider.NodeName, f.Metadata.Labels[proxmox.MachineLabel], since(f.Metadata)})
	}

	for _, c := range waiting {
		if c.node != "" && c.since < first {
			out.Others[c.node] = append(out.Others[c.node], c.machine)
		}
	}

	for node, names := range out.Others {
		slices.Sort(names)
		out.Others[node] = slices.Compact(names)
	}

	return out
}

// unborn comes after the time of everything that exists.
const unborn = "~"

// A choice of a node by a server that is not created yet.
type choice struct{ node, machine, since string }

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

func ownerOf(m proxmox.ObservedMetadata) string {
	return m.Namespace + "/" + m.Labels[proxmox.CompositeLabel]
}
