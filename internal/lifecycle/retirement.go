package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// retire decides what becomes of VMs that were replaced, and of VMs whose role nobody knows. To leave a VM out is to delete
// its managed resource, and the policies that it was last written with decide whether the VM in Proxmox goes, too.
func retire(request Request) map[string]Step {
	out := map[string]Step{}
	r, vms, m := request.Roles, request.Observed.VMs, request.Machine

	for _, name := range r.Unknown {
		mayDelete := m.DeletionPolicy == v1alpha1.DeletionDelete && proxmox.MayDelete(vms[name].Spec.ManagementPolicies) && !request.Lost(name)
		out[name] = Step{Action: ActionKeep, MayDelete: proxmox.Deletion(mayDelete)}
	}

	for _, name := range r.Retired {
		vm := vms[name]

		// Whether a VM is ours has to be known before the provider may destroy it, and whether there is one before it is released.
		if StateOf(vms, name) == StateCreating && !request.Lost(name) {
			out[name] = Step{Action: ActionKeep}
			continue
		}

		step := Step{Action: ActionRetire, MayDelete: proxmox.Deletion(destroys(vm, m)), Stop: !destroys(vm, m)}

		switch {
		case !knownOfHA(&request).releases(name):
			// The HA manager would start it again.
			step.Stop = false
		case destroys(vm, m) && !vm.ObserveOnly() && diagnose.OnSilentNode(vm):
			// Its deletion would wait for the node, and could be taken back no more: a word that the node is lost would come too late. A check of a VMID deletes
			// nothing in Proxmox.
		case mayGo(vm, m) && !request.Objects.Uses[name] && !request.HAUses[name]:
			// Crossplane refuses to delete a VM that a Usage keeps. The Usage goes first, with the Object of the VM's Node, or its HA resource.
			step = Step{Action: ActionRelease}
		}

		out[name] = step
	}

	return out
}

// destroys says whether a retired VM is destroyed. A candidate, which never was ready, always is: it holds nothing that
// somebody could miss. What is lost with its Proxmox node nobody can destroy: who tries waits for ever.
func destroys(vm proxmox.ObservedVM, m *machine.Machine) bool {
	if IsLost(vm, m.Lifecycle.Lost) {
		return false
	}

	return m.DeletionPolicy == v1alpha1.DeletionDelete || vm.Metadata.Annotations[proxmox.CandidateAnnotation] != ""
}

// mayGo says whether a retired VM can be left out now. Its policies have to be those of today; no pause may keep the
// provider from deleting it; and a VM that stays in Proxmox has to be stopped, or it would run beside the VM that replaced
// it.
func mayGo(vm proxmox.ObservedVM, m *machine.Machine) bool {
	switch {
	case vm.ObserveOnly(), vm.Metadata.DeletionTimestamp != "":
		return true
	case PausedByUs(vm.Metadata.Metadata):
		return false
	case proxmox.CreationOf(vm) == proxmox.CreationUnseen && !IsLost(vm, m.Lifecycle.Lost):
		return true // The provider could not create it.
	case proxmox.MayDelete(vm.Spec.ManagementPolicies) != destroys(vm, m):
		return false
	}

	return destroys(vm, m) || powerKnown(vm) && !vm.Status.AtProvider.Started || IsLost(vm, m.Lifecycle.Lost)
}
