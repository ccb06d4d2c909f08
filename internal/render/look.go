package render

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// look is what is known of the number that a new VM is to have; nil where Proxmox chooses, and where the VM was tried to be
// made with this number before.
//
// The provider takes a VM that has the number over without a word: it resizes it, starts it, and destroys it with the
// claim. So a number is only used once the provider, which may only look meanwhile, says that it finds no VM.
func (w *work) look() *Look {
	id := w.Machine.Placement.VMID
	if id == 0 {
		return nil
	}

	if w.observed && !w.vm.ObserveOnly() && proxmox.NumberOf(w.vm) == id {
		return nil
	}

	out := &Look{VMID: id}

	// What was found out is about the number before this one, and worth telling.
	if w.Tried != 0 {
		out.VMID, out.Next = w.Tried, id
	}

	out.Outcome, out.Name, out.Node = w.found(out.VMID)

	return out
}

// found says what is known of a number.
func (w *work) found(id int64) (o Outcome, name, node string) {
	if other := w.claimed(id); other != "" {
		return OutcomeClaimed, other, ""
	}

	if LookedAt(w.vm) != id {
		return OutcomeLooking, "", ""
	}

	return outcome(w.vm, id)
}

// Taken is the number that the VM was looked at with and that cannot be used; 0 where there is none. first is the number
// of a range with which the search began; 0 where the number is not one of a range.
func Taken(r Request) (taken, first int64) {
	w := &work{Request: r, vm: r.State.VMs[r.Incarnation.Subject()]}

	id := LookedAt(w.vm)

	if o, _, _ := w.found(id); id == 0 || o == OutcomeFree || o == OutcomeLooking {
		return 0, 0
	}

	switch first = w.firstOfLap(); {
	case first != 0:
	case w.lap() != "":
		first = id
	}

	return id, first
}

// LookedAt is the number that a VM is looked at for; 0 where it is not looked at. The external name and the parameters say
// the same number, since the one tells what the provider looks for, and the other makes its answer one to this question.
func LookedAt(vm proxmox.ObservedVM) int64 {
	p := vm.Spec.ForProvider
	if !vm.ObserveOnly() || p.VMID == nil || vm.Metadata.ExternalName() != proxmox.ImportName(p.NodeName, *p.VMID) {
		return 0
	}

	return *p.VMID
}

// Asked is the number of a VM that may only be looked at, whether its look has begun or not; 0 of all others.
func Asked(vm proxmox.ObservedVM) int64 {
	if id := vm.Spec.ForProvider.VMID; vm.ObserveOnly() && id != nil {
		return *id
	}

	return 0
}

// outcome of a look at a number. A VM with another one was found by an earlier look.
func outcome(vm proxmox.ObservedVM, id int64) (o Outcome, name, node string) {
	switch {
	case vm.Absent():
		return OutcomeFree, "", ""
	case proxmox.Present(vm) && vm.Status.AtProvider.ID == strconv.FormatInt(id, 10):
		return OutcomeTaken, vm.Status.AtProvider.Name, vm.Status.AtProvider.NodeName
	case proxmox.Silent(vm):
		return OutcomeSilent, "", ""
	}

	return OutcomeLooking, "", ""
}

// claimed names another machine that has a number, or was first to ask for it; empty where there is none. Two that ask at
// the same time both see each other before either is made, since both have to look first.
func (w *work) claimed(id int64) string {
	for _, o := range w.Neighbours {
		if w.Own(o) || proxmox.NumberOf(o) != id || !w.sameSite(o) {
			continue
		}

		if !o.ObserveOnly() || o.Before(w.vm) {
			return o.Metadata.Labels[proxmox.NamespaceLabel] + "/" + o.Metadata.Labels[proxmox.MachineLabel]
		}
	}

	return ""
}

// sameSite says whether another VM is in the same Proxmox cluster, as far as names tell. A ProviderConfig with a namespace is
// another one in each.
func (w *work) sameSite(o proxmox.ObservedVM) bool {
	ref := w.Flavour.Ref(w.providerConfig())

	return o.Spec.ProviderConfigRef == ref && (ref.Kind != "ProviderConfig" || o.Metadata.Namespace == w.Namespace)
}

// Own says whether a managed resource is this machine's.
func (r Request) Own(o proxmox.ObservedVM) bool {
	return o.Metadata.Labels[proxmox.CompositeLabel] == r.Composite && o.Metadata.Namespace == r.Namespace
}

// lookAt makes a VM one that the provider may only look at.
func (w *work) lookAt(vm proxmox.VM, id int64) proxmox.VM {
	p := &vm.Spec.ForProvider
	p.VMID = &id
	vm.Spec.ManagementPolicies = proxmox.ObserveOnly()
	vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = w.question(p.NodeName, id)
	vm.Metadata.Labels[proxmox.VMIDLabel] = strconv.FormatInt(id, 10)

	if lap := w.lap(); lap != "" {
		first := cmp.Or(w.firstOfLap(), w.Tried, id)
		vm.Metadata.Annotations[proxmox.LookedFromAnnotation] = strconv.FormatInt(first, 10) + "/" + lap
	}

	return vm
}

// question is the external name under which the provider looks for a number. Where it does not say what its last answer was
// about, "there is none" would be taken for the answer to the next question. It is asked for something first that it can
// only refuse: a number without a node.
func (w *work) question(node string, id int64) string {
	name := proxmox.ImportName(node, id)
	if w.vm.ObserveOnly() && w.vm.Metadata.ExternalName() != name && w.vm.Absent() && w.vm.Undated() {
		return strconv.FormatInt(id, 10)
	}

	return name
}

// lap identifies a search through a range: a wider range, and any change of the claim, begin another one. Empty where the
// number is none of a range.
func (w *work) lap() string {
	r := w.Machine.Placement.VMIDRange
	if r == nil {
		return ""
	}

	return w.Machine.Identity.Hash("range", strconv.FormatInt(r.From, 10), strconv.FormatInt(r.To, 10), w.Intent)
}

// firstOfLap is the number with which the search began; 0 where none is under way.
func (w *work) firstOfLap() int64 {
	first, lap, _ := strings.Cut(w.vm.Metadata.Annotations[proxmox.LookedFromAnnotation], "/")

	id, err := strconv.ParseInt(first, 10, 64)
	if err != nil || lap != w.lap() {
		return 0
	}

	return id
}
