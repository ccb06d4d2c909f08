package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Kin says which VMs with the label of a K3s cluster may serve it. The label of an entry of the catalogue is the entry's bare name, and every K3sNode
// of every namespace that names the entry has it: it proves nothing.
type Kin struct {
	// Namespace of the machine's claim.
	Namespace string
	// Named are clusters.<cluster>.namespaces of the catalogue, in which * stands for any characters; empty where the catalogue does not say.
	Named []string
}

// Has says whether a VM is of a namespace that may serve the cluster. What was composed in no namespace is the platform's.
func (k Kin) Has(vm proxmox.ObservedVM) bool {
	of := vm.Metadata.Labels[proxmox.NamespaceLabel]

	return of == "" || of == k.Namespace || slices.ContainsFunc(k.Named, func(pattern string) bool {
		return catalog.Matches(pattern, of)
	})
}

// divide VMs into those of the cluster and strangers: those of other namespaces without a proof. Where Nodes are read, a VM that is known to be a Node
// of the cluster, or was, has one, and its machine with it; what has no Node has no member of etcd, and is left out. So is a stranger where the catalogue
// says which namespaces serve the cluster.
func (k Kin) divide(s Servers) (kin, strangers []proxmox.ObservedVM) {
	proven := map[string]bool{}

	for _, vm := range s.VMs {
		if s.NodesRead && s.provesMember(vm) {
			proven[ownerOf(vm.Metadata)] = true
		}
	}

	for _, vm := range s.VMs {
		switch {
		case k.Has(vm), proven[ownerOf(vm.Metadata)]:
			kin = append(kin, vm)
		case !s.NodesRead && len(k.Named) == 0:
			strangers = append(strangers, vm)
		}
	}

	return kin, strangers
}

// provesMember says whether a VM is known to be a Node of the cluster, or once was.
func (s Servers) provesMember(vm proxmox.ObservedVM) bool {
	if NodeJoin(vm.Metadata.Annotations[proxmox.NodeJoinedAnnotation]) == NodeJoinSeen {
		return true
	}

	n, found := s.Nodes[NodeNameOf(vm)]

	return found && isNodeOf(n, vm)
}
