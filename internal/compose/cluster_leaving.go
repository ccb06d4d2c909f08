package compose

import (
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Names of what a cluster asks Crossplane for before it disturbs a node.
const (
	// clusterVMsRequirement is the VMs of all nodes of the K3s cluster.
	clusterVMsRequirement = "k3s-cluster-vms"
	// The name of a composite follows.
	leavingRequirement = "k3s-cluster-leaving-"
)

// clusterVMs are the VMs of all nodes of the K3s cluster, also of those that are not this claim's.
func (c clusterCall) clusterVMs() (vms []proxmox.ObservedVM, known bool, err error) {
	return c.call.vms(clusterVMsRequirement, map[string]string{proxmox.ClusterLabel: c.label()})
}

// label by which the nodes of the K3s cluster find each other.
func (c clusterCall) label() string {
	return claim.ClusterOf(c.id, &v1alpha1.K3s{Cluster: c.spec.Cluster, ClusterName: c.id.Name}).Label
}

// leaving are the names of the nodes that exist no more while their VMs still do, sorted.
func (c clusterCall) leaving(children map[string]cluster.Child) (names []string, known bool, err error) {
	vms, known, err := c.clusterVMs()

	there := map[string]bool{}
	for _, child := range children {
		there[child.Machine] = true
	}

	_, namespace := ownName(c.call.composite)

	for _, vm := range vms {
		node, ours := c.nodeOfVM(vm)
		if !ours || vm.Metadata.Namespace != namespace || there[composedBy(vm)] {
			continue
		}

		stays, fetched := c.isOnItsOwn(composedBy(vm))
		known = known && fetched

		if !stays {
			names = append(names, node)
		}
	}

	slices.Sort(names)

	return slices.Compact(names), known, err
}

// nodeOfVM is the node of this cluster that a VM is, or was: by the name of its composite, or, of one that was adopted, by the label that
// Crossplane puts on everything below a composite.
func (c clusterCall) nodeOfVM(vm proxmox.ObservedVM) (name string, ours bool) {
	if name, ours = strings.CutPrefix(composedBy(vm), c.id.Composite+"-"); ours {
		return name, true
	}

	return composedBy(vm), vm.Metadata.Labels[proxmox.CompositeLabel] == c.id.Composite
}

// composedBy is the name of a VM's composite; of one that has lost it, what a person knows the machine by.
func composedBy(vm proxmox.ObservedVM) string {
	if name := vm.Metadata.Controller(); name != "" {
		return name
	}

	return vm.Metadata.Labels[proxmox.MachineLabel]
}

// isOnItsOwn says whether there is a K3sNode of a name which is no node of this cluster, and stays: it has left the cluster and lives on, or it
// was never a node of it.
func (c clusterCall) isOnItsOwn(name string) (is, known bool) {
	items, known := require(c.call.req, c.call.rsp, leavingRequirement+name, c.nodeNamed(name))
	there := first(items)

	return there != nil && !c.controls(there) && metadataOf(there)["deletionTimestamp"].GetStringValue() == "", known
}
