package compose

import (
	"fmt"
	"maps"
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A step is what this call does with one composed resource, as the plan tells it.
type step struct {
	action  action
	changes []change.Change
}

// An action is a step in one word.
type action string

// The actions, as the plan tells them.
const (
	actionCreate action = "create"
	actionKeep   action = "keep"
	actionChange action = "change"
	actionCheck  action = "check"
	actionAdopt  action = "adopt"
	actionPause  action = "pause"
	actionRemove action = "remove" // From Crossplane; the policies say what becomes of it in Proxmox.
)

// effects in the words of a plan.
var effects = map[change.Effect]string{ //nolint:gochecknoglobals // A constant table.
	change.InPlace: "change in place",
	change.Reboot:  "needs reboot",
	change.Refused: "refused",
}

// explain says what this call does to each composed resource, one result a resource and one a change, in the order of the
// names.
func explain(rsp *fnv1.RunFunctionResponse, plan lifecycle.Plan, steps map[string]step) {
	say := sayer(rsp)

	for _, name := range slices.Sorted(maps.Keys(steps)) {
		s := steps[name]
		say("%s: %s", name, s.action)

		for _, c := range s.changes {
			say("%s: %s: %s", name, effects[c.Effect], c)
		}
	}

	active := plan.Roles.Active
	for _, c := range plan.Pending {
		if !slices.Contains(steps[active].changes, c) {
			say("%s: waits for a reboot: %s", active, c)
		}
	}
}

// sayer adds lines to the plan.
func sayer(rsp *fnv1.RunFunctionResponse) func(format string, args ...any) {
	return func(format string, args ...any) {
		reason := "Plan"
		rsp.Results = append(rsp.Results, &fnv1.Result{
			Severity: fnv1.Severity_SEVERITY_NORMAL, Message: fmt.Sprintf(format, args...), Reason: &reason,
			Target: fnv1.Target_TARGET_COMPOSITE.Enum(),
		})
	}
}

// explainClaim says what of the claim has no effect: what the VM keeps because the catalogue lacks an entry, and what is valid and has
// no use.
func explainClaim(rsp *fnv1.RunFunctionResponse, m *machine.Machine) {
	say := sayer(rsp)

	for _, k := range m.Kept {
		say("claim: keeps %s: %s", k.Part, k.Faults.ToAggregate())
	}

	for _, w := range m.Warnings {
		say("claim: warning: %s", w)
	}
}

// steps of this call, by composed resource name, beside those that protect the claim.
func steps(plan lifecycle.Plan, desired proxmox.Desired, protection map[string]step) map[string]step {
	out := maps.Clone(protection)
	addSteps(out, desired.VMs, plan.Observed.VMs)
	addSteps(out, desired.Files, plan.Observed.Files)
	addSteps(out, desired.DownloadFiles, plan.Observed.DownloadFiles)

	name := plan.Roles.Described()
	described, ok := out[name]

	switch {
	case !ok:
		return out
	case plan.State == lifecycle.StateLiving:
		described.changes = slices.Concat(described.changes, plan.Held)
	case plan.Adoption != nil:
		described.changes = plan.Adoption.Changes
	}

	out[name] = described

	return out
}

func addSteps[P, S any](to map[string]step, desired map[string]proxmox.Resource[P], observed map[string]proxmox.Observed[P, S]) {
	for name, r := range desired {
		o, ok := observed[name]
		to[name] = stepOf(r, o, ok)
	}

	for name := range observed {
		if _, stays := desired[name]; !stays {
			to[name] = step{action: actionRemove}
		}
	}
}

// stepOf says what becomes of one resource.
func stepOf[P, S any](r proxmox.Resource[P], o proxmox.Observed[P, S], observed bool) step {
	switch {
	case lifecycle.PausedByUs(r.Metadata):
		return step{action: actionPause}
	case proxmox.OnlyObserves(r.Spec.ManagementPolicies):
		return step{action: actionCheck}
	case !observed:
		return step{action: actionCreate}
	}

	vm, isVM := any(o).(proxmox.ObservedVM)
	if !isVM {
		return step{action: actionKeep}
	}

	if vm.ObserveOnly() {
		if r.Metadata.Annotations[proxmox.AdoptedAnnotation] != "" {
			return step{action: actionAdopt}
		}

		return step{action: actionCreate}
	}

	// As it is in Proxmox, where that is known, and not as it was last written.
	has := change.AsMade(vm)
	if vm.Status.AtProvider.ID != "" {
		has.Started = vm.Status.AtProvider.Started
	}

	wanted, _ := any(r.Spec.ForProvider).(proxmox.VMParameters)
	if changes := change.Compare(has, wanted); len(changes) > 0 {
		return step{action: actionChange, changes: changes}
	}

	return step{action: actionKeep}
}
