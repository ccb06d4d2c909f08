package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
)

// A ZoneState is how far the zone label of a machine's Node follows its VM.
type ZoneState string

// The states.
const (
	// ZoneUnasked: nobody asks for the label.
	ZoneUnasked ZoneState = ""
	// ZoneNoNode: no Node is proven to be the machine's VM, or the VM's Proxmox node is not known.
	ZoneNoNode ZoneState = "NoNode"
	// ZoneClaimed: the claim itself labels the Node. Its kubelet writes that label again whenever it starts (kubernetes, pkg/kubelet, updateDefaultLabels).
	ZoneClaimed ZoneState = "Claimed"
	// ZoneLabelled: the label is the Proxmox node that the VM is on.
	ZoneLabelled ZoneState = "Labelled"
	// ZoneWriting: the provider is to write the label, and has not been seen to.
	ZoneWriting ZoneState = "Writing"
	// ZoneNoKind: provider-kubernetes is not installed, so that nobody can write the label.
	ZoneNoKind ZoneState = "NoKind"
	// ZoneOther: somebody else wrote another label, which stays.
	ZoneOther ZoneState = "Other"
)

// A Zone is what becomes of the zone label of a machine's Node.
type Zone struct {
	State ZoneState
	// Found is the label's value; empty without the label.
	Found string
	// Object that is to be; nil where there is to be none.
	Object *object.Zone
}

// A zoner decides about the zone label of a machine's Node.
type zoner struct{ s *Situation }

// decide by the label, the VM's Proxmox node, and what the Object said last. That tells the function's own label from another's: a label that is neither
// the VM's Proxmox node nor what the Object said is somebody else's, and stays. A right label is taken over, whoever wrote it.
func (d zoner) decide() Zone {
	k := d.s.Machine.K3s
	if k == nil || k.ZoneLabel != machine.ZoneProxmoxNode {
		return Zone{}
	}

	switch {
	case d.s.Objects.NoKind:
		return Zone{State: ZoneNoKind}
	case !d.s.DeletesNodes():
		return Zone{}
	}

	if _, own := k.Labels[node.ZoneLabel]; own {
		return Zone{State: ZoneClaimed}
	}

	vm := d.s.provenNode()
	host := d.s.Observed.VMs[vm].Status.AtProvider.NodeName

	if vm == "" || host == "" || d.s.Node.Node.Metadata.UID == "" || d.s.Node.Node.Leaving() {
		return Zone{State: ZoneNoNode, Object: d.remembered()}
	}

	is := object.Zone{Node: d.s.Node.Name, UID: d.s.Node.Node.Metadata.UID, Zone: host}
	found := d.s.Node.Node.Metadata.Labels[node.ZoneLabel]

	switch {
	case found == host:
		return Zone{State: ZoneLabelled, Found: found, Object: &is}
	case found == "" || d.isOwn(is, found):
		is.Writing = true
		return Zone{State: ZoneWriting, Found: found, Object: &is}
	}

	return Zone{State: ZoneOther, Found: found}
}

// isOwn says whether a label of a Node is the function's, or may be: while the provider writes, what is read can be older.
func (d zoner) isOwn(of object.Zone, found string) bool {
	if d.s.Objects.Zone == nil {
		return false
	}

	was := d.s.Objects.Zone.Zone()

	return was.Node == of.Node && was.UID == of.UID && (was.Writing || was.Zone == found)
}

// remembered is what the Object said, without writing it, while nobody can tell whose the Node is; nil where there is no Node. What is being written stays so
// while nobody can read the Node: an Object that says a zone and writes it no more would make a stranger's of the label before it.
func (d zoner) remembered() *object.Zone {
	if d.s.Objects.Zone == nil || d.s.NodeOwner().Ownership == OwnershipNone {
		return nil
	}

	was := d.s.Objects.Zone.Zone()
	was.Writing = was.Writing && d.s.NodeOwner().Ownership == OwnershipUnread

	return &was
}
