package lifecycle

import (
	"cmp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
)

// FirstVM is the composed resource name of a machine's first VM. The name of a VM that replaces another ends with a hash of
// the trigger that asked for it.
const FirstVM = "vm"

// lineOf VMs of a machine.
func lineOf(id machine.Identity) succession.Line { return succession.Line{First: FirstVM, ID: id} }

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

// AssignRoles to the observed VMs of a machine, see [succession.Line.Assign]. trigger is the claim's spec.lifecycle.replace. A VM whose name is none of ours
// has a role that cannot be told.
func AssignRoles(vms map[string]proxmox.ObservedVM, id machine.Identity, trigger string) Roles {
	guests := make(map[string]succession.Guest, len(vms))

	for name, vm := range vms {
		guest := succession.Guest{Triggers: replaceTriggers(vm)}
		if vm.Metadata.Annotations[proxmox.CandidateAnnotation] != "" {
			guest.Standing = succession.Unproven
		}

		guests[name] = guest
	}

	r := lineOf(id).Assign(guests, func(name string) succession.Existence { return existenceOf(vms, name) }, trigger)
	out := Roles{Active: r.Active, Candidate: r.Candidate, Triggers: r.Triggers, Trigger: r.Trigger, Retired: r.Retired, Unknown: r.Unknown}

	if out.Candidate != "" {
		state := StateOf(vms, out.Candidate)
		out.Begun = state != StateAbsent && state != StateChecking
		out.Triggers = succession.With(out.Triggers, trigger)
	}

	return out
}

// existenceOf a VM, as far as a trigger asks for it.
func existenceOf(vms map[string]proxmox.ObservedVM, name string) succession.Existence {
	switch StateOf(vms, name) {
	case StateLiving:
		return succession.Exists
	case StateCreating:
		return succession.Making
	default:
		return succession.Nothing
	}
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
