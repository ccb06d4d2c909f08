package render

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// replaced renders the VM whose place another one takes, and says how far that has come. The old VM stays as it is: it follows
// no change of the claim any more, which speaks of the new one.
func (w *work) replaced() {
	i := w.Incarnation
	r := &Replacement{Token: i.Token, Old: i.Current, New: i.Next}

	switch {
	case i.Token == "":
		return
	case !w.next:
		r.Stage, r.Blocked = StageBlocked, w.Verdict.Blocked
		w.out.Replacement = r

		return
	}

	old := w.State.VMs[i.Current]
	kept := w.keepOld(old)
	r.Stage = StagePreparing

	if w.Verdict.Announce {
		kept.Metadata.Annotations[proxmox.ReplacingAnnotation] = i.Token
	}

	if vm, ok := w.vms[i.Next]; ok && !onlyLooks(vm.Spec.ManagementPolicies) {
		r.Stage = StageMaking
	}

	if conflicts(w.Machine) && (r.Stage == StageMaking || w.prepared()) {
		r.Stopped = true
		w.stop(&kept, old)

		if r.Stage == StagePreparing {
			r.Stage = StageStopping
		}
	}

	w.vms[i.Current], w.going[i.Current] = kept, true
	w.out.Replacement = r

	// What the old VM could not follow, the new one has.
	w.out.Held, w.out.Pending = nil, nil
}

// prepared says whether a new VM waits for nothing but the old one.
func (w *work) prepared() bool {
	return !w.made && !w.Verdict.Hold && len(w.out.Waiting) == 0 && (w.out.Look == nil || w.out.Look.Outcome == OutcomeFree)
}

// madeWay says whether a new VM may be made as far as the old one is concerned.
func (w *work) madeWay() bool {
	if !w.next || !conflicts(w.Machine) {
		return true
	}

	if w.Verdict.Hold {
		return false
	}

	old := w.State.VMs[w.Incarnation.Current]

	return known(old) && !old.Status.AtProvider.Started
}

// promoted says whether the new VM is as it should be, so that it has the place of the old one for good.
func (w *work) promoted() bool {
	at := w.vm.Status.AtProvider
	p := w.vm.Spec.ForProvider

	if !w.made || !w.vm.Found() || !known(w.vm) || at.Started != p.Started || w.vm.Working() {
		return false
	}

	agent := len(p.Agent) > 0 && p.Agent[0].Enabled

	return !agent || !p.Started || proxmox.Addressed(w.vm)
}

// formerVMs renders VMs whose place was taken, and lets them go when they may: to leave a VM out is to delete its managed
// resource, and the policies that it was last written with decide what becomes of the VM.
func (w *work) formerVMs() {
	for _, name := range w.Incarnation.Strangers {
		o := w.State.VMs[name]
		mayDelete := w.Machine.DeletionPolicy == v1alpha1.DeletionDelete && proxmox.MayDelete(o.Spec.ManagementPolicies)
		w.vms[name] = o.Retained(ours(o.Metadata.Metadata), mayDelete)
	}

	for _, name := range w.Incarnation.Former {
		o := w.State.VMs[name]

		if w.mayGo(o) {
			continue
		}

		kept := w.keepOld(o)
		w.going[name] = true
		kept.Spec.ManagementPolicies = proxmox.Policies(w.destroys(o))

		if !w.destroys(o) {
			w.stop(&kept, o)
			w.out.Replacement = &Replacement{
				Token: last(w.Incarnation.Tokens), Stage: StageRetiring, Old: name, New: w.Incarnation.Current, Stopped: true,
			}
		}

		w.vms[name] = kept
	}
}

// destroys says whether a VM that goes is destroyed. One that never was ready always is.
func (w *work) destroys(o proxmox.ObservedVM) bool {
	return w.Machine.DeletionPolicy == v1alpha1.DeletionDelete || o.Metadata.Annotations[proxmox.CandidateAnnotation] != ""
}

// mayGo says whether a VM can be left out now. Its policies have to be those of today; the provider must not be kept from
// working on it; and one that stays in Proxmox is to be stopped, or it would run beside the one that took its place.
func (w *work) mayGo(o proxmox.ObservedVM) bool {
	switch {
	case o.ObserveOnly(), o.Metadata.DeletionTimestamp != "":
		return true
	case paused(o.Metadata.Metadata), proxmox.MayDelete(o.Spec.ManagementPolicies) != w.destroys(o):
		return false
	}

	return w.destroys(o) || known(o) && !o.Status.AtProvider.Started
}

// keepOld is a VM as it was last written, but for what holds up its going.
func (w *work) keepOld(o proxmox.ObservedVM) proxmox.VM {
	vm := o.Retained(ours(o.Metadata.Metadata), w.Machine.DeletionPolicy == v1alpha1.DeletionDelete)

	if n := o.Status.AtProvider.NodeName; n != "" {
		vm.Spec.ForProvider.NodeName = n
	}

	return vm
}

func onlyLooks(policies []string) bool { return slices.Equal(policies, proxmox.ObserveOnly()) }

// stop a VM that another one takes the place of. One that ran is marked, so that it is started again where that comes to
// nothing.
func (w *work) stop(vm *proxmox.VM, o proxmox.ObservedVM) {
	runs := o.Status.AtProvider.Started || !known(o) && o.Spec.ForProvider.Started
	if runs {
		vm.Metadata.Annotations[proxmox.StoppedForAnnotation] = "replacement"
	}

	vm.Spec.ForProvider.Started = false
	vm.Spec.ForProvider.OnBoot = false
}

func last(words []string) string {
	if len(words) == 0 {
		return ""
	}

	return words[len(words)-1]
}
