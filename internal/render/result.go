package render

import (
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Result is what is to be applied.
type Result struct {
	// Manifests by composed resource name.
	Manifests map[string]proxmox.Manifest
	// VM is the composed resource name of the VM that the machine is: while it is replaced, the old one.
	VM string
	// Waiting names the composed resources that the VM waits for, and the Secret with its token, sorted.
	Waiting []string
	// Held are changes of the claim that the VM cannot follow, in the order of the fields.
	Held []change.Change
	// Pending are changes that the VM takes up at its next power cycle, in the order of the fields.
	Pending []change.Change
	// Restarting says that the VM is stopped or started now because a power cycle was asked for.
	Restarting bool
	// Wanted says whether the VM is rendered to run. It differs from the claim's power where that is Unmanaged, and while the
	// VM restarts.
	Wanted bool
	// Look is the look at a VM number before it is used; nil where there is none to look at.
	Look *Look
	// Adoption is nil where there is nothing to adopt any more.
	Adoption *Adoption
	// Adopted says that somebody else made the VM and the machine took it over: nothing of its bootstrap is ours.
	Adopted bool
	// Replacement is nil where none is asked for.
	Replacement *Replacement
	// Paused are the composed resources that an error has paused, with the name of the error's row in package diagnose.
	Paused map[string]string
	// GuestAgent says whether the rendered VM expects the guest agent to answer.
	GuestAgent bool
	// Cores and MemoryMiB are the rendered VM's; 0 while there is no VM.
	Cores, MemoryMiB int64
	// BootDiskGiB is the size of the rendered VM's boot disk; 0 while there is no VM.
	BootDiskGiB int64
	// BootstrapHash identifies the bootstrap data that the VM was or will be made with; empty where nothing is rendered.
	BootstrapHash string
	// Plan is what this call does, by composed resource name; only where it is asked for.
	Plan map[string]Step
}

// An Outcome is what a look at a VM number found.
type Outcome string

// The outcomes of a look.
const (
	// OutcomeLooking: the provider has not answered yet.
	OutcomeLooking Outcome = "Looking"
	// OutcomeFree: no VM has the number.
	OutcomeFree Outcome = "Free"
	// OutcomeTaken: a VM has the number.
	OutcomeTaken Outcome = "Taken"
	// OutcomeSilent: a VM has the number, and cannot be read, since the provider waits for its guest agent.
	OutcomeSilent Outcome = "Silent"
	// OutcomeClaimed: another claim uses the number.
	OutcomeClaimed Outcome = "Claimed"
)

// A Look is the look at a VM number before a VM is made with it.
type Look struct {
	VMID    int64
	Outcome Outcome
	Name    string // Taken: the VM's name in Proxmox. Claimed: the other machine, as namespace/name.
	Node    string // Taken: the VM's node.
	// Next is the number that is looked at next; 0 where there is none, since the claim says the number or the range is used up.
	Next int64
}

// An Adoption is the look at a VM that is to be taken over.
type Adoption struct {
	VMID int64
	// Outcome is Free where there is no such VM, and Claimed where it is another machine's.
	Outcome  Outcome
	Name     string // The VM's name in Proxmox. Claimed: the other machine.
	Node     string
	Plan     string // What approves the changes.
	Approved bool   // Whether it is taken over now.
	Stale    bool   // Whether the claim approves another plan.
	Unfit    string // Why the VM cannot be taken over, and what to do, in a sentence; empty where it can.
	Changes  []change.Change
}

// A Stage is how far a replacement has come.
type Stage string

// The stages of a replacement, in their order.
const (
	// StageBlocked: it cannot be begun.
	StageBlocked Stage = "Blocked"
	// StagePreparing: snippets, image and number of the new VM are got ready; the old one is as it was.
	StagePreparing Stage = "Preparing"
	// StageStopping: the old VM is shut down, since the two cannot run side by side.
	StageStopping Stage = "Stopping"
	// StageMaking: the new VM is made; it is not ready yet.
	StageMaking Stage = "Making"
	// StageRetiring: the new VM is ready, and the old one, which is to stay in Proxmox, is shut down.
	StageRetiring Stage = "Retiring"
)

// A Replacement is a new VM in the place of an old one.
type Replacement struct {
	Token   string
	Stage   Stage
	Blocked string // StageBlocked: why, and what to do, in a sentence or two.
	Old     string // Composed resource name of the old VM.
	New     string // Composed resource name of the new VM.
	// Stopped says whether the old VM is kept stopped meanwhile.
	Stopped bool
}

// A Step is what a call does with one composed resource.
type Step struct {
	Action  Action
	Changes []change.Change
}

// An Action is a Step in one word.
type Action string

// The actions, as they are told.
const (
	ActionCreate Action = "create"
	ActionKeep   Action = "keep"
	ActionChange Action = "change"
	ActionLook   Action = "look"
	ActionAdopt  Action = "adopt"
	ActionPause  Action = "pause"
	ActionRemove Action = "remove" // From Crossplane; the policies say what becomes of it in Proxmox.
)
