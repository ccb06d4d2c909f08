package lifecycle

import (
	"cmp"
	"maps"
	"regexp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// FirstVM is the composed resource name of a machine's first VM. The name of a VM that replaces another ends with a hash of
// the trigger that asked for it.
const FirstVM = "vm"

// laterVM is the composed resource name of a VM that replaces another.
var laterVM = regexp.MustCompile("^" + FirstVM + "-[0-9a-f]{10}$")

// Roles are the VMs of a machine, by composed resource name. While a VM is replaced, a machine has two.
type Roles struct {
	// Active is the VM that the machine is. It need not exist yet.
	Active string
	// Candidate is the VM that replaces the active one; empty where none does.
	Candidate string
	// Begun says whether the candidate exists already. A reason against the replacement no longer counts then.
	Begun bool
	// Triggers led to the VM that the claim describes, for its annotation.
	Triggers []string
	// Trigger asks for a replacement, also where that is refused; empty where none asks.
	Trigger string
	// Retired are VMs that were replaced, and candidates whose trigger was taken back.
	Retired []string
	// Unknown are VMs whose role cannot be told. They stay as they are.
	Unknown []string
}

// Described is the VM that the claim describes: the candidate while there is one.
func (r Roles) Described() string { return cmp.Or(r.Candidate, r.Active) }

// SnippetSalt sets the snippets of a VM apart from those of the VMs before it; empty for the first VM.
func (r Roles) SnippetSalt() string {
	if r.Described() == FirstVM || len(r.Triggers) == 0 {
		return ""
	}

	return r.Triggers[len(r.Triggers)-1]
}

// AssignRoles to the observed VMs of a machine. trigger is the claim's spec.lifecycle.replace.
//
// A trigger that led to the active VM, or to a VM before it, requests nothing, and neither does an empty one: a removed trigger
// or a reverted commit must not replace a VM.
func AssignRoles(vms map[string]proxmox.ObservedVM, id machine.Identity, trigger string) Roles {
	candidates, others, unknown := sorted(vms)

	// The VM that was to be replaced is gone, so the VM that was to replace it is the machine.
	if len(others) == 0 {
		others, candidates = candidates, nil
	}

	if len(others) == 0 {
		return Roles{Active: FirstVM, Triggers: with(nil, trigger), Unknown: unknown}
	}

	out := Roles{Active: others[0], Triggers: replaceTriggers(vms[others[0]]), Unknown: unknown}

	for _, name := range others[1:] {
		if follows(out.Triggers, replaceTriggers(vms[name])) && genuine(id, name, replaceTriggers(vms[name])) {
			out.Retired = append(out.Retired, name)
		} else {
			out.Unknown = append(out.Unknown, name)
		}
	}

	switch {
	case !Asks(trigger, out.Triggers):
	case nameFor(id, trigger) == out.Active:
		// Its triggers were lost, but its name tells that this one led to it.
		out.Triggers = with(out.Triggers, trigger)
	case StateOf(vms, out.Active) == StateCreating:
		// The provider may not touch the VM before it is known to be ours. The trigger waits.
	case Lives(vms, out.Active):
		out.Trigger, out.Candidate = trigger, nameFor(id, trigger)
	default:
		// There is nothing to replace yet. The trigger counts as seen, or it would ask as soon as there is.
		out.Triggers = with(out.Triggers, trigger)
	}

	for _, name := range candidates {
		if name != out.Candidate {
			out.Retired = append(out.Retired, name)
		}
	}

	if out.Candidate != "" {
		state := StateOf(vms, out.Candidate)
		out.Begun = state != StateAbsent && state != StateChecking
		out.Triggers = with(out.Triggers, trigger)
	}

	return out
}

// follows says whether one VM replaced the other, as their triggers tell: it has all of the other's, and more. Where
// somebody removed the annotation, nothing is known, and no VM may go for that.
func follows(later, earlier []string) bool {
	return len(later) > len(earlier) && slices.Equal(later[:len(earlier)], earlier)
}

// genuine says whether a VM's triggers are its own: the name of a later VM follows from its last trigger. The age of a VM that
// lost its triggers is not known.
func genuine(id machine.Identity, name string, triggers []string) bool {
	return name == FirstVM || len(triggers) > 0 && nameFor(id, triggers[len(triggers)-1]) == name
}

// withoutCandidate gives up a replacement that was not begun. A candidate whose VMID was checked already retires.
func (r Roles) withoutCandidate(vms map[string]proxmox.ObservedVM) Roles {
	if _, checked := vms[r.Candidate]; checked && !slices.Contains(r.Unknown, r.Candidate) {
		r.Retired = append(slices.Clone(r.Retired), r.Candidate)
	}

	r.Candidate = ""
	r.Triggers = replaceTriggers(vms[r.Active])

	return r
}

func nameFor(id machine.Identity, trigger string) string {
	return FirstVM + "-" + id.Hash("replace", trigger)
}

// sorted VMs: candidates, which were not ready yet, and the others, each with the latest first; and those whose names are
// none of ours.
func sorted(vms map[string]proxmox.ObservedVM) (candidates, others, unknown []string) {
	names := slices.SortedFunc(maps.Keys(vms), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(replaceTriggers(vms[b])), len(replaceTriggers(vms[a]))), cmp.Compare(a, b))
	})

	for _, name := range names {
		switch {
		case name != FirstVM && !laterVM.MatchString(name):
			unknown = append(unknown, name)
		case vms[name].Metadata.Annotations[proxmox.CandidateAnnotation] != "":
			candidates = append(candidates, name)
		default:
			others = append(others, name)
		}
	}

	return candidates, others, unknown
}

// Adopts says whether the VM that the claim describes was made by somebody else, or is to be adopted. A VM that was adopted
// once stays so, whatever the claim says later; a VM that replaces an adopted one is ours.
func Adopts(claimed *v1alpha1.Adopt, r Roles, vms map[string]proxmox.ObservedVM) bool {
	vm, observed := vms[r.Described()]
	adopted := vm.Metadata.Annotations[proxmox.AdoptedAnnotation] != ""

	// One that was adopted and is only observed has lost its VMID to another VM.
	if observed && (!vm.ObserveOnly() || adopted) {
		return adopted
	}

	return claimed != nil && r.Candidate == "" && r.Active == FirstVM
}
