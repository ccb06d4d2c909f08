package render

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Adopts says whether a VM is one that somebody else made, or is to be such a one. What was adopted once stays so, whatever
// the claim says later; a VM that takes the place of an adopted one is ours.
func Adopts(claimed *v1alpha1.Adopt, i lifecycle.Incarnation, vm proxmox.ObservedVM, observed bool) bool {
	if observed && !vm.ObserveOnly() {
		return vm.Metadata.Annotations[proxmox.AdoptedAnnotation] != ""
	}

	return claimed != nil && i.Next == "" && i.Current == lifecycle.FirstVM
}

// adopt looks at a VM that is to be taken over, tells what that would change, and takes it over once a person has approved
// exactly that.
func (w *work) adopt(ids proxmox.Initialization) {
	id := w.Machine.Adopt.VMID
	wanted := w.newVM(ids)

	a := &Adoption{VMID: id}
	a.Outcome, a.Name, a.Node = w.found(id)

	w.out.Adoption = a
	found := w.vm.Status.AtProvider.Parameters

	if a.Outcome == OutcomeTaken && found != nil {
		a.Unfit = found.Unfit
	}

	if a.Outcome != OutcomeTaken || found == nil || a.Unfit != "" {
		w.vms[w.name] = w.lookAt(wanted, id)
		return
	}

	taken := w.takeOver(wanted, *found, a)
	if !a.Approved {
		w.vms[w.name] = w.lookAt(wanted, id)
		return
	}

	w.out.Held = refused(a.Changes)
	w.vms[w.name] = taken
}

// takeOver is the VM as it would be taken over. It fills in the plan of that.
func (w *work) takeOver(wanted proxmox.VM, found proxmox.Found, a *Adoption) proxmox.VM {
	has := found.VMParameters
	has.VMID = &a.VMID

	wanted.Spec.ForProvider.Started = w.power(has.Started)

	p, held := change.Guard(wanted.Spec.ForProvider, has, w.circumstances())
	changes := change.Compare(has, p)

	a.Changes = slices.Concat(changes, held)
	a.Plan = planHash(w.Machine.Identity, a)
	a.Approved = w.Machine.Adopt.Approve == a.Plan
	a.Stale = w.Machine.Adopt.Approve != "" && !a.Approved

	if !a.Approved {
		return wanted
	}

	wanted.Spec.ForProvider, wanted.Spec.Rest = p, found.Rest
	numbered(&wanted, a.VMID)
	wanted.Metadata.Annotations[proxmox.AdoptedAnnotation] = "true"
	delete(wanted.Metadata.Annotations, proxmox.BootstrapHashAnnotation)
	w.pending(&wanted, has)

	return wanted
}

// planHash identifies what a person approves: which VM, and all that would become of it. It starts with a letter, since YAML
// takes some words of digits for numbers.
func planHash(id machine.Identity, a *Adoption) string {
	parts := []string{"adopt", proxmox.ImportName("", a.VMID), a.Name}
	for _, c := range a.Changes {
		parts = append(parts, string(c.Effect), c.String())
	}

	h := id.Hash(parts...)

	return string('a'+h[0]%6) + h[1:]
}

func refused(all []change.Change) []change.Change {
	var out []change.Change

	for _, c := range all {
		if c.Effect == change.Refused {
			out = append(out, c)
		}
	}

	return out
}
