package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Objects are what is known of provider-kubernetes' Objects of a machine.
type Objects struct {
	// Observed Objects, by composed resource name.
	Observed map[string]object.Observed
	// Jobs that drain or uncordon Nodes: their Objects, by composed resource name.
	Jobs map[string]object.ObservedJob
	// Plan is the Object of the Plan with which system-upgrade-controller upgrades the node; nil where there is none.
	Plan *object.ObservedPlan
	// Zone is the Object that writes the zone label of the Node; nil where there is none.
	Zone *object.ObservedZone
	// NoKind says that the kind Object is known not to be installed.
	NoKind bool
	// Going says that the Object with which the active VM's Node goes was left out, and that it is not gone yet: it exists as long as
	// the Node.
	Going bool
	// Uses are the VMs that a Usage keeps until their Node is gone, by composed resource name.
	Uses map[string]bool
}

// A NodeObject is an Object of a Node that is to be.
type NodeObject struct {
	// Node is the name of the Node.
	Node string
	// VM whose Node it deletes, by composed resource name; empty for the Object that reads the Node.
	VM string
	// Delete says that the Node goes with the Object.
	Delete bool
}

// DeletesNodes says whether the function may compose Objects with which Nodes of the machine go.
func (r Request) DeletesNodes() bool {
	k := r.Machine.K3s

	return k != nil && k.NodesConfig != "" && k.Observe.Reads() && !r.Objects.NoKind
}

// NodeLeaves says whether the machine's Node goes when the machine is deleted.
func (r Request) NodeLeaves() bool {
	return r.DeletesNodes() && r.Machine.DeletionPolicy == v1alpha1.DeletionDelete
}

// AsksForGoingNode says whether it has to be known whether the replaced VM's Node is gone, of which a call before decided that it goes.
func AsksForGoingNode(r Request) bool {
	return r.DeletesNodes() && r.Roles.Candidate != "" && !r.Roles.Begun &&
		r.Observed.VMs[r.Roles.Active].Metadata.Annotations[proxmox.NodeRemovedAnnotation] != ""
}

// A departure decides about the Objects of a machine's Nodes.
type departure struct{ s *Situation }

// objects are the Objects of the machine's Nodes, and whether the Node of the VM that is replaced goes with this call. Two things never change: an
// Object that reads the Node can do nothing else, since the runtime reports nothing of a Node that is gone to an Object that may delete it; and an
// Object may delete a Node only while the Node of its name is proven to be the VM that the Object is for. The Object deletes the Node of that name,
// whoever that is by then.
func (d departure) objects() (objects map[string]NodeObject, removed bool) {
	s := d.s
	k := s.Machine.K3s
	if k == nil || k.NodesConfig == "" && len(s.Objects.Observed) == 0 {
		return nil, false
	}

	objects = map[string]NodeObject{}

	if k.Observe == machine.ObserveObject && !s.Objects.NoKind {
		objects[object.Reading] = NodeObject{Node: s.Node.Name}
	}

	proven, begun := s.provenNode(), false

	for name, o := range s.Objects.Observed {
		vm := object.VMOf(name)
		if vm == "" {
			continue
		}

		begun = true
		step := NodeObject{Node: o.NodeName(), VM: vm}
		ours := vm == proven && o.NodeName() == s.Node.Name

		switch {
		case ours && d.nodeGoesFirst() && o.MayDelete():
			removed = true
			continue
		case ours && (d.nodeGoesFirst() || d.leavesWith(vm)):
			step.Delete = true
		case !o.MayDelete():
			// The provider has been told that it may delete nothing: now the Object can go alone.
			continue
		}

		objects[name] = step
	}

	// One after the other: the Object of the VM before is gone first.
	if proven != "" && !begun && (d.toRemove() || d.leavesWith(proven)) {
		objects[object.DeletionOf(proven)] = NodeObject{Node: s.Node.Name, VM: proven, Delete: true}
	}

	return objects, removed
}

// leavesWith says whether the Node of a VM goes when the machine is deleted. The last server's does not: K3s cannot remove its only
// member from etcd, and nobody would be left to answer.
func (d departure) leavesWith(vm string) bool {
	if !d.s.NodeLeaves() || d.stoppedForCandidate() && vm == d.s.Roles.Active {
		return false
	}

	servers, _ := d.s.Cluster().members()

	return !d.s.EmbeddedEtcd() || servers > 0
}

