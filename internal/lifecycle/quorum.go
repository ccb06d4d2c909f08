package lifecycle

import (
	"cmp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Cluster is what is known of the K3s cluster of a server.
type Cluster struct {
	// Name of the cluster, by which its servers find each other; empty where the claim has none.
	Name string
	// ExternalDatastore says whether the cluster keeps its state outside of its servers.
	ExternalDatastore bool
	// Joins says whether the server joined other servers, so that there are some, known or not.
	Joins bool
	// Kin of the server says whom it is told of the others.
	Kin Kin
	// OtherServers are the VMs of the cluster's other servers.
	OtherServers []proxmox.ObservedVM
	// Strangers are VMs with the cluster's label that may be servers of it, or somebody's who wrote the cluster's name into a claim; see [Kin].
	Strangers []proxmox.ObservedVM
	// Strict says that no stranger counts for the quorum, however well it is.
	Strict bool
	// Reading says how the Nodes of the other servers were read. Nodes has those that there are, by name.
	Reading NodeReading
	Nodes   map[string]node.Node
}

// A NodeReading is how the Nodes of other servers were read, and with that what they prove.
type NodeReading string

// The readings.
const (
	NodesUnread NodeReading = ""
	// NodesRead: by Crossplane, in this call.
	NodesRead NodeReading = "Read"
	// NodesPolled: by provider-kubernetes, up to one poll interval ago. A server counts only if its VM answers, too.
	NodesPolled NodeReading = "Polled"
)

// A MissingServer is a server that does not count for its cluster's quorum, and why.
type MissingServer struct {
	Machine string
	Reason  MissingReason
	Trigger string // MissingJoining: the value of spec.lifecycle.replace that led to its VM.
}

// A MissingReason is why a server does not count.
type MissingReason string

// The reasons for which a server does not count, the most telling one first.
const (
	// MissingJoining: its VM was replaced, and nobody said that the new one has joined.
	MissingJoining MissingReason = "Joining"
	// MissingOutage: a planned outage of it has begun.
	MissingOutage MissingReason = "Outage"
	// MissingLost: a person says that the Proxmox node of its VM does not come back.
	MissingLost MissingReason = "Lost"
	// MissingStopped: its VM does not run.
	MissingStopped MissingReason = "Stopped"
	// MissingNode: no Node of the cluster is known to be its VM.
	MissingNode MissingReason = "Node"
	// MissingNotReady: its Node is not Ready.
	MissingNotReady MissingReason = "NotReady"
	// MissingVote: its etcd member does not vote.
	MissingVote MissingReason = "Vote"
	// MissingUnread: the provider cannot read its VM, or has not read it yet.
	MissingUnread MissingReason = "Unread"
	// MissingSilent: its VM runs, and its guest agent reports no address.
	MissingSilent MissingReason = "Silent"
)

// quorum is why the others could not go on without this server; the zero Blocker where they can, or where there are none.
func (c Cluster) quorum() Blocker {
	b := c.lacks(1)
	if b.Servers == 1 {
		return Blocker{} // It is alone.
	}

	return b
}

// lacks is why the other servers could not go on beside so many more members that do not work; the zero Blocker where they can. Beside none, the others are
// to be a majority of their own.
func (c Cluster) lacks(more int) Blocker {
	servers, missing := c.members()
	all, ready := servers+more, servers-len(missing)

	needed := k3s.Majority(all)
	if c.ExternalDatastore {
		needed = 1
	}

	if ready >= needed {
		return Blocker{}
	}

	return Blocker{
		Reason: BlockedByQuorum, Cluster: c.Name, Servers: all, Ready: ready, Needed: needed, Missing: missing, Strangers: c.uncounted(), Holding: c.holding(),
	}
}

// permit decides about an outage of a server, as far as the other servers speak against it. announced says whether its VM
// carries the announcement of this outage.
//
// Servers of one cluster have their outages one at a time, also where one commit asks for all of them. They cannot see each other
// begin, since their composites are reconciled side by side. So each server announces its outage on its VM, and begins in a
// later call, if no other server has announced one by then. Of two that have, the server whose managed resource is older
// begins, and the other one takes its announcement back. What has begun stays announced until its VM is back.
//
// That is enough although every call may see the cluster as it was some time ago: Crossplane reads the composed resources of a
// call and the VMs of other composites from one cache of their kind (NewExistingComposedResourceObserver and
// NewExistingRequiredResourcesFetcher, both of engine.GetCached()), so whoever sees its own announcement sees all that was
// written before it. Of two servers that announced, the later one sees the earlier one.
func (c Cluster) permit(vm proxmox.ObservedVM, announced bool) Decision {
	if b := c.quorum(); b.Reason != "" {
		return refuse(b)
	}

	return c.takeTurns(vm, announced, c.others())
}

// permitToLeave decides about the drain of a server before it is removed for good: it counts for nothing afterwards, and the others have to be a majority of
// their own.
func (c Cluster) permitToLeave(vm proxmox.ObservedVM, announced bool) Decision {
	c = c.withoutStrangers()

	if b := c.lacks(0); b.Reason != "" {
		b.Leaves = true
		return refuse(b)
	}

	return c.takeTurns(vm, announced, c.others())
}

// takeTurns decides about an outage of a VM as far as the outages of others speak against it.
func (c Cluster) takeTurns(vm proxmox.ObservedVM, announced bool, others []proxmox.ObservedVM) Decision {
	out := Decision{Permission: PermissionAnnounced}
	if !announced {
		out.Permission = PermissionAwaited
	}

	for _, other := range others {
		a := announcementOf(other)

		switch {
		case isDraining(other):
			return refuse(Blocker{Reason: BlockedByOtherServer, Cluster: c.Name, Server: c.Kin.machineOf(other), Outage: cmp.Or(a.Outage, OutageDrain)})
		case a.Begun, a.Outage != OutageNone && other.Before(vm):
			return refuse(Blocker{Reason: BlockedByOtherServer, Cluster: c.Name, Server: c.Kin.machineOf(other), Outage: a.Outage})
		case a.Outage != OutageNone:
			out.Permission = PermissionAwaited
		}
	}

	return out
}

// members counts the other servers of a cluster, and names those that do not count for its quorum, sorted. Where Nodes are read, a server
// counts if its Node is Ready and its etcd member votes. Else a server counts if it answers: its VM runs, the provider read it
// without an error, and its guest agent reports an address. A server that is being replaced has two VMs and counts once.
//
// A stranger counts where it makes the answer safer, or no difference to whom it may harm: one that is missing always, and one that is well only while
// no server that is known to be one is missing. Otherwise somebody's healthy VMs would outvote a server that is down.
func (c Cluster) members() (servers int, missing []MissingServer) {
	servers, missing = c.count(c.OtherServers)
	strangers, strangersMissing := c.count(c.Strangers)

	if c.Strict || len(missing) > 0 {
		strangers = len(strangersMissing)
	}

	missing = append(missing, strangersMissing...)
	slices.SortFunc(missing, func(a, b MissingServer) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Trigger, b.Trigger))
	})

	return servers + strangers, missing
}

