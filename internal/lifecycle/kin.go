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

// Has says whether a VM is of a namespace that may serve the cluster.
func (k Kin) Has(vm proxmox.ObservedVM) bool { return k.has(vm.Metadata) }

// has says whether a managed resource is of such a namespace. What was composed in no namespace is the platform's.
func (k Kin) has(m proxmox.ObservedMetadata) bool {
	of := m.Labels[proxmox.NamespaceLabel]

	return of == "" || of == k.Namespace || k.isNamed(of)
}

// machineOf is the name of another node's machine, as far as the claim is [Kin.told] of it.
func (k Kin) machineOf(vm proxmox.ObservedVM) string { return k.told(vm.Metadata, machineOf(vm)) }

// ServerOf is the host name of another node, as far as the claim is [Kin.told] of it.
func (k Kin) ServerOf(vm proxmox.ObservedVM) string {
	return k.told(vm.Metadata, vm.Spec.ForProvider.Name)
}

// told is a name that a managed resource of another claim tells, or [AnotherClaim]: anybody can write the cluster's name into a claim, and is told of the VMs
// of its own namespace alone. Where the catalogue names several namespaces, each of these is told of the others.
func (k Kin) told(other proxmox.ObservedMetadata, name string) string {
	of := other.Labels[proxmox.NamespaceLabel]
	if of == k.Namespace || k.isNamed(of) && k.isNamed(k.Namespace) {
		return name
	}

	return AnotherClaim
}

// isNamed says whether the catalogue names a namespace.
func (k Kin) isNamed(namespace string) bool {
	return slices.ContainsFunc(k.Named, func(pattern string) bool { return catalog.Matches(pattern, namespace) })
}

// divide VMs into those of the cluster and strangers: those of other namespaces without a proof. Where Nodes are read, a VM that is known to be a Node
// of the cluster, or was, has one, and its machine with it; what has no Node has no member of etcd, and is left out. So is a stranger where the catalogue
// says which namespaces serve the cluster.
func (k Kin) divide(s Servers) (kin, strangers []proxmox.ObservedVM) {
	proven := map[string]bool{}

	for _, vm := range s.VMs {
		if s.Reading != NodesUnread && s.provesMember(vm) {
			proven[ownerOf(vm.Metadata)] = true
		}
	}

	for _, vm := range s.VMs {
		switch {
		case k.Has(vm), proven[ownerOf(vm.Metadata)]:
			kin = append(kin, vm)
		case s.Reading == NodesUnread && len(k.Named) == 0:
			strangers = append(strangers, vm)
		}
	}

	return kin, strangers
}

// beside divides what servers of the cluster have into that of the cluster and that of strangers, before anybody has read a Node. Where the catalogue says
// which namespaces serve the cluster, there are no strangers.
func (k Kin) beside(all Neighbours) (kin, strangers Neighbours) {
	kin = Neighbours{VMs: whose(all.VMs, k.has), Files: whose(all.Files, k.has), Images: whose(all.Images, k.has)}

	if len(k.Named) == 0 {
		strange := func(m proxmox.ObservedMetadata) bool { return !k.has(m) }
		strangers = Neighbours{VMs: whose(all.VMs, strange), Files: whose(all.Files, strange), Images: whose(all.Images, strange)}
	}

	return kin, strangers
}

// whose metadata is so, of some managed resources.
func whose[P, S any](all []proxmox.Observed[P, S], is func(proxmox.ObservedMetadata) bool) []proxmox.Observed[P, S] {
	return slices.DeleteFunc(slices.Clone(all), func(o proxmox.Observed[P, S]) bool { return !is(o.Metadata) })
}

// provesMember says whether a VM is known to be a Node of the cluster, or once was.
func (s Servers) provesMember(vm proxmox.ObservedVM) bool {
	if NodeJoin(vm.Metadata.Annotations[proxmox.NodeJoinedAnnotation]) == NodeJoinSeen {
		return true
	}

	n, found := s.Nodes[NodeNameOf(vm)]

	return found && isNodeOf(n, vm)
}
