package lifecycle

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/volume"
)

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
	// Shares is the address that keeps a new VM unmade, since another machine's VM that runs has it; nil where none does.
	Shares *SharedAddress
	// AddressClaims are the machine's claims on pools of Cluster API's IPAM.
	AddressClaims AddressClaims
	// DNSRecord is what is known of the machine's DNSEndpoint.
	DNSRecord DNSRecord
	// HAUses are the VMs that a Usage keeps until their HA resource is gone.
	HAUses map[string]bool
	// HAUnread says that the provider is an old one, which cannot look for an entry of the HA manager without writing it.
	HAUnread bool
	// SameVMID are managed resources of VMs, of any machine, that have the VMID which is checked.
	SameVMID []proxmox.ObservedVM
	// SameVMIDContainers are those of containers.
	SameVMIDContainers []proxmox.ObservedContainer
	// LeftBehind are managed resources of VMs that were made for the claim and that nobody composes any more, where the machine has no VM yet.
	LeftBehind []proxmox.ObservedVM
	Owner      Owner
	// Intent identifies all that the person wrote.
	Intent string
}

// knownOfHA is what is known of the HA manager.
func knownOfHA(r *Request) haKnowledge {
	return haKnowledge{resources: r.Observed.HAResources, vms: r.Observed.VMs, looks: r.Machine.HA != nil && !r.HAUnread, lost: r.Lost}
}

// Servers are the managed resources of the other servers of a K3s cluster, or of all its other nodes. They are known only where they were asked for.
type Servers struct {
	Known bool
	VMs   []proxmox.ObservedVM
	// Reading says how their Nodes were read. Nodes has those that there are, by name.
	Reading NodeReading
	Nodes   map[string]node.Node
}

// Of a K3s cluster by its name, and by where the server that asks keeps the cluster's state: what is known of the cluster. kin are those that may serve it.
func (s Servers) Of(kin Kin, cluster string, etcd proxmox.Etcd) Cluster {
	out := Cluster{Name: cluster, Kin: kin, ExternalDatastore: !etcd.Votes(), Reading: s.Reading, Nodes: s.Nodes}
	out.OtherServers, out.Strangers = kin.divide(s)

	return out
}

// A trial says whether the described VM has still to prove itself before it is the machine.
type trial string

const (
	// trialNone: the VM is no candidate, or becomes the machine with this call.
	trialNone trial = ""
	// trialUnderWay: the VM is a candidate, and stays one.
	trialUnderWay trial = "UnderWay"
)

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
	trial     trial              // Found once.
}

// VM is the described VM as it is observed; zero while it is absent.
func (s Situation) VM() proxmox.ObservedVM { return s.vm }

// Replacing says whether the described VM is to replace another.
func (s Situation) Replacing() bool { return s.Roles.Candidate != "" }

// Provisional says whether the described VM is a candidate, and does not become the machine with this call.
func (s Situation) Provisional() bool { return s.trial == trialUnderWay }

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

// NodeOwner is whose the Node is that has the machine's name.
func (s Situation) NodeOwner() NodeOwner {
	if s.nodeOwner != nil {
		return *s.nodeOwner
	}

	if s.Node.Sight != object.SightClear {
		return NodeOwner{Ownership: OwnershipUnread}
	}

	return OwnerOf(s.Node.Node, s.Machine.Identity, s.Machine.Adopt, s.Roles, s.Observed.VMs)
}

// provenNode is the machine's VM that the Node of its name is proven to be, by composed resource name; empty without proof. An address
// is not enough: another machine can have it by now.
func (s Situation) provenNode() string {
	owner := s.NodeOwner()
	if owner.Ownership == OwnershipOurs && (owner.Proof == ProofUUID || owner.Proof == ProofLabel) {
		return owner.VM
	}

	return ""
}

// Cluster is what is known of the K3s cluster of a server.
func (s Situation) Cluster() Cluster {
	k := s.Machine.K3s
	if k == nil {
		return Cluster{}
	}

	out := s.Servers.Of(s.Kin, s.clusterName(), k.Etcd)
	out.Joins = k.ServerURL != "" && !k.Init

	return out
}

// clusterName of a K3s node; empty for any other machine, and for a node that names no cluster.
func (s Situation) clusterName() string {
	if k := s.Machine.K3s; k != nil {
		return cmp.Or(k.ClusterName, k.Cluster)
	}

	return ""
}

// EmbeddedEtcd says whether the machine is a server of a cluster that keeps its state in the embedded etcd.
func (s Situation) EmbeddedEtcd() bool { return s.server() && s.Machine.K3s.Etcd.Votes() }

// server says whether the machine is a server of K3s.
func (s Situation) server() bool {
	return s.Machine.K3s != nil && s.Machine.K3s.Role == v1alpha1.K3sServer
}
