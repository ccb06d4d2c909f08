package compose

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An Explanation is in types what the plan of a call says in words.
type Explanation struct {
	Steps    []Step   // In the order of the names; empty where the call fails, or where its Input does not ask for an explanation.
	Approval string   // The hash of the plan that waits for approval; empty where none does.
	Kept     []string // What the VM keeps because the catalogue lacks an entry.
	Warnings []string // What is valid and has no use.
	Refused  []string // What of a cluster's claim cannot be while its nodes live: the rest takes effect.
	NoNode   string   // That the site has no such node as the claim of a guest that lives names; empty where it has.

	Faults field.ErrorList // Of the claim, in the order of their paths; then the call fails.
}

// A Step is what a call does with one composed resource, or with the Kubernetes Node.
type Step struct {
	Resource string
	VM       bool // Whether it is a VM, a container, or a part of a site.
	VMID     int64
	Action   string
	Words    []string // What a person must know of it, in sentences without a full stop.
	Changes  []change.Change
	Pending  []change.Change // What a power cycle waits for, beside the changes.

	// Destroyed says whether the VM is destroyed with its disks: at once where it is removed, and when the new VM has taken its place
	// where it is replaced.
	Destroyed bool

	// Refused says of a node of a cluster that it stays as it is because a part of the claim is refused.
	Refused bool
	// Turn says what the turn of a node of a cluster does to its VM, if that cannot follow the edit.
	Turn NodeTurn
}

// A NodeTurn is what becomes of a node's VM in a turn that it cannot follow.
type NodeTurn string

// The NodeTurns.
const (
	NodeTurnKeeps    NodeTurn = ""         // It stays the node's.
	NodeTurnReplaces NodeTurn = "Replaces" // A new VM takes its place, and it stays in Proxmox, stopped.
	NodeTurnDestroys NodeTurn = "Destroys" // A new VM takes its place, and it is destroyed with its disks.
)

// Actions of a [Step] that a program decides by.
const (
	Kept      = string(actionKeep)
	Created   = string(actionCreate)
	Replaced  = string(actionGive)
	Removed   = string(actionRemove)
	Restarted = string(actionCycle)
	Upgraded  = "upgrade" // K3s on a node of a K3sCluster, while its VM stays.
)

// DisksOf a VM with their sizes, as a plan names them.
func DisksOf(vm proxmox.ObservedVM) []string { return disksOf(vm) }

// explanation of the steps of a plan.
func explanation(plan *lifecycle.Plan, steps map[string]step) Explanation {
	var out Explanation

	for _, name := range slices.Sorted(maps.Keys(steps)) {
		s := steps[name]
		vm, isVM := plan.Observed.VMs[name]
		_, planned := plan.Steps[name]

		e := Step{Resource: name, VM: isVM || planned, Action: string(s.action), Words: s.words, Changes: s.changes}

		if isVM {
			e.VMID = proxmox.VMIDOf(vm)
			e.Destroyed = s.action == actionRemove && !vm.ObserveOnly() && plan.Destroys(name) ||
				s.action == actionGive && plan.Machine.DeletionPolicy == v1alpha1.DeletionDelete
		}

		if name == plan.Roles.Active {
			e.Pending = slices.DeleteFunc(slices.Clone(plan.Pending), func(c change.Change) bool { return slices.Contains(s.changes, c) })
		}

		out.Steps = append(out.Steps, e)
	}

	if plan.Approval.Waits() {
		out.Approval = plan.Approval.Hash
	}

	out.Kept, out.NoNode = keptWords(plan.Machine.Kept), plan.Machine.Placement.NoNode

	for _, w := range plan.Machine.Warnings {
		out.Warnings = append(out.Warnings, message.Text(w))
	}

	return out
}

// keptWords say what stays as it is because the catalogue lacks an entry, and which.
func keptWords(kept []machine.Kept) []string {
	var out []string
	for _, k := range kept {
		faults := make([]string, 0, len(k.Faults))
		for _, f := range k.Faults {
			faults = append(faults, f.Field+": "+message.Fault(f))
		}

		out = append(out, message.Text(string(k.Part)+": "+strings.Join(faults, ", and ")))
	}

	return out
}
