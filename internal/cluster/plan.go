package cluster

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// An Action is what happens to a node in a call.
type Action string

// The actions.
const (
	ActionWait    Action = "Wait" // It does not exist, and is not created yet.
	ActionKeep    Action = "Keep"
	ActionAdopt   Action = "Adopt" // A K3sNode that exists becomes the node, as it is.
	ActionCreate  Action = "Create"
	ActionChange  Action = "Change"
	ActionReplace Action = "Replace"
	ActionUpgrade Action = "Upgrade" // Of K3s, by system-upgrade-controller.
	ActionReboot  Action = "Reboot"
	ActionRemove  Action = "Remove"
)

// A Plan is what happens to a cluster in a call.
type Plan struct {
	// Steps are those of all nodes that exist or are to be, in the order of [World.Members], and behind them of those that are to go.
	Steps []Step

	State v1alpha1.RolloutState
	// Turn is the node whose turn it is; nil where nobody has one.
	Turn *Step
	// Lost says which nodes are lost with their Proxmox nodes, and what is to be done next; empty where none is.
	Lost string
	// Emptied is a server that runs and has lost the state of its cluster; empty where none has.
	Emptied string
	// Announced is what the claim asks of nodes that run and its fields do not tell, in sentences.
	Announced []string
	// Done is how many of the members are as the claim describes them.
	Done int
	// Message says what happens, or is waited for.
	Message string

	// Upgrades are the Plans of system-upgrade-controller, by the role of their nodes; nil where there are none.
	Upgrades map[Role]UpgradePlan
}

// Disturbs says whether the plan begins something that takes a node, or what it stores, away for some time.
func (p Plan) Disturbs() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool {
		return s.Action != ActionKeep && s.Action != ActionWait && s.Action != ActionAdopt && (s.Action != ActionCreate || s.Role == v1alpha1.K3sServer)
	})
}

// A Step is what happens to a node.
type Step struct {
	Node    string
	Machine string
	Role    Role
	Action  Action
	// Why is the reason in a few words, or what is waited for.
	Why string
	// Fields are the fields of the spec that a turn changes.
	Fields []string
	// MayReplace says whether the turn of what the node differs in may replace its VM, where that cannot follow; also before its turn.
	MayReplace bool
	// Refused says whether a part of the claim is refused that the node is to have.
	Refused bool

	// Spec is what the node is rendered with; nil for a node that is not rendered.
	Spec     map[string]any
	Template string
	Turn     Turn
	Joined   bool
	// DataDisks says whether the VM has, or may have, data disks.
	DataDisks bool
	// Adopted says whether the node was a K3sNode of its own before.
	Adopted bool
	// Requested are the actions of a person that the spec has taken over.
	Requested map[string]any

	// State is the node's, for the status.
	State NodeState
	// Wanted says whether the claim describes the node.
	Wanted bool
	Ready  bool
}

// A NodeState says how a node is.
type NodeState string

// The states of nodes.
const (
	StateWaiting   NodeState = "Waiting"   // To be created later.
	StateAdopting  NodeState = "Adopting"  // A K3sNode that exists is to become it.
	StateCreating  NodeState = "Creating"  // Never ready yet.
	StateReady     NodeState = "Ready"     // As the claim describes it.
	StateOutdated  NodeState = "Outdated"  // It waits for its turn.
	StateChanging  NodeState = "Changing"  // It has its turn.
	StateReplacing NodeState = "Replacing" // A new VM is replacing its VM.
	StateLeaving   NodeState = "Leaving"
	StateNotReady  NodeState = "NotReady"
)
