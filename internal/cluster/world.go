package cluster

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// A World is what a cluster is decided by.
type World struct {
	// Members are the nodes that the claim describes, servers before agents, each pool by index.
	Members  []Member
	Children Children
	// Adoptions are the K3sNodes that nodes of the claim are to be, by [Member.Node]: of all nodes that adopt and do not exist.
	Adoptions map[string]Adoption

	Rollout        v1alpha1.Rollout
	Upgrade        v1alpha1.Upgrade
	Release        string // Of K3s, where the claim names none: that of the catalogue's entry.
	DeletionPolicy v1alpha1.DeletionPolicy
	// System is what is known of system-upgrade-controller; nil where it does not upgrade the cluster.
	System *SystemUpgrade
	// Refusals are the parts of the claim that cannot be.
	Refusals Refusals
	// Here says whether Crossplane runs in the cluster.
	Here bool
	// Protected says whether the nodes are protected from deletion.
	Protected bool
	// Requests are what a person asks of nodes beside their lifecycle as members, by [Member.Node]: also of those that the claim describes no more.
	Requests map[string]map[string]any
	// Unaccepted are the composites whose last spec the API server did not take, as Crossplane says.
	Unaccepted map[string]bool
	// Leaving are the nodes that exist no more while their VMs still do: a composite is gone before what it composed. Nothing begins meanwhile.
	Leaving []string
	// Taken are nodes that are not created, because a K3sNode of that name is somebody else's.
	Taken []string
	// NodesLeave says whether the Kubernetes Node of a node that is deleted goes before its VM, so that a server leaves etcd.
	NodesLeave bool
}

// A Role is the role of a node, as K3s calls it.
type Role = v1alpha1.K3sRole

// A Member is a node that the claim describes.
type Member struct {
	// Node is the name of the node in its cluster, and of its composed resource: server-0.
	Node string
	// Machine is the name of its composite.
	Machine string
	Role    Role

	// Spec is the spec of a node that joins the cluster, without lifecycle.
	Spec map[string]any
	// Founder is the spec of the server that starts the cluster. Nil for other nodes.
	Founder map[string]any
	// Adopts is the name of the composite that becomes this node; empty for a node that is created.
	Adopts string
	// AdoptVM is spec.adopt of the node, whose VM exists; nil for a node whose VM is made.
	AdoptVM map[string]any
	// Lost says that the Proxmox node on which its VM is does not come back, and that the VM is off for good: a person's word.
	Lost bool
	// Lifecycle are the actions that a person requests of this node.
	Lifecycle map[string]any
	// Template identifies Spec.
	Template string
	// Later is the release of K3s that the claim has for an agent whose servers run an earlier one; empty where the node is to have what the claim says.
	Later string
	// Earlier is the release of K3s that the claim, or else the catalogue, has for a node which is to have a later one, since that runs; empty for any other.
	Earlier string
}

// DataDisks says whether the VM of the node has disks that a new VM would not have.
func (m Member) DataDisks() bool { return hasDisks(m.Spec) }

func hasDisks(spec map[string]any) bool {
	disks, _ := spec["disks"].([]any)
	return len(disks) > 0
}

// A Turn is what a node's turn may do to its VM, and has done. It is kept in an annotation of the node.
type Turn string

// The turns. The zero value is that of a node that was created with its spec.
const (
	// TurnEdit: the VM takes the change up as it is.
	TurnEdit Turn = "Edit"
	// TurnMayReplace: the change may need a new VM.
	TurnMayReplace Turn = "MayReplace"
	// TurnReplaced: a new VM was asked for. It is not asked for twice.
	TurnReplaced Turn = "Replaced"
	// TurnRebooted: a power cycle was asked for.
	TurnRebooted Turn = "Rebooted"
	// TurnRebootedFirst: a power cycle was asked for, and afterwards the change still needs a new VM, which cannot be had by now.
	TurnRebootedFirst Turn = "RebootedFirst"
)

// rebooted is a turn whose power cycle was asked for.
func (t Turn) rebooted() Turn {
	if t == TurnMayReplace {
		return TurnRebootedFirst
	}

	return TurnRebooted
}

// isRebooted says whether the power cycle of a turn was asked for.
func (t Turn) isRebooted() bool { return t == TurnRebooted || t == TurnRebootedFirst }

// A Need says whether a node needs a new VM for what its spec describes.
type Need string

// The needs.
const (
	NeedNothing   Need = ""
	NeedNewVM     Need = "NewVM"     // Nobody has asked for it.
	NeedReplacing Need = "Replacing" // A new VM is replacing the old one.
	NeedBlocked   Need = "Blocked"   // The replacement was asked for, and waits.
)

// A Restart is how far a power cycle of a node's VM has come that a change of it waits for.
type Restart string

