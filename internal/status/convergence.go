package status

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// A convergenceReport is about what a NixOS machine with spec.nix reports of its last convergence.
type convergenceReport struct {
	machine *machine.Machine
	vm      *activeVM
	seen    guestreport.Nix
	before  *v1alpha1.Status
}

func newConvergenceReport(m *machine.Machine, vm *activeVM, before *v1alpha1.Status) *convergenceReport {
	r := &convergenceReport{machine: m, vm: vm, before: before}
	if m.Nix != nil {
		r.seen = lifecycle.NixReport(vm.seen)
	}

	return r
}

// status is what the guest reported last; nil where nothing is known.
func (r *convergenceReport) status() *v1alpha1.NixStatus {
	if r.seen.State == guestreport.NixUnknown {
		return nil
	}

	return &v1alpha1.NixStatus{Revision: r.seen.Revision, Outcome: v1alpha1.NixOutcome(r.seen.State)}
}

// conditions is the condition on the last convergence; none for a machine that never had a flake.
func (r *convergenceReport) conditions() []Condition {
	switch had := meta.FindStatusCondition(r.before.Conditions, TypeConverged) != nil; {
	case r.machine.Nix == nil && had:
		return []Condition{{TypeConverged, metav1.ConditionFalse, ReasonNoFlake, "The claim has no flake any more."}}
	case r.machine.Nix == nil:
		return nil
	}

	c := Condition{Type: TypeConverged, Status: Truth(false)}
	revision := "the revision"
	if r.seen.Revision != "" {
		revision = "revision " + r.seen.Revision
	}

	const journal = " In the guest, `journalctl -u nix-gitops-apply` has the reason."

	switch r.seen.State {
	case guestreport.NixApplied:
		c.Status, c.Reason = Truth(true), ReasonApplied
		c.Message = "The machine runs and boots " + revision + " of its flake."
	case guestreport.NixRebootPending:
		c.Status, c.Reason = Truth(true), ReasonGuestRebootPending
		c.Message = "The machine applied " + revision + " of its flake, and has to reboot to run all of it: run `reboot` in the guest, or set nix.reboot."
	case guestreport.NixHeld:
		c.Reason = ReasonHeld
		c.Message = "The machine does not converge, because /etc/nix-gitops/hold exists in the guest. Remove the file to continue."
	case guestreport.NixRolledBack:
		c.Reason = ReasonRolledBack
		c.Message = "The machine activated " + revision + " of its flake, rejected it, and runs again what it ran before. Push a corrected revision." + journal
	case guestreport.NixFailed:
		c.Reason = ReasonConvergenceFailed
		c.Message = "The machine could not apply " + revision + " of its flake, and tries again by itself." + journal
	case guestreport.NixUnknown:
		c.Status, c.Reason = metav1.ConditionUnknown, ReasonNotReported
		c.Message = "The guest reports no outcome of a convergence: it is stopped, it has not ended a run since it booted, its guest agent does not answer, or it " +
			"is older than this report. In the guest, `ip -brief link` shows the report, a link such as nix-ok-3f9a0c."

		switch {
		case r.machine.Silent:
			c.Message = "spec.bootstrap.report is None, so the guest does not report what its convergence comes to."
		case r.vm.unread():
			c.Reason, c.Message = ReasonVMUnread, guestUnread
		}
	}

	return []Condition{c}
}
