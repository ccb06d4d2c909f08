package status

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// catalogues are the moments of a machine whose catalogue lacks something, or whose claim has a warning.
func catalogues() map[string]scenario {
	const (
		lost    = `spec.class: "small": there is no class of that name; there are: micro, medium`
		warning = "Nobody can log in: neither spec.bootstrap.sshAuthorizedKeys nor the catalogue's defaults have an SSH key."
	)

	entryMissing := Condition{
		"SpecValid", "False", "CatalogueEntryMissing",
		"The VM keeps its own size and CPU type; K3s settings, because the catalogue lacks what the claim names; all other fields of the claim " +
			"take effect. Correct the catalogue or the claim:\n  " + lost,
	}

	return map[string]scenario{
		"EntryMissing": {
			reason: "The VM runs on with what it has, and the claim says of what the catalogue has nothing.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				err := field.Invalid(field.NewPath("spec", "class"), "small", "there is no class of that name; there are: micro, medium")
				in.Machine.Kept = []machine.Kept{
					{Part: machine.PartSize, Faults: field.ErrorList{err}}, {Part: machine.PartCluster, Faults: field.ErrorList{err}},
				}
				in.Bootstrap = &bootstrap.Bootstrap{Mode: bootstrap.ModeRendered, Undetermined: true}

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Bootstrap.PendingHash = "" }), Ready: readiness(true, true, true),
				Conditions: []Condition{
					entryMissing, machineRunning,
					{
						"BootstrapCurrent", "Unknown", "CatalogueEntryMissing",
						"The bootstrap data of the claim depends on an entry that the catalogue lacks (condition SpecValid), so the function cannot " +
							"compare the bootstrap data of claim and VM. The VM keeps running with its data. Add the entry to the catalogue.",
					},
					notRequired, nothingPending, numberOurs, noError,
				},
				Events: []Event{{Warning: true, Reason: "CatalogueEntryMissing", Message: entryMissing.Message}},
			},
		},
		"Warned": {
			reason: "A claim that is valid and useless says so, and once as an event.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Warnings = []string{warning}

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: []Condition{
					{"SpecValid", "True", "Valid", "The spec is valid and rendered. " + warning},
					machineRunning, current, notRequired, nothingPending, numberOurs, noError,
				},
				Events: []Event{{Warning: true, Reason: "SpecWarning", Message: warning}},
			},
		},
		"WarnedBefore": {
			reason: "No event says the same warning twice.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Warnings = []string{warning}
				in.Previous = after(Machine(in))

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: []Condition{
					{"SpecValid", "True", "Valid", "The spec is valid and rendered. " + warning},
					machineRunning, current, notRequired, nothingPending, numberOurs, noError,
				},
			},
		},
	}
}