// The restarts.
const (
	RestartNone       Restart = ""
	RestartPending    Restart = "Pending"
	RestartAwaitsHand Restart = "AwaitsHand" // The node has noted which boot of its VM a person has to end.
)

// A VMState is what is the matter with a node's VM.
type VMState string

// The states. The zero value is that of any other VM, or of none.
const (
	VMStateMaking    VMState = "Making"    // The provider makes it now, whatever else is the matter with the node's spec.
	VMStateStopped   VMState = "Stopped"   // As the node's spec asks.
	VMStateRecreated VMState = "Recreated" // It was gone from Proxmox, the provider made it again, and nobody has confirmed that yet.
	VMStateRejoined  VMState = "Rejoined"  // A person has confirmed since then that it has joined the other servers: it has their state.
)

// A ProviderState is how the provider fares with a node's VM.
type ProviderState string

// The states.
const (
	ProviderWell       ProviderState = ""
	ProviderTroubled   ProviderState = "Troubled"   // It has trouble with the VM, or with what the VM is made from.
	ProviderHostSilent ProviderState = "HostSilent" // The Proxmox node of the VM, or what the VM needs there, does not answer it.
)

// A Hold is a condition of a node, as the node says it.
type Hold struct{ Reason, Message string }

// Children are the nodes that exist, by [Member.Node].
type Children map[string]Child

// A Child is a node that exists.
type Child struct {
	Machine string
	Role    Role
	Spec    map[string]any // As a person could have written it.

	// Template and Turn are the marks that the last turn left.
	Template string
	Turn     Turn
	// DataDisks says whether its spec has data disks, or ever had: a VM keeps a disk that leaves the spec.
	DataDisks bool
	// Adopted says whether it was a K3sNode of its own before.
	Adopted bool
	// Requested are the actions of a person that it has taken over, by field of lifecycle.
	Requested map[string]any

	// Answered says whether the status is about this spec.
	Answered bool
	// Joined says whether the node was ready once.
	Joined   bool
	Ready    bool
	Deleting bool

	// Founded says that its VM started the cluster, while its spec says that its next one joins.
	Founded bool

	Need           Need
	VersionChanged bool // The VM was created with another release of K3s.
	Restart        Restart
	// Silent are reasons why a node that is ready does not serve its cluster: its VM has not joined, its Node is not Ready, or its etcd member does not vote.
	Silent []string
	// Quorum is what the node says of the servers that it misses, where its restart waits for them; empty where it does not.
	Quorum string
	// Drain is how far a drain of its Node has come, as a reason of [status.TypeNodeDrained]; empty where nobody asked for one.
	Drain string
	// Approve is the plan of the adoption of its VM that waits for approval; empty where none does.
	Approve string
	// Refused is why the node does not take its spec, as its condition SpecValid says it; empty where it does.
	Refused string
	// Unmade says that the node was refused from its first call on: nothing was ever written for it, so that there is no VM.
	Unmade bool
	// Held is what keeps what was begun with the node from going on, before a person has done something.
	Held Hold
	// Trouble is what the node itself says of why it is not ready.
	Trouble string

	VMID        *int64
	ProxmoxNode string
	// VM is what is the matter with its VM, as MachineReady says it.
	VM VMState
	// NoBetterNode says that its VM is on one Proxmox node with another server, and that no node has fewer. It knows of servers with claims of their own, too.
	NoBetterNode bool
	// HostGone says that the catalogue does not have the Proxmox node of its VM any more.
	HostGone bool
	// Provider is how the provider fares with its VM, and with what the VM is made from.
	Provider ProviderState
	Address  string
	// Had are the identities that its VM may still run with beside those of Spec, by field: see [identities].
	Had map[string][]string
	// Version is the release of K3s that it runs, as its Kubernetes Node has it; where nobody reads Nodes, the one that it was created with.
	Version string
	// VersionSeen says whether Version is that of the Node.
	VersionSeen bool
	// NodeName is the name of its Kubernetes Node, or the one that it will have.
	NodeName string
}

// serves says whether nothing is the matter with a node.
func (c Child) serves() bool {
	return c.Answered && c.Joined && c.Ready && !c.Deleting && len(c.Silent) == 0 && c.Need != NeedReplacing
}

// votes says whether a node is a server with a member of etcd. One without counts for no quorum, and keeps nothing of the cluster's state. A server that
// refuses its spec counts: its VM may be what the spec does not say.
func (c Child) votes() bool {
	return c.Role == v1alpha1.K3sServer && (c.Refused != "" || k3s.VoteOf(configOf(c.Spec)) == "")
}

// configOf is spec.k3s.config of a node.
func configOf(spec map[string]any) map[string]any {
	config, _ := group(spec, "k3s")["config"].(map[string]any)
	return config
}
