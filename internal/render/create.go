package render

import (
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// create renders a VM that does not exist yet, once there is what it is made from, nobody has its number, and the VM whose
// place it takes is out of its way. Until then a VM with a number is looked at, and one that could not be made stays as
// it is.
func (w *work) create(ids proxmox.Initialization, missing []string) {
	w.out.Waiting = missing
	w.out.Look = w.look()

	if w.out.Look == nil && w.vm.ObserveOnly() {
		// Proxmox is to choose the number now. The provider remembers the VM that it looked at last, and would take that one:
		// its managed resource goes, which leaves the VM alone, and the next call makes another one.
		return
	}

	desired := w.newVM(ids)
	ready := len(missing) == 0 && (w.out.Look == nil || w.out.Look.Outcome == OutcomeFree)

	switch {
	case ready && w.madeWay():
		// What an earlier look saw stays in the managed resource until the provider sees this VM.
		if w.out.Look != nil && w.vm.Status.AtProvider.ID != "" {
			desired.Metadata.Annotations[proxmox.LookedAnnotation] = "true"
		}

		w.vms[w.name] = desired
	case w.out.Look != nil:
		w.vms[w.name] = w.lookAt(desired, w.Machine.Placement.VMID)
	case w.observed:
		w.vms[w.name] = w.vm.Retained(ours(w.vm.Metadata.Metadata), w.mayDelete())
	}
}

// annotate gives a VM what it is to remember.
func (w *work) annotate(annotations map[string]string) {
	i := w.Incarnation
	annotations[proxmox.ReplaceTokensAnnotation] = lifecycle.Annotation(i.Tokens)

	if w.next && !w.promoted() {
		annotations[proxmox.CandidateAnnotation] = "true"
	}

	if _, ok := annotations[proxmox.RebootTokensAnnotation]; !ok {
		annotations[proxmox.RebootTokensAnnotation] = lifecycle.Annotation(lifecycle.With(nil, w.Machine.Lifecycle.Reboot))
	}
}

// numbered gives a VM its number. The external name from the start makes a create that was cut off find its own VM again.
func numbered(vm *proxmox.VM, id int64) {
	number := strconv.FormatInt(id, 10)
	vm.Spec.ForProvider.VMID = &id
	vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = number
	vm.Metadata.Labels[proxmox.VMIDLabel] = number
}