// nodeGoesFirst says whether the Node of the active VM is to go, so that the VM that replaces it can join under the same name: the active VM
// is stopped, as the provider has seen since, the new VM does not exist yet, and the Node is proven to be the active VM. A server's goes
// only while the others are a quorum, or where it is lost and its kubelet is silent: its member votes no more, and without it fewer have to. That the
// new VM does not exist is what keeps the deletion from its Node: the provider repeats the deletion until there is no Node of the name.
func (d departure) nodeGoesFirst() bool {
	if !d.s.DeletesNodes() || !d.stoppedForCandidate() || d.s.provenNode() != d.s.Roles.Active || d.s.Decision.Permission == PermissionAwaited {
		return false
	}

	lost := d.s.Lost(d.s.Roles.Active)

	if !d.active().Resting() && !lost {
		return false
	}

	return !d.s.EmbeddedEtcd() || lost && d.s.Node.Node.Health() != node.HealthReady || d.s.Servers.Known && d.s.Cluster().quorum().Reason == ""
}

// stoppedForCandidate says whether the active VM is stopped for a VM that does not exist yet, and that needs its Node's name.
func (d departure) stoppedForCandidate() bool { return d.stops() && d.stopSeen() }

// stops says whether the active VM was seen stopped, or is lost, and a VM that does not exist yet is to replace it.
func (d departure) stops() bool {
	return d.s.Replacing() && !d.s.Roles.Begun && !RunsSideBySide(d.s.Machine) && isOff(&d.s.Request, d.s.Roles.Active)
}

// stopSeen says whether the active VM was seen stopped after it was to stop. Before, somebody may have started it again since the last poll. Nobody
// starts one that is lost.
func (d departure) stopSeen() bool {
	return d.s.Lost(d.s.Roles.Active) || !d.active().Spec.ForProvider.Started && d.active().Fresh(proxmox.ConditionSynced)
}

func (d departure) active() proxmox.ObservedVM { return d.s.Observed.VMs[d.s.Roles.Active] }

// toRemove says whether the active VM's Node is to go, and no call before this one has let it go. What is read of a Node can be as old
// as the provider's last poll.
func (d departure) toRemove() bool {
	return d.nodeGoesFirst() && d.active().Metadata.Annotations[proxmox.NodeRemovedAnnotation] == ""
}

// inTheWay says whether a new VM has to wait for the Node of the VM that it replaces: until no Object is left that could delete the
// new VM's Node.
func (d departure) inTheWay() bool {
	_, remains := d.s.Objects.Observed[object.DeletionOf(d.s.Roles.Active)]

	unsure := d.s.DeletesNodes() && d.stops() && !d.stopSeen() && d.s.provenNode() == d.s.Roles.Active

	return remains || unsure || d.s.Objects.Going || d.toRemove()
}

// NodeUses are the VMs that wait, when the machine is deleted, until their Node is gone, with the Object that deletes the Node. Both exist.
func NodeUses(p *Plan) map[string]object.Observed {
	var out map[string]object.Observed

	for name, step := range p.NodeObjects {
		o, observed := p.Objects.Observed[name]
		_, there := p.Observed.VMs[step.VM]

		if step.Delete && observed && o.MayDelete() && there && p.NodeLeaves() {
			if out == nil {
				out = map[string]object.Observed{}
			}

			out[step.VM] = o
		}
	}

	return out
}

// RemovalBlocked says why the machine must not be deleted now; the zero Blocker where it may. Only a server whose member of etcd would go
// with it has to ask: the last one, and one without which the others are no majority.
func RemovalBlocked(s Situation) Blocker {
	if !AsksForRemoval(s.Request) || !s.Servers.Known || s.NodeOwner().Ownership != OwnershipOurs {
		return Blocker{}
	}

	return s.Cluster().removal()
}

// AsksForRemoval says whether the other servers have to be known to tell whether the machine may be deleted.
func AsksForRemoval(r Request) bool {
	return r.NodeLeaves() && r.Machine.K3s.Role == v1alpha1.K3sServer && r.Machine.K3s.Etcd.Votes()
}

// removal is why a server must not leave etcd; the zero Blocker where it may. A member can go while a majority of the members that remain
// votes. Strangers keep none of its state, however well they are.
func (c Cluster) removal() Blocker {
	b := c.withoutStrangers().lacks(0)

	switch {
	case b.Reason == "":
		return Blocker{}
	case b.Servers == 0:
		return Blocker{Reason: BlockedByOnlyServer, Cluster: c.Name}
	}

	// What is said counts this one, and names no stranger.
	b.Servers, b.Strangers = b.Servers+1, 0

	return b
}
