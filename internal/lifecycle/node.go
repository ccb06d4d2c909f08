package lifecycle

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A ReadNode is what was read of the Kubernetes Node behind a K3s node's VM.
type ReadNode struct {
	// Name of the Node; empty where nobody reads Nodes of the machine's cluster.
	Name string
	// Node of this name, whose ever it is; nil if there is none, or nobody could read it.
	Node *node.Node
	// Sight says why the Node could not be read.
	Sight object.Sight
	// ReadyBefore says that the machine was ready before anybody read its Node or, where nobody does, before this call.
	ReadyBefore bool
}

// NodeName is the name under which K3s registers a VM: the host name of its first boot without the domain, in lower case, as K3s and
// the kubelet write it.
func NodeName(hostname string) string {
	name, _, _ := strings.Cut(hostname, ".")

	return strings.ToLower(name)
}

// NodeName is the name under which K3s registers the VM that the machine's Node is about: a candidate from when the provider may create it,
// else the active VM. An edit of the host name reaches no guest that exists: a VM without the annotation has the name that the
// status remembers, if there is one.
func (r Request) NodeName(remembered string) string {
	name := r.Roles.Active
	if r.Roles.Begun {
		name, remembered = r.Roles.Candidate, ""
	}

	if written := r.Observed.VMs[name].Metadata.Annotations[proxmox.NodeNameAnnotation]; written != "" {
		return written
	}

	if remembered != "" && Lives(r.Observed.VMs, name) {
		return NodeName(remembered)
	}

	return NodeName(r.Machine.FullHostname())
}

// NodeNameOf the VM of another machine: under which name K3s registers it.
func NodeNameOf(vm proxmox.ObservedVM) string {
	return cmp.Or(vm.Metadata.Annotations[proxmox.NodeNameAnnotation], NodeName(vm.Spec.ForProvider.Name))
}

// An Ownership is whose VM a Node stands for.
type Ownership string

// The ownerships.
const (
	// OwnershipNone: there is no Node of the name.
	OwnershipNone Ownership = "None"
	// OwnershipOurs: the Node is one of the machine's own VMs.
	OwnershipOurs Ownership = "Ours"
	// OwnershipOther: the Node is not the machine's: a stale one, or another machine of the same name.
	OwnershipOther Ownership = "Other"
	// OwnershipUnread: the Node could not be read.
	OwnershipUnread Ownership = "Unread"
	// OwnershipUnproven: nobody can tell.
	OwnershipUnproven Ownership = "Unproven"
)

// A Proof is what tells the ownership of a Node.
type Proof string

// The proofs, in the order in which they are tried. The first one that can be told decides.
const (
	ProofNone Proof = ""
	// ProofNoVM: the machine has no VM that could be the Node.
	ProofNoVM Proof = "NoVM"
	// ProofUUID: the SMBIOS UUID of the VM, which the kubelet reports as the system UUID.
	ProofUUID Proof = "SystemUUID"
	// ProofLabel: the label [node.UIDLabel].
	ProofLabel Proof = "Label"
	// ProofAddress: the Node's internal address is one of the VM's. Another address proves nothing.
	ProofAddress Proof = "Address"
)

// A NodeOwner is whose a Node is, with the proof.
type NodeOwner struct {
	Ownership Ownership
	Proof     Proof
	// VM is the composed resource name of the machine's VM that the Node stands for: Ours, and Other where it is a VM that retires.
	VM string
}

// OwnerOf a Node, among the VMs of a machine.
func OwnerOf(n *node.Node, id machine.Identity, claimed *v1alpha1.Adopt, r Roles, vms map[string]proxmox.ObservedVM) NodeOwner {
	if n == nil {
		return NodeOwner{Ownership: OwnershipNone}
	}

	out := NodeOwner{Ownership: OwnershipOther, Proof: ProofNoVM}
	if Lives(vms, r.Active) || Adopts(claimed, r, vms) {
		out = compareNode(*n, id, r.Active, vms[r.Active])
	}

	if out.Ownership == OwnershipOurs {
		return out
	}

	if r.Candidate != "" && Lives(vms, r.Candidate) {
		if candidate := compareNode(*n, id, r.Candidate, vms[r.Candidate]); candidate.Ownership == OwnershipOurs {
			return candidate
		}
	}

	for _, name := range slices.Concat(r.Retired, r.Unknown) {
		if leaving := compareNode(*n, id, name, vms[name]); leaving.Ownership == OwnershipOurs && leaving.Proof != ProofAddress {
			leaving.Ownership = OwnershipOther

			return leaving
		}
	}

	return out
}

// isNodeOf says whether a Node is known to be a VM of another machine, by UUID or by address: what it labels its Node with is not known.
func isNodeOf(n node.Node, vm proxmox.ObservedVM) bool {
	n.Metadata.Labels = nil

	return compareNode(n, machine.Identity{}, FirstVM, vm).Ownership == OwnershipOurs
}

// compareNode with a VM that exists, or may be in the making.
func compareNode(n node.Node, id machine.Identity, name string, vm proxmox.ObservedVM) NodeOwner {
	decided := func(p Proof, ours bool) NodeOwner {
		if ours {
			return NodeOwner{OwnershipOurs, p, name}
		}

		return NodeOwner{Ownership: OwnershipOther, Proof: p}
	}

	has, reported := smbiosUUID(vm), comparableUUID(n.Status.NodeInfo.SystemUUID)
	if has != "" && reported != "" {
		return decided(ProofUUID, has == reported)
	}

	if uid := n.Metadata.Labels[node.UIDLabel]; uid != "" {
		return decided(ProofLabel, uid == id.UUID(name))
	}

	for _, own := range proxmox.GuestAddresses(vm) {
		if slices.ContainsFunc(n.InternalIPs(), func(a netip.Addr) bool { return slices.Contains(own, a) }) {
			return decided(ProofAddress, true)
		}
	}

	return NodeOwner{Ownership: OwnershipUnproven}
}

// smbiosUUID of a VM; empty where nobody can tell with which one it runs: an edit in Proxmox takes effect at the next power cycle.
func smbiosUUID(vm proxmox.ObservedVM) string {
	var written, seen string

	if s := vm.Spec.ForProvider.SMBIOS; len(s) > 0 {
		written = comparableUUID(s[0].UUID)
	}

	if s := vm.Status.AtProvider.SMBIOS; len(s) > 0 {
		seen = comparableUUID(s[0].UUID)
	}

	switch {
	case seen == "":
		return written
	case written != "" && written != seen:
		return ""
	}

	return seen
}

// comparableUUID is a UUID in lower case; empty for anything else. The kubelet reports the machine ID of the guest, which has no
// hyphens, where it finds no UUID (cadvisor, utils/sysfs, GetSystemUUID).
func comparableUUID(text string) string {
	text = strings.TrimSpace(text)

	u, err := uuid.Parse(text)
	if err != nil || u == uuid.Nil || len(text) != len(u.String()) {
		return ""
	}

	return u.String()
}
