package lifecycle

import (
	"cmp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A place is where the VM or the container of a claim is, or is to be.
type place struct {
	metadata proxmox.ObservedMetadata
	ref      proxmox.ProviderConfigRef
	// node on which it is, or was when the provider read it last; of what is to be created, the one that was chosen.
	node string
	is   presence
}

// A presence says whether there is something at a place.
type presence string

const (
	// present is what is there, or what the provider may create.
	present presence = "Present"
	// planned is what is to be created there: the provider looks for what has its VMID.
	planned presence = "Planned"
)

// places of VMs and containers. Of a container that is to be created, the managed resource that looks for a VM tells it; those that look for a container on
// each node of the site tell nothing. Containers come after VMs.
func (n Neighbours) places() []place {
	return slices.Concat(placesOfVMs(n.VMs), placesOfContainers(n.Containers))
}

func placesOfVMs(vms []proxmox.ObservedVM) []place {
	out := make([]place, 0, len(vms))

	for _, vm := range vms {
		p := place{metadata: vm.Metadata, ref: vm.Spec.ProviderConfigRef, node: HostOf(vm), is: present}
		if vm.ObserveOnly() {
			p.node, p.is = vm.Spec.ForProvider.NodeName, planned
		}

		out = append(out, p)
	}

	return out
}

func placesOfContainers(containers []proxmox.ObservedContainer) []place {
	out := make([]place, 0, len(containers))

	for _, c := range containers {
		if !c.ObserveOnly() {
			out = append(out, place{metadata: c.Metadata, ref: c.Spec.ProviderConfigRef, node: HostOfContainer(c), is: present})
		}
	}

	return out
}

// HostOfContainer is the Proxmox node on which a container is, or was when the provider read it last; empty for none.
func HostOfContainer(c proxmox.ObservedContainer) string {
	return cmp.Or(c.Status.AtProvider.NodeName, c.Spec.ForProvider.NodeName)
}
