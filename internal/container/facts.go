package container

import (
	"reflect"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// absent says whether the claim has no container, and may not be getting one.
func (p *Plan) absent() bool {
	return slices.Contains([]State{StateAbsent, StateForeign, StateTakenOver}, p.State)
}

// comparison of a container as it is with its claim. The provider does not report the VMID of a container that it did not create.
func (p Plan) comparison(o proxmox.ObservedContainer) comparison {
	has := o.Status.AtProvider.Parameters.ContainerParameters
	has.VMID = o.Spec.ForProvider.VMID

	// It was taken out of the boot of its node while another one was to replace it, and gets its place there with its start.
	if o.Metadata.Annotations[proxmox.StoppedForAnnotation] == stoppedForReplacement {
		has.StartOnBoot = p.Described.StartOnBoot
	}

	return comparison{
		has: has, wanted: p.Described, machine: p.Container, adopted: p.Adopted, further: furtherOf(p.Container, o.Metadata),
		config: o.Spec.ProviderConfigRef.Name, wantedConfig: p.Owner.ProviderConfigRef.Name,
	}
}

// Deletion says whether the container is destroyed with its claim.
func (p Plan) Deletion() proxmox.Deletion {
	return proxmox.Deletion(p.Container.DeletionPolicy == v1alpha1.DeletionDelete)
}

// isGone says whether the provider did not find a container that existed, and is to create it again. It leaves in its report what it read before.
func isGone(o proxmox.ObservedContainer) bool { return o.Condition(proxmox.ConditionReady).IsFalse() }

// sameParameters says whether a container is as it is to be written, as the provider last read it.
func sameParameters(p proxmox.ContainerParameters, o proxmox.ObservedContainer) bool {
	has := o.Status.AtProvider.Parameters.ContainerParameters
	has.VMID = o.Spec.ForProvider.VMID

	return reflect.DeepEqual(p, has)
}

// vmID of the container that exists, and otherwise of the one that is to be.
func (p Plan) vmID() int64 {
	if o, exists := p.Observed.Containers[p.Guest]; exists && o.Spec.ForProvider.VMID != nil && p.State == StateLiving {
		return *o.Spec.ForProvider.VMID
	}

	return VMIDOf(p.Container)
}
