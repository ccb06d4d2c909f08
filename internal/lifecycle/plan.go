package lifecycle

import (
	"cmp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/volume"
)

// An Action is what this call does with one VM.
type Action string

// The actions.
const (
	// ActionWait: the VM is not rendered. It waits for what it is made from, without a VMID to check meanwhile.
	ActionWait Action = "Wait"
	// ActionCheck: the provider may only observe, and says whether a VM has the VMID.
	ActionCheck Action = "Check"
	// ActionReserve: the managed resource reserves the VM's address of the pool, where no VMID is checked. The provider ignores it.
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
	// SearchedFrom is the annotation of a search through a range: Check.
	SearchedFrom string
	// Ask puts the last question before the VM is created or adopted: Check.
	Ask bool
	// LookAgain has the provider read the VM once more, with another generation of its managed resource: Keep.
	LookAgain bool
	// ImportName is the external name under which the provider looks for the VM: Check, Disown.
	ImportName string
	// SeenInCheck marks that the provider's report is still about the VM that a check saw: Create.
	SeenInCheck bool
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

// A Plan is what this call does with each VM of a machine, and why.
type Plan struct {
	Situation

	// Steps by composed resource name, for every VM that is observed or to be.
	Steps map[string]Step
	// Waiting names the composed resources that the VM waits for, and the Secret with its token, sorted.
	Waiting []string
	// Namesake says that the VM is not created because a Node of its name is Ready, and is another machine.
	Namesake bool
	// Check is what is known of the VMID that a new VM is to have; nil where there is none to check.
	Check *VMIDCheck
	// Adoption is nil where there is nothing to adopt any more.
	Adoption *Adoption
	// Replacement is nil where none is asked for.
	Replacement *Replacement
	// Held are changes of the claim that the VM cannot follow, in the order of the fields.
	Held []change.Change
	// Moves is the change to the node that the VM moves to once its snippets are there; nil where it does not wait for them.
	Moves *change.Change
	// Pending are changes that the VM takes up at its next power cycle, in the order of the fields.
	Pending []change.Change
	// Outage is what the VM is to be away for, and whether it may.
	Outage PlannedOutage
	// Turn is what a machine of a group does with its outages.
	Turn Turn
	// Drain is what becomes of the Node of the VM that is, or was, to be away.
	Drain Drain
	// Upgrade is what becomes of K3s' release in the VM, where system-upgrade-controller upgrades it.
	Upgrade Upgrade
	// NodeObjects are the Objects of provider-kubernetes that are to be, by composed resource name. Nil where nobody asks for any.
	NodeObjects map[string]NodeObject
	// NodeRemoved says that the Node of the VM that is replaced goes with this call.
	NodeRemoved bool
	// Approval is whether somebody has to approve what the edit does to the VM, and has.
	Approval Approval
	// Availability is what Proxmox's HA manager does for the machine.
	Availability Availability
	// Firewall is what becomes of the VMs' own firewalls in Proxmox.
	Firewall FirewallPlan
	// Restarting says that the VM is stopped or started now because a power cycle was asked for.
	Restarting bool
	// Promoted says that the described VM is no candidate, or is none any more.
	Promoted bool
}

// Stands says that the active VM stays as it was last written, because an edit waits.
func (p Plan) Stands() bool { return p.Steps[p.Roles.Active].Stands }

// Leaving are the VMs that retire or are replaced, and those whose VMID is checked. A pause would keep the provider from deleting
// them, or from looking.
func (p Plan) Leaving() map[string]bool {
	out := map[string]bool{}

	for name, step := range p.Steps {
		if slices.Contains([]Action{ActionReplaced, ActionRetire, ActionCheck, ActionDisown}, step.Action) {
			out[name] = true
		}
	}

	return out
}

// A Request is what the decisions of one call rest on, before anything is rendered.
type Request struct {
	Machine  *machine.Machine
	Observed proxmox.State
	Roles    Roles
	// Decision says whether a replacement that is asked for may begin.
	Decision Decision
	// ReplacementApproval is the approval of the replacement that may begin; zero where none is asked for, and once it has begun.
	ReplacementApproval Approval
	// Servers are the other servers of the machine's K3s cluster.
	Servers Servers
	// Kin are the servers that may serve that cluster.
	Kin Kin
	// Apart are the machines that this one is kept apart from.
	Apart Apart
	// Rollout is what is known of the machine's group.
	Rollout Rollout
	// Members are all other nodes of the cluster, servers and agents, known only where an upgrade of K3s asks for them.
	Members Servers
	// Node is the machine's Kubernetes Node, where the Nodes of its cluster are read.
	Node ReadNode
	// Objects of provider-kubernetes, by which Nodes are read and deleted.
	Objects Objects
	// Volumes are the cluster's PersistentVolumes, where they keep machines from deletion.
	Volumes []volume.Volume
	// VMID that the described VM is to have.
	VMID VMID
	// PoolAddress is the address of its site's pool that a new VM is to have; nil where none is to be found.
	PoolAddress *PoolAddress
	// AddressClaims are the machine's claims on pools of Cluster API's IPAM.
	AddressClaims AddressClaims
	// DNSRecord is what is known of the machine's DNSEndpoint.
	DNSRecord DNSRecord
	// HAUses are the VMs that a Usage keeps until their HA resource is gone.
	HAUses map[string]bool
	// SameVMID are managed resources of VMs, of any machine, that have the VMID which is checked.
	SameVMID []proxmox.ObservedVM
	// SameVMIDContainers are those of containers.
	SameVMIDContainers []proxmox.ObservedContainer
	Owner              Owner
	// Intent identifies all that the person wrote.
	Intent string
}

// Servers are the managed resources of the other servers of a K3s cluster, or of all its other nodes. They are known only where they were asked for.
type Servers struct {
	Known bool
	VMs   []proxmox.ObservedVM
	// NodesRead says whether their Nodes were read. Nodes has those that there are, by name.
	NodesRead bool
	Nodes     map[string]node.Node
	// NodesPolled says that the Nodes were read by provider-kubernetes, some time ago.
	NodesPolled bool
}

// Of a K3s cluster by its name, and by where the server that asks keeps the cluster's state: what is known of the cluster. kin are those that may serve it.
func (s Servers) Of(kin Kin, cluster string, etcd proxmox.Etcd) Cluster {
	out := Cluster{Name: cluster, ExternalDatastore: !etcd.Votes(), NodesRead: s.NodesRead, Nodes: s.Nodes, NodesPolled: s.NodesPolled}
	out.OtherServers, out.Strangers = kin.divide(s)

	return out
}

// An Owner is the machine's composite, as managed resources of VMs tell whose they are.
type Owner struct {
	Composite string // The composite's own name.
	Kind      string // The composite's kind; empty matches all.
	// Root is the name of the composite that composed this one, or composed that one, and so on; the composite's own for one that nobody
	// composed. Crossplane labels everything below with it ([proxmox.CompositeLabel]), and all nodes of a K3sCluster have the same.
	Root              string
	Machine           string // What a person knows the machine by.
	Namespace         string // The composite's own; empty for a cluster scoped one.
	ClaimNamespace    string // The claim's: that of a cluster scoped composite is in its claimRef.
	ProviderConfigRef proxmox.ProviderConfigRef
	Proxmoxes         Proxmoxes
}

// Owns says whether a VM's managed resource is this machine's.
func (o Owner) Owns(vm proxmox.ObservedVM) bool { return o.owns(vm.Metadata) }

// SharesSite says whether a managed resource is in the same Proxmox cluster, as far as names and the catalogue tell. Without a name in the catalogue, a
// ProviderConfig with a namespace is another one in each.
func (o Owner) SharesSite(ref proxmox.ProviderConfigRef, namespace string) bool {
	return o.Proxmoxes.join(o.ProviderConfigRef, ref) || ref == o.ProviderConfigRef && o.sameNamespace(namespace)
}

// owns says whether a managed resource is this machine's.
func (o Owner) owns(m proxmox.ObservedMetadata) bool {
	if m.Namespace != o.Namespace {
		return false
	}

	if c, kind := m.Controller(), m.ControllerKind(); c != "" {
		return c == o.Composite && (kind == "" || o.Kind == "" || kind == o.Kind)
	}

	// Without its controller, as for what somebody restored from a backup, its labels count.
	by := m.Labels[proxmox.CompositeLabel]
	if o.Root == "" || o.Root == o.Composite {
		return by == o.Composite
	}

	// It has its own name until its VM was written once more, if it was nobody's before.
	return (by == o.Root || by == o.Composite) && m.Labels[proxmox.MachineLabel] == o.Machine
}

// A Situation is what is known of a machine's VMs before anything is rendered.
type Situation struct {
	Request

	// State of the described VM.
	State State
	// Adopted says whether the described VM was made by somebody else, or is to be adopted.
	Adopted bool
	// Retirement are the steps of retired and unknown VMs.
	Retirement map[string]Step

	vm        proxmox.ObservedVM // The described VM; zero while it is absent.
	nodeOwner *NodeOwner         // Found once; nil before.
}

// Assess the situation of a machine.
func Assess(r Request) Situation {
	name := r.Roles.Described()
	vm := r.Observed.VMs[name]

	s := Situation{
		Request: r, vm: vm,
		State:      StateOf(r.Observed.VMs, name),
		Adopted:    Adopts(r.Machine.Adopt, r.Roles, r.Observed.VMs),
		Retirement: retire(r),
	}
	owner := s.NodeOwner()
	s.nodeOwner = &owner

	return s
}

// Cluster is what is known of the K3s cluster of a server.
func (s Situation) Cluster() Cluster {
	k := s.Machine.K3s
	if k == nil {
		return Cluster{}
	}

	out := s.Servers.Of(s.Kin, cmp.Or(k.ClusterName, k.Cluster), k.Etcd)
	out.Joins = k.ServerURL != "" && !k.Init

	return out
}

// VM is the described VM as it is observed; zero while it is absent.
func (s Situation) VM() proxmox.ObservedVM { return s.vm }

// Replacing says whether the described VM is to replace another.
func (s Situation) Replacing() bool { return s.Roles.Candidate != "" }

// Provisional says whether the described VM is a candidate, and does not become the machine with this call.
func (s Situation) Provisional() bool { return s.Replacing() && !s.promotes() }

// Released says whether the managed resource of a VM goes with this call.
func (s Situation) Released(name string) bool { return s.Retirement[name].Action == ActionRelease }

// Destroys says whether a retired VM is destroyed when it is released, and does not stay in Proxmox.
func (s Situation) Destroys(name string) bool { return destroys(s.Observed.VMs[name], s.Machine) }

// MayDelete says whether the described VM, and what it needs, are destroyed with their claim. A candidate, which was never
// ready, holds nothing that somebody could miss. Of a VM that is lost with its Proxmox node, nothing can be destroyed, and the claim could not go
// while the provider tries.
func (s Situation) MayDelete() proxmox.Deletion {
	if s.Lost(s.Roles.Described()) {
		return proxmox.DeletionOrphans
	}

	return proxmox.Deletion(s.Machine.DeletionPolicy == v1alpha1.DeletionDelete || s.Provisional())
}