// uncounted is how many strangers do not count although they are well.
func (c Cluster) uncounted() int {
	all, missing := c.count(c.Strangers)
	if _, lacks := c.count(c.OtherServers); !c.Strict && len(lacks) == 0 {
		return 0
	}

	return all - len(missing)
}

// holding is how many strangers are missing, and so speak against an outage although nobody knows that they serve the cluster.
func (c Cluster) holding() int {
	_, missing := c.count(c.Strangers)

	return len(missing)
}

// withoutStrangers is the cluster as far as it is known for certain, for what cannot be undone: a server that is replaced, or leaves, takes a member of
// etcd with it.
func (c Cluster) withoutStrangers() Cluster {
	c.Strict = true

	return c
}

// others are all VMs whose outages the server's own has to wait for.
func (c Cluster) others() []proxmox.ObservedVM { return slices.Concat(c.OtherServers, c.Strangers) }

// count the machines of some VMs, and name those that do not count for a quorum.
func (c Cluster) count(vms []proxmox.ObservedVM) (machines int, missing []MissingServer) {
	found := map[string]MissingServer{}

	for _, vm := range vms {
		owner := ownerOf(vm.Metadata)
		is := MissingServer{Machine: c.Kin.machineOf(vm), Reason: c.missingReason(vm)}

		if is.Reason == MissingJoining {
			is.Trigger = vm.Metadata.Annotations[proxmox.JoiningAnnotation]
		}

		if was, known := found[owner]; !known || moreTelling(is, was) {
			found[owner] = is
		}
	}

	for _, m := range found {
		if m.Reason != "" {
			missing = append(missing, m)
		}
	}

	return len(found), missing
}

// moreTelling says whether what one VM of a server tells counts more than what another one tells. One that is ready counts most,
// since the machine is that VM.
func moreTelling(a, b MissingServer) bool {
	order := []MissingReason{"", MissingJoining, MissingOutage, MissingLost, MissingStopped, MissingNode, MissingNotReady, MissingVote, MissingUnread, MissingSilent}

	return slices.Index(order, a.Reason) < slices.Index(order, b.Reason)
}

// missingReason says why a server's VM does not count; empty where it does.
func (c Cluster) missingReason(vm proxmox.ObservedVM) MissingReason {
	annotations, at := vm.Metadata.Annotations, vm.Status.AtProvider

	switch {
	case annotations[proxmox.JoiningAnnotation] != "":
		return MissingJoining
	case announcementOf(vm).Begun:
		return MissingOutage
	case c.Reading != NodesUnread:
		if missing := c.missingMember(vm); missing != "" || c.Reading != NodesPolled {
			return missing
		}
	}

	switch {
	case annotations[proxmox.LostAnnotation] != "" && annotations[proxmox.LostAnnotation] == HostOf(vm):
		return MissingLost // The provider may have read it minutes before its host died.
	case vm.ObserveOnly(), !vm.Found(), at.ID == "", vm.Metadata.DeletionTimestamp != "":
		return MissingUnread
	case !at.Started:
		return MissingStopped
	case !answers(vm):
		return MissingSilent
	}

	return ""
}

// missingMember says why a server does not count although no outage of it has begun, by its Node. A Node stays Ready for some time after its
// host has stopped, so that a VM that is known to be stopped does not count. That the provider cannot read a VM says nothing of
// its vote.
func (c Cluster) missingMember(vm proxmox.ObservedVM) MissingReason {
	n, found := c.Nodes[NodeNameOf(vm)]

	switch {
	case powerKnown(vm) && !vm.Status.AtProvider.Started:
		return MissingStopped
	case vm.ObserveOnly(), vm.Metadata.DeletionTimestamp != "", !found, !isNodeOf(n, vm), n.Leaving():
		return MissingNode
	case n.Health() != node.HealthReady:
		return MissingNotReady
	case !c.ExternalDatastore && !n.Votes():
		return MissingVote
	}

	return ""
}
