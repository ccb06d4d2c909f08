package render

import (
	"encoding/json"
	"reflect"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// power says whether a VM is to run, where nobody restarts it. has is whether it runs now, or was started last.
func (w *work) power(has bool) bool {
	switch w.Machine.Power {
	case v1alpha1.PowerStopped:
		return false
	case v1alpha1.PowerUnmanaged:
		return has
	case v1alpha1.PowerRunning:
	}

	return true
}

// known says whether the provider has told whether the VM runs.
func known(vm proxmox.ObservedVM) bool { return vm.Status.AtProvider.ID != "" }

// run decides whether the VM runs, and restarts it where that was asked for. A restart is a stop and a start: Proxmox takes
// pending changes up when a VM starts, and a reboot from within would not do. The word counts as followed once the VM is
// seen stopped, so that neither a restart of this function nor a slow shutdown repeats it.
func (w *work) run(desired *proxmox.VM) {
	p, annotations := &desired.Spec.ForProvider, desired.Metadata.Annotations

	done, token := seen(w.vm, proxmox.RebootTokensAnnotation), w.Machine.Lifecycle.Reboot
	asked := lifecycle.Asks(token, done) || w.Machine.Lifecycle.RebootPolicy == v1alpha1.RebootWhenNeeded && len(w.out.Pending) > 0
	stopped := known(w.vm) && !w.vm.Status.AtProvider.Started

	switch {
	case w.Machine.Power == v1alpha1.PowerStopped:
		p.Started = false
	case asked && known(w.vm) && !stopped:
		p.Started, w.out.Restarting = false, true
		annotations[proxmox.StoppedForAnnotation] = "restart"
	case w.vm.Metadata.Annotations[proxmox.StoppedForAnnotation] != "":
		// We stopped it, for a restart or to make way for another VM. Its own power is not asked: it ran before.
		p.Started, w.out.Restarting = true, stopped
	default:
		p.Started = w.power(w.lastPower())
	}

	if stopped {
		done = lifecycle.With(done, token)
	}

	delete(annotations, proxmox.RebootTokensAnnotation)

	if len(done) > 0 {
		annotations[proxmox.RebootTokensAnnotation] = lifecycle.Annotation(done)
	}

	w.unmanaged(desired)
}

// lastPower is whether the VM runs, as far as it is nobody's business here. While the provider still carries out what was
// last written, that counts: what it reports may be of before.
func (w *work) lastPower() bool {
	if !known(w.vm) || w.mayUpdate() && !w.vm.Resting() {
		return w.vm.Spec.ForProvider.Started
	}

	return w.vm.Status.AtProvider.Started
}

func (w *work) mayUpdate() bool { return proxmox.MayUpdate(w.vm.Spec.ManagementPolicies) }

// unmanaged takes the provider its right to change a VM while there is nothing to change. It looks at a VM every few
// minutes, and would start one that somebody stopped in the very same turn, before anybody else could see it stopped.
func (w *work) unmanaged(desired *proxmox.VM) {
	if w.Machine.Power != v1alpha1.PowerUnmanaged || w.out.Restarting {
		return
	}

	has, want := w.vm.Spec.ForProvider, desired.Spec.ForProvider
	has.Started = want.Started

	settled := !w.mayUpdate() || w.vm.Resting() && w.vm.Status.AtProvider.Started == want.Started
	if settled && reflect.DeepEqual(has, want) {
		desired.Spec.ManagementPolicies = proxmox.WithoutUpdate(desired.Spec.ManagementPolicies)
	}
}

// pending finds out which changes the VM takes up at its next power cycle, and remembers what it has until then: Proxmox
// shows only what it will have. A VM that does not run has nothing pending.
func (w *work) pending(desired *proxmox.VM, made proxmox.VMParameters) {
	if known(w.vm) && !w.vm.Status.AtProvider.Started {
		return
	}

	p := desired.Spec.ForProvider
	has := map[string]string{}

	// An annotation that somebody broke is as good as none.
	_ = json.Unmarshal([]byte(w.vm.Metadata.Annotations[proxmox.RebootPendingAnnotation]), &has)

	for _, c := range change.Compare(made, p) {
		if _, waiting := has[c.Field]; c.Effect == change.Reboot && !waiting {
			has[c.Field] = c.Has
		}
	}

	w.out.Pending = change.Outstanding(has, p)
	if len(w.out.Pending) == 0 {
		return
	}

	still := make(map[string]string, len(w.out.Pending))
	for _, c := range w.out.Pending {
		still[c.Field] = c.Has
	}

	b, err := json.Marshal(still)
	if err == nil {
		desired.Metadata.Annotations[proxmox.RebootPendingAnnotation] = string(b)
	}
}
