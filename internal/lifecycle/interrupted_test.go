package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestRetryInterruptedCreate(t *testing.T) {
	const at, later = "2026-11-20T10:00:00Z", "2026-11-20T10:05:00Z"

	cutOff := proxmox.Condition{
		Type: "Synced", Status: "False", Reason: "ReconcileError",
		Message: "cannot determine creation result - remove the crossplane.io/external-create-pending annotation if it is safe to proceed",
	}
	synced := proxmox.Condition{Type: "Synced", Status: "True"}

	cases := map[string]struct {
		reason      string
		kind        string
		condition   proxmox.Condition
		annotations map[string]string
		want        bool
	}{
		"Numbered": {
			reason: "The provider finds a VM by its number.", kind: proxmox.VMKind, condition: cutOff,
			annotations: map[string]string{proxmox.ExternalNameAnnotation: "153", proxmox.CreatePendingAnnotation: at}, want: true,
		},
		"Chosen": {
			reason: "There could be two VMs whose number Proxmox chose.", kind: proxmox.VMKind, condition: cutOff,
			annotations: map[string]string{proxmox.CreatePendingAnnotation: at},
		},
		"Snippet": {
			reason: "The same bytes are written once more.", kind: proxmox.FileKind, condition: cutOff,
			annotations: map[string]string{proxmox.CreatePendingAnnotation: at}, want: true,
		},
		"Image": {
			reason: "An image is found by its name.", kind: proxmox.DownloadFileKind, condition: cutOff,
			annotations: map[string]string{proxmox.ExternalNameAnnotation: "local:import/a.qcow2", proxmox.CreatePendingAnnotation: at}, want: true,
		},
		"MarkStays": {
			reason: "Without the mark the provider would refuse to go on again.", kind: proxmox.FileKind, condition: synced,
			annotations: map[string]string{proxmox.CreatePendingAnnotation: at, proxmox.CreateFailedAnnotation: at, proxmox.ResumedAnnotation: at}, want: true,
		},
		"TriedAgain": {
			reason: "Something is made anew since, so that the mark is of no use.", kind: proxmox.FileKind, condition: synced,
			annotations: map[string]string{proxmox.CreatePendingAnnotation: later, proxmox.CreateFailedAnnotation: at, proxmox.ResumedAnnotation: at},
		},
		"FailedByItself": {
			reason: "A failure that the provider saw itself is its own to remember.", kind: proxmox.FileKind, condition: synced,
			annotations: map[string]string{proxmox.CreatePendingAnnotation: at, proxmox.CreateFailedAnnotation: at},
		},
		"CutOffTwice": {
			reason: "The mark is about the last try.", kind: proxmox.FileKind, condition: cutOff,
			annotations: map[string]string{proxmox.CreatePendingAnnotation: later, proxmox.CreateFailedAnnotation: at, proxmox.ResumedAnnotation: at}, want: true,
		},
		"InTheMaking": {
			reason: "What is made at this moment is left alone.", kind: proxmox.FileKind, condition: synced,
			annotations: map[string]string{proxmox.CreatePendingAnnotation: at},
		},
		"AnotherError": {
			reason: "The provider refuses for no other reason.", kind: proxmox.FileKind,
			condition:   proxmox.Condition{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "create failed: apply failed: nope"},
			annotations: map[string]string{proxmox.CreatePendingAnnotation: at},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := proxmox.Observed[struct{}, struct{}]{Kind: tc.kind}
			o.Metadata.Annotations = tc.annotations
			o.Status.Conditions = []proxmox.Condition{tc.condition}

			if got := RetryInterruptedCreate(o); got != tc.want {
				t.Errorf("%s\nRetryInterruptedCreate(...): want %t, got %t", tc.reason, tc.want, got)
			}

			// Where nothing is known, what is observed is kept as it is; the mark with it, if it is ours.
			if want, got := tc.annotations[proxmox.ResumedAnnotation] == tc.annotations[proxmox.CreatePendingAnnotation], CreateRetried(o.Metadata.Metadata); got != want {
				t.Errorf("%s\nCreateRetried(...): want %t, got %t", tc.reason, want, got)
			}
		})
	}
}
