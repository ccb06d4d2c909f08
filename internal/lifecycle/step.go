package lifecycle

import "github.com/homelab-io/function-proxmox-machine/internal/proxmox"

// An Action is what this call does with one VM.
type Action string

// The actions.
const (
	// ActionWait: the VM is not rendered. It waits for what it is made from, without a VMID to check meanwhile.
	ActionWait Action = "Wait"
	// ActionCheck: the provider may only observe, and says whether a VM has the VMID.
	ActionCheck Action = "Check"
	// ActionReserve: the managed resource reserves the VM's address of the pool, or what a tenant's VM is to have, where no VMID is checked. The provider
	// ignores it.
	ActionReserve Action = "Reserve"
	// ActionCreate: the provider creates the VM.
	ActionCreate Action = "Create"
	// ActionFollow: a living VM follows its claim, as far as it can.
	ActionFollow Action = "Follow"
	// ActionAdopt: a VM that somebody else made becomes the machine's, as approved.
	ActionAdopt Action = "Adopt"
	// ActionKeep: the managed resource stays as it was last written.
	ActionKeep Action = "Keep"
	// ActionReplaced: a candidate replaces the active VM, which stays as it was last written while the candidate is prepared and made; it may be stopped.
	ActionReplaced Action = "Replaced"
	// ActionRetire: a retired VM is prepared for its release: it gets today's policies, and is stopped if it stays in Proxmox.
	ActionRetire Action = "Retire"
	// ActionDisown: another VM has the VMID of a VM that existed. The provider may only observe from now on.
	ActionDisown Action = "Disown"
	// ActionRelease: the managed resource of a retired VM is left out, which deletes it.
	ActionRelease Action = "Release"
)

// A Step is an action with what it needs to know. A field is set only for the actions that it names.
type Step struct {
	Action Action
	// MayDelete says whether deleting the managed resource may destroy the VM: Create, Follow, Adopt, Keep, Replaced, Retire.
	MayDelete proxmox.Deletion
	// VMID that is checked: Check. VMID that the VM has: Adopt.
	VMID int64
	// SearchedFrom is the annotation of a search through a range: Check, Create.
	SearchedFrom string
	// Ask puts the last question before the VM is created or adopted: Check.
	Ask bool
	// LookAgain has the provider read the VM once more, with another generation of its managed resource: Keep.
	LookAgain bool
	// ImportName is the external name under which the provider looks for the VM: Check, Disown.
	ImportName string
	// SeenInCheck is what a check saw, while the provider's report is still about that; empty where it is not: Create.
	SeenInCheck string
	// Parameters of the VM: Follow, Adopt.
	Parameters proxmox.VMParameters
	// Stop says that the VM is shut down and stays so: Replaced, Retire.
	Stop bool
	// NodeRemoved says that the VM's Kubernetes Node was let go: Replaced.
	NodeRemoved bool
	// Announce is the trigger that is announced to other servers of the K3s cluster: Replaced.
	Announce string
	// Outage is what is announced to other servers of the K3s cluster, beside a replacement: Follow.
	Outage Announcement
	// Drain is what the VM remembers of the drains of its Node: Create, Follow, Replaced.
	Drain DrainMemory
	// Forced are the values of spec.lifecycle.force that were used, or that the VM is created with: Create, Follow.
	Forced []string
	// Join is what is known of the join of a K3s server that replaced another: Create, Follow.
	Join Join
	// NodeJoin is what is remembered of the join of the VM's Kubernetes Node: Follow.
	NodeJoin NodeJoin
	// Power is what becomes of the VM's power: Follow.
	Power Power
	// Origin is the creation that the VM comes from: Follow.
	Origin Origin
	// Stands says that the VM stays as it was last written, because an edit waits: Follow.
	Stands bool
	// Approval is what the VM remembers of approvals: Follow, Adopt, Replaced.
	Approval ApprovalMemory
	// RunsWith is what a running VM still has of what was changed since it started, by field: Follow, Adopt.
	RunsWith map[string]string
}
