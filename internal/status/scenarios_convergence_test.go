package status

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	itsJournal  = " In the guest, `journalctl -u nix-gitops-apply` has the reason."
	rejected    = "The machine activated revision 3f9a0c of its flake, rejected it, and runs again what it ran before. Push a corrected revision." + itsJournal
	notReported = "The guest reports no outcome of a convergence: it is stopped, it has not ended a run since it booted, its guest agent does not answer, or it " +
		"is older than this report. In the guest, `ip -brief link` shows the report, a link such as nix-ok-3f9a0c."
)

// reporting is dns01, which converges to a flake, with links of its guest.
func reporting(t *testing.T, links ...string) Input {
	t.Helper()

	in := running(t)
	in.Machine.Nix = &machine.Nix{FlakeRef: "github:o/r#dns01"}
	in.Previous = after(Machine(in))

	vm := in.State.VMs["vm"]
	at := &vm.Status.AtProvider

	for _, name := range links {
		at.NetworkInterfaceNames, at.MACAddresses = append(at.NetworkInterfaceNames, name), append(at.MACAddresses, "9e:00:00:00:00:01")
	}

	in.State.VMs = map[string]proxmox.ObservedVM{"vm": vm}

	return in
}

// convergences are the words that a NixOS machine reports.
func convergences() map[string]scenario {
	says := func(reason, link string, nix *v1alpha1.NixStatus, want Condition, events ...Event) scenario {
		want.Type = TypeConverged

		return scenario{
			reason: reason,
			in:     func(t *testing.T) Input { t.Helper(); return reporting(t, link) },
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Nix = nix }), Ready: readiness(true, true, true),
				Conditions: conditions(want), Events: events,
			},
		}
	}
	of := func(outcome v1alpha1.NixOutcome) *v1alpha1.NixStatus {
		return &v1alpha1.NixStatus{Revision: "3f9a0c", Outcome: outcome}
	}

	silent := says("The claim switches the report off.", "eth1", nil, Condition{
		Status: "Unknown", Reason: "NotReported", Message: "spec.bootstrap.report is None, so the guest does not report what its convergence comes to.",
	})
	silent.in = func(t *testing.T) Input {
		t.Helper()

		in := reporting(t)
		in.Machine.Silent = true

		return in
	}

	return map[string]scenario{
		"Converged": says("The revision is applied.", "nix-ok-3f9a0c", of("Applied"), Condition{
			Status: "True", Reason: "Applied", Message: "The machine runs and boots revision 3f9a0c of its flake.",
		}),
		"ConvergedButForTheKernel": says("A new kernel waits for a reboot.", "nix-boot-3f9a0c", of("RebootPending"), Condition{
			Status: "True", Reason: "GuestRebootPending",
			Message: "The machine applied revision 3f9a0c of its flake, and has to reboot to run all of it: run `reboot` in the guest, or set nix.reboot.",
		}),
		"ConvergenceHeld": says("A person holds the machine.", "nix-held-3f9a0c", of("Held"), Condition{
			Status: "False", Reason: "Held", Message: "The machine does not converge, because /etc/nix-gitops/hold exists in the guest. Remove the file to continue.",
		}),
		"ConvergenceRolledBack": says("The health check failed.", "nix-back-3f9a0c", of("RolledBack"), Condition{
			Status: "False", Reason: "RolledBack", Message: rejected,
		}, Event{Warning: true, Reason: "RolledBack", Message: rejected}),
		"ConvergenceFailed": says("The remote is away, and nobody knows the revision.", "nix-bad", &v1alpha1.NixStatus{Outcome: "Failed"}, Condition{
			Status: "False", Reason: "ConvergenceFailed", Message: "The machine could not apply the revision of its flake, and tries again by itself." + itsJournal,
		}),
		"ConvergenceNotReported": says("A guest from before there were reports.", "eth1", nil, Condition{
			Status: "Unknown", Reason: "NotReported", Message: notReported,
		}),
		"ConvergenceOfSomethingElse": says("A report of a K3s node is none of a convergence.", "k3s-joined", nil, Condition{
			Status: "Unknown", Reason: "NotReported", Message: notReported,
		}),
		"ConvergenceOver": {
			reason: "Nobody waits for what no claim asks for any more.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Previous.Conditions = append(in.Previous.Conditions, metav1.Condition{Type: "Converged", Status: "False", Reason: "ConvergenceFailed"})

				return in
			},
			want: Output{
				Status: made(func(*v1alpha1.Status) {}), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{"Converged", "False", "NoFlake", "The claim has no flake any more."}),
			},
		},
		"ConvergenceReportOff": silent,
		"ConvergenceUnread": {
			reason: "The provider cannot read the VM for the moment: the guest is not said to be silent.",
			in:     func(t *testing.T) Input { t.Helper(); return unreadVM(reporting(t, "nix-ok-3f9a0c")) },
			want:   unreadIs(func(*v1alpha1.Status) {}, TypeConverged),
		},
	}
}
