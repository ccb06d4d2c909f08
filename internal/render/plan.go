package render

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// step is what becomes of one resource.
func step[P, S any](r proxmox.Resource[P], o proxmox.Observed[P, S], observed bool) Step {
	switch {
	case paused(r.Metadata):
		return Step{Action: ActionPause}
	case onlyLooks(r.Spec.ManagementPolicies):
		return Step{Action: ActionLook}
	case !observed:
		return Step{Action: ActionCreate}
	}

	vm, isVM := any(o).(proxmox.ObservedVM)
	if !isVM {
		return Step{Action: ActionKeep}
	}

	// As it is in Proxmox, where that is known, and not as it was last written.
	has := asMade(vm)
	if known(vm) {
		has.Started = vm.Status.AtProvider.Started
	}

	wanted, _ := any(r.Spec.ForProvider).(proxmox.VMParameters)
	out := Step{Action: ActionKeep, Changes: change.Compare(has, wanted)}

	switch {
	case o.ObserveOnly() && r.Metadata.Annotations[proxmox.AdoptedAnnotation] != "":
		return Step{Action: ActionAdopt}
	case o.ObserveOnly():
		return Step{Action: ActionCreate}
	case len(out.Changes) > 0:
		out.Action = ActionChange
	}

	return out
}

// plan notes what becomes of a resource.
func (w *work) plan(name string, s Step) {
	switch {
	case name != w.name:
	case w.made:
		s.Changes = slices.Concat(s.Changes, w.out.Held)
	case w.out.Adoption != nil:
		s.Changes = w.out.Adoption.Changes
	}

	w.out.Plan[name] = s
}
