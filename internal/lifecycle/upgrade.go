package lifecycle

import (
	"cmp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An UpgradeState is how far the upgrade of K3s in a VM has come, where system-upgrade-controller upgrades it in place.
type UpgradeState string

// The states.
const (
	// UpgradeNone: the node runs its release, or nobody upgrades it.
	UpgradeNone UpgradeState = ""
	// UpgradeWaiting: the node is to be upgraded, and it is not its turn.
	UpgradeWaiting UpgradeState = "Waiting"
	// UpgradeRunning: its Plan names the node, and the node is not back.
	UpgradeRunning UpgradeState = "Running"
	// UpgradeBlocked: nothing happens before a person has done something.
	UpgradeBlocked UpgradeState = "Blocked"
	// UpgradeRefused: the claim asks for a release that no node can be upgraded to in place.
	UpgradeRefused UpgradeState = "Refused"
)

// An UpgradeRefusal is why a release is refused.
type UpgradeRefusal string

// The refusals.
const (
	UpgradeAllowed UpgradeRefusal = ""
	// RefusedOlder: K3s cannot be downgraded in place.
	RefusedOlder UpgradeRefusal = "Older"
	// RefusedSkip: the release skips a minor release.
	RefusedSkip UpgradeRefusal = "Skip"
	// RefusedEtcd: etcd 3.6 would count members again that were removed once.
	RefusedEtcd UpgradeRefusal = "Etcd"
	// RefusedUnreadable: nobody can tell which of the two releases is the later one.
	RefusedUnreadable UpgradeRefusal = "Unreadable"
)

// An UpgradeBlock is what a person has to see to.
type UpgradeBlock string

// The blocks.
const (
	UpgradeUnblocked UpgradeBlock = ""
	// UpgradeBlockedByNoKind: provider-kubernetes is not installed.
	UpgradeBlockedByNoKind UpgradeBlock = "NoKind"
	// UpgradeBlockedByNoProof: the Node is not proven to be the VM by UUID or label.
	UpgradeBlockedByNoProof UpgradeBlock = "Unproven"
	// UpgradeBlockedByLabel: a person keeps the Node from upgrades, with the label [object.OptOutLabel].
	UpgradeBlockedByLabel UpgradeBlock = "Label"
	// UpgradeBlockedByCluster: a K3sCluster has nodes of the same Kubernetes cluster, and upgrades them in turns of its own.
	UpgradeBlockedByCluster UpgradeBlock = "Cluster"
	// UpgradeBlockedByQuorum: the other servers are no quorum, however well they are.
	UpgradeBlockedByQuorum UpgradeBlock = "Quorum"
	// UpgradeBlockedByPlan: the Plan cannot be written. The sight says why.
	UpgradeBlockedByPlan UpgradeBlock = "Plan"
)

// An UpgradeWait is somebody, or something, that an upgrade waits for.
type UpgradeWait struct {
	Reason  WaitReason
	Machine string        // Behind, Away, Outage: the other node.
	Release string        // Behind: what the other node runs.
	Missing MissingReason // Away.
	Outage  Outage        // Outage.
}

// A WaitReason is why an upgrade waits.
type WaitReason string

// The reasons.
const (
	// WaitBehind: a node that comes before this one runs an older release.
	WaitBehind WaitReason = "Behind"
	// WaitAway: another node is not well.
	WaitAway WaitReason = "Away"
	// WaitOutage: another node is upgraded, drained or away for another planned outage, or about to be.
	WaitOutage WaitReason = "Outage"
	// WaitOwnOutage: the machine itself has another planned outage, or its Node is drained.
	WaitOwnOutage WaitReason = "OwnOutage"
	// WaitOwnNode: the machine's own VM does not run, or its Node is not Ready, or does not vote.
	WaitOwnNode WaitReason = "OwnNode"
	// WaitCordoned: somebody cordoned the machine's own Node. The controller would uncordon it.
	WaitCordoned WaitReason = "Cordoned"
	// WaitPlan: provider-kubernetes has not written the Plan yet.
	WaitPlan WaitReason = "Plan"
	// WaitAnnounced: the upgrade is announced to the other nodes.
	WaitAnnounced WaitReason = "Announced"
)

// An Upgrade is what becomes of the release of K3s in a VM.
type Upgrade struct {
	State UpgradeState
	// Runs is the release that the node runs, as far as it is known; Release the one that it is to run.
	Runs, Release string

	Refusal UpgradeRefusal // Refused.
	Stop    string         // Refused because of etcd: the release to upgrade to before.
	// EtcdUnknown says that nobody knows what the release does to the server's member of etcd.
	EtcdUnknown bool
	Block       UpgradeBlock  // Blocked.
	Cluster     string        // Blocked by a K3sCluster: its name.
	Blocker     Blocker       // Blocked by quorum.
	Sight       object.Sight  // Blocked by the Plan, and Running: why the Plan could not be read or written last.
	Waits       []UpgradeWait // Waiting.

	// Plan of system-upgrade-controller as it is to be; nil for none.
	Plan *UpgradePlan

	stage upgradeStage
}

// An upgradeStage says what an upgrade is to the outages of its VM.
type upgradeStage string

const (
	upgradeAsks  upgradeStage = "Asks"  // It is the node's turn, and the others have to be asked.
	upgradeHolds upgradeStage = "Holds" // It has begun: every other outage of the VM waits.
)

// An UpgradePlan is the Plan of a machine's own Node.
type UpgradePlan struct {
	Release string
	Effect  UpgradePlanEffect
	// Stays says that the Plan stays in the cluster when its Object goes with the machine, and the API server with it.
	Stays bool
}

// An UpgradePlanEffect is what a Plan does.
type UpgradePlanEffect string

// The effects of Plans.
const (
	// PlanUpgradesNobody: it names no Node.
	PlanUpgradesNobody UpgradePlanEffect = ""
	// PlanUpgrades: it names the Node.
	PlanUpgrades UpgradePlanEffect = "Upgrades"
	// PlanLeaves: it would have stayed when its Object goes, and is to go in the next call.
	PlanLeaves UpgradePlanEffect = "Leaves"
)

// An upgrader decides about the upgrade of K3s in a VM that lives.
//
// Every node of a cluster is a machine of its own, and each decides alone. Two never begin together, since what each decides is the same
// function of what all can see:
//
//   - A node has its turn if no other node that is before it, servers first and by the names of their Nodes, runs an older release than the one
//     that this node is to run, and if every other node is well. So while all are to run one release, only one node has the turn.
//   - A node that has its turn announces its upgrade on its VM, and begins in a later call, as servers do for each outage (see [Cluster.permit]).
//     That holds also where claims name releases of their own, and where one call knows a newer catalogue than another one.
//
// What is read of Nodes may be old, up to one poll interval of provider-kubernetes with observe: Object. An old look makes a node wait too long,
// for one that is done; no look can be so old that it shows a release before its Node ran it. Whether the others are well can be as old: so
// their VMs have to answer, too.
type upgrader struct {
	s     *Situation
	drain Drain // Of the VM's Node, as far as it is decided.
	// nodes are the other nodes of the cluster. Whoever writes the cluster's name into a claim, and never was a Node of it, neither keeps its nodes from an
	// upgrade nor waits with them.
	nodes Cluster
}

func newUpgrader(s *Situation, drain Drain) upgrader {
	return upgrader{s, drain, s.Members.Of(s.Kin, s.clusterName(), proxmox.EtcdMember)}
}

// decide how far the upgrade has come, and whether it asks to begin. busy says that the machine has another planned outage.
func (u upgrader) decide(busy bool) Upgrade {
	k := u.s.Machine.K3s
	if k == nil || k.SystemUpgrade == nil || u.s.vm.Metadata.DeletionTimestamp != "" {
		return Upgrade{}
	}

	out := Upgrade{Runs: u.runs(), Release: k.Version}

	switch has := announcementOf(u.s.vm); {
	case has.Outage == OutageUpgrade && has.Begun:
		return u.goOn(out)
	case !u.behind():
		return out
	}

	if out.Refusal, out.Stop = u.refusal(out.Runs, out.Release); out.Refusal != UpgradeAllowed {
		out.State = UpgradeRefused
		return out
	}

	out.EtcdUnknown = u.s.EmbeddedEtcd() && k3s.EtcdHop(out.Runs, out.Release).Verdict == k3s.HopUnknown

	if out.Block, out.Cluster = u.block(); out.Block != UpgradeUnblocked {
		out.State = UpgradeBlocked
		return out
	}

	return u.await(out, busy)
}

// await the turn of a node that is to be upgraded. Its Plan is written when it has its turn, and names nobody yet: so it is known that there is a
// controller before anybody waits for it.
func (u upgrader) await(out Upgrade, busy bool) Upgrade {
	out.State, out.Waits = UpgradeWaiting, u.waits(busy)

	if len(out.Waits) > 0 && u.s.Objects.Plan == nil {
		return out
	}

	out.Plan = u.plan(out.Release, PlanUpgradesNobody)

	sight := u.planSight()

	switch {
	case len(out.Waits) > 0:
	case sight == object.SightClear:
		out.stage = upgradeAsks
	case sight == object.SightPending, sight == object.SightUnreachable:
		out.Waits = []UpgradeWait{{Reason: WaitPlan}}
	default:
		out.State, out.Block, out.Sight = UpgradeBlocked, UpgradeBlockedByPlan, sight
	}

	return out
}

// goOn with an upgrade that has begun, until the node is back. Its Plan follows the claim to a later release only: a Job may be about to install
// the one that the Plan names.
func (u upgrader) goOn(out Upgrade) Upgrade {
	if plan := u.s.Objects.Plan; plan != nil && slices.Contains(plan.Nodes(), u.s.Node.Name) {
		later := k3s.OlderRelease(plan.Version(), out.Release) && u.allows(out.Runs, out.Release)
		if !later {
			out.Release = plan.Version()
		}
	}

	if u.back(out.Release) {
		return out
	}

	out.State, out.stage = UpgradeRunning, upgradeHolds

	if u.s.Objects.NoKind {
		out.State, out.Block = UpgradeBlocked, UpgradeBlockedByNoKind
		return out
	}

	out.Plan, out.Sight = u.plan(out.Release, PlanUpgrades), u.planSight()

	switch out.Sight {
	case object.SightClear, object.SightPending, object.SightUnreachable, object.SightNoKind:
	case object.SightForbidden, object.SightNoNamespace, object.SightNoConfig, object.SightNoPlans:
		out.State, out.Block = UpgradeBlocked, UpgradeBlockedByPlan
	}

	return out
}

// settleUpgrade says what the decision about the outage means for the upgrade. For all else the upgrade is no outage: the VM runs on.
func settleUpgrade(is Upgrade, out PlannedOutage) (Upgrade, PlannedOutage) {
	if !out.Is(OutageUpgrade) {
		return is, out
	}

	b := out.Decision.Blocker

	switch {
	case out.Announcement.Begun && out.Announcement.Outage == OutageUpgrade:
		is.State, is.Plan.Effect = UpgradeRunning, PlanUpgrades
	case b.Reason == BlockedByQuorum:
		is.State, is.Block, is.Blocker = UpgradeBlocked, UpgradeBlockedByQuorum, b
	case b.Reason == BlockedByOtherServer:
		is.Waits = []UpgradeWait{{Reason: WaitOutage, Machine: b.Server, Outage: b.Outage}}
	default:
		is.Waits = []UpgradeWait{{Reason: WaitAnnounced}}
	}

	out.Wanted, out.Decision = nil, Decision{}

	return is, out
}

// permit decides about an upgrade, as far as the other nodes speak against it.
func (u upgrader) permit(has Announcement) Decision {
	c := u.s.Cluster()
	if b := c.quorum(); u.s.server() && b.Reason != "" {
		return refuse(b)
	}

	return c.takeTurns(u.s.vm, has.Outage != OutageNone && !has.Begun, u.nodes.others())
}

// ownNode is the machine's own Node; nil if there is none that is known to be.
func (u upgrader) ownNode() *node.Node {
	if u.s.NodeOwner().Ownership != OwnershipOurs {
		return nil
	}

	return u.s.Node.Node
}

// runs is the release that the machine's own Node runs; empty where nobody knows.
func (u upgrader) runs() string {
	if n := u.ownNode(); n != nil {
		return n.Status.NodeInfo.KubeletVersion
	}

	return ""
}

// behind says whether the node runs another release than the one that it is to run.
func (u upgrader) behind() bool {
	return u.runs() != "" && u.s.Machine.K3s.Version != "" && u.runs() != u.s.Machine.K3s.Version
}

// AsksForMembers says whether all other nodes of the cluster have to be known to tell whether the machine's K3s may be upgraded.
func AsksForMembers(s Situation) bool {
	k := s.Machine.K3s
	if k == nil || k.SystemUpgrade == nil || s.Roles.Trigger != "" || s.State != StateLiving || s.Objects.NoKind {
		return false
	}

	u := newUpgrader(&s, Drain{})

	return u.behind() && u.allows(u.runs(), k.Version)
}

// back says whether a node is back from its upgrade: it runs the release, or the one that the claim names since, is Ready, votes where it has to, and
// the controller is done with it. The controller cordons a Node before its Job, and uncordons it afterwards.
func (u upgrader) back(release string) bool {
	if runs := u.runs(); runs == "" || runs != release && runs != u.s.Machine.K3s.Version || !serves(u.s, u.s.Roles.Active) || u.ownNode().Spec.Unschedulable {
		return false
	}

	return u.s.Objects.Plan == nil || !slices.Contains(u.s.Objects.Plan.Applying(), u.s.Node.Name)
}

// allows says whether the node can be upgraded from one release to another one.
func (u upgrader) allows(runs, wanted string) bool {
	refused, _ := u.refusal(runs, wanted)

	return refused == UpgradeAllowed
}

// RefusalOf an upgrade of a machine's node from one release to another one, whoever is to upgrade it, and the release to upgrade to before where etcd is
// the reason.
func RefusalOf(s *Situation, runs, wanted string) (refused UpgradeRefusal, stop string) {
	return upgrader{s: s}.refusal(runs, wanted)
}

// refusal of an upgrade of the node from one release to another one, and the release to upgrade to before where etcd is the reason.
func (u upgrader) refusal(runs, wanted string) (refused UpgradeRefusal, stop string) {
	if refused = refusal(runs, wanted); refused != UpgradeAllowed || !u.s.EmbeddedEtcd() {
		return refused, ""
	}

	if hop := k3s.EtcdHop(runs, wanted); hop.Verdict == k3s.HopRefused {
		return RefusedEtcd, hop.Stop
	}

	return UpgradeAllowed, ""
}

// refusal of an upgrade from one release to another one, whatever the node has of etcd.
func refusal(runs, wanted string) UpgradeRefusal {
	_, ok := k3s.MinorOf(runs)
	_, ok2 := k3s.MinorOf(wanted)

	switch {
	case runs == wanted:
		return UpgradeAllowed
	case !ok || !ok2:
		return RefusedUnreadable
	case k3s.Skips(runs, wanted):
		return RefusedSkip
	case !k3s.OlderRelease(runs, wanted):
		return RefusedOlder
	}

	return UpgradeAllowed
}

// block is what a person has to see to before the node can have its turn, and the name of the K3sCluster where that is one.
func (u upgrader) block() (block UpgradeBlock, cluster string) {
	label := u.ownNode().Metadata.Labels[object.OptOutLabel]

	switch {
	case u.s.Objects.NoKind:
		return UpgradeBlockedByNoKind, ""
	case u.s.provenNode() != u.s.Roles.Active:
		return UpgradeBlockedByNoProof, ""
	case label == "disabled" || label == "false":
		return UpgradeBlockedByLabel, ""
	}

	for _, vm := range u.nodes.others() {
		if root := vm.Metadata.Labels[proxmox.CompositeLabel]; root != "" && vm.Metadata.Controller() != "" && root != vm.Metadata.Controller() {
			return UpgradeBlockedByCluster, u.s.Kin.told(vm.Metadata, root)
		}
	}

	return UpgradeUnblocked, ""
}

// waits are those that a node waits for before it has its turn: itself, those that are before it, and those that are not well.
func (u upgrader) waits(busy bool) []UpgradeWait {
	n := u.ownNode()

	switch {
	case busy, u.s.Roles.Trigger != "", u.drain.Wanted, u.drain.Holds, u.drain.Memory.State != DrainNone, u.drainAsked(), announcementOf(u.s.vm).Begun:
		return []UpgradeWait{{Reason: WaitOwnOutage}}
	case !powerKnown(u.s.vm), !u.s.vm.Status.AtProvider.Started, !serves(u.s, u.s.Roles.Active):
		return []UpgradeWait{{Reason: WaitOwnNode}}
	case n.Spec.Unschedulable:
		return []UpgradeWait{{Reason: WaitCordoned}}
	}

	return slices.Concat(u.before(), u.away())
}

// drainAsked says whether the claim keeps the Node drained.
func (u upgrader) drainAsked() bool { return u.s.Machine.Lifecycle.Drain != "" }

// before are the nodes that have their turn before this one: servers before agents, by the names of their Nodes.
func (u upgrader) before() []UpgradeWait {
	var out []UpgradeWait

	for _, vm := range u.nodes.others() {
		name := NodeNameOf(vm)
		n, found := u.s.Members.Nodes[name]
		runs := n.Status.NodeInfo.KubeletVersion

		first := cmp.Or(cmp.Compare(rank(roleOf(vm)), rank(u.s.Machine.K3s.Role)), cmp.Compare(name, u.s.Node.Name)) < 0
		if first && found && isNodeOf(n, vm) && k3s.OlderRelease(runs, u.s.Machine.K3s.Version) {
			out = append(out, UpgradeWait{Reason: WaitBehind, Machine: u.s.Kin.machineOf(vm), Release: runs})
		}
	}

	slices.SortFunc(out, byMachine)

	return slices.Compact(out)
}

// away are the other nodes that are not well, or have a planned outage. An agent that does not run yet, or that its claim stops, holds nobody.
func (u upgrader) away() []UpgradeWait {
	servers, agents := u.members(v1alpha1.K3sServer), u.members(v1alpha1.K3sAgent)
	servers.ExternalDatastore, agents.ExternalDatastore = u.s.Cluster().ExternalDatastore, true
	idle := func(vm proxmox.ObservedVM) bool {
		return vm.ObserveOnly() || !vm.Spec.ForProvider.Started && vm.Metadata.Annotations[proxmox.StoppedForAnnotation] == ""
	}
	agents.OtherServers, agents.Strangers = slices.DeleteFunc(agents.OtherServers, idle), slices.DeleteFunc(agents.Strangers, idle)

	var out []UpgradeWait

	for _, c := range []Cluster{servers, agents} {
		_, missing := c.members()

		for _, m := range missing {
			if m.Reason != MissingOutage {
				out = append(out, UpgradeWait{Reason: WaitAway, Machine: m.Machine, Missing: m.Reason})
			}
		}

		for _, vm := range c.others() {
			switch has := announcementOf(vm); {
			case isDraining(vm):
				out = append(out, UpgradeWait{Reason: WaitOutage, Machine: u.s.Kin.machineOf(vm), Outage: OutageDrain})
			case has.Begun:
				out = append(out, UpgradeWait{Reason: WaitOutage, Machine: u.s.Kin.machineOf(vm), Outage: has.Outage})
			}
		}
	}

	slices.SortFunc(out, byMachine)

	return slices.Compact(out)
}

func byMachine(a, b UpgradeWait) int {
	return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Missing, b.Missing))
}

// members of a role, beside this machine.
func (u upgrader) members(role v1alpha1.K3sRole) Cluster {
	out := u.nodes
	other := func(vm proxmox.ObservedVM) bool { return roleOf(vm) != role }
	out.OtherServers = slices.DeleteFunc(slices.Clone(out.OtherServers), other)
	out.Strangers = slices.DeleteFunc(slices.Clone(out.Strangers), other)

	return out
}

func roleOf(vm proxmox.ObservedVM) v1alpha1.K3sRole {
	return v1alpha1.K3sRole(vm.Metadata.Labels[proxmox.K3sRoleLabel])
}

// rank of a role in the order of upgrades: no agent may be newer than a server.
func rank(role v1alpha1.K3sRole) int {
	if role == v1alpha1.K3sServer {
		return 0
	}

	return 1
}

// planSight is why the Plan is not in its cluster as it was written last; clear where it is.
func (u upgrader) planSight() object.Sight {
	if u.s.Objects.Plan == nil {
		return object.SightPending
	}

	return u.s.Objects.Plan.Sees()
}

// plan of the node. With a server that is destroyed with its claim, its API server may go before anybody could delete the Plan.
func (u upgrader) plan(release string, effect UpgradePlanEffect) *UpgradePlan {
	return &UpgradePlan{Release: release, Effect: effect, Stays: u.s.server() && bool(u.s.MayDelete())}
}

// leavingPlan is the Plan of a node that is upgraded no more: nil, unless the Plan would stay in its cluster.
func leavingPlan(p *object.ObservedPlan) *UpgradePlan {
	if p != nil && !p.MayDelete() {
		return &UpgradePlan{Release: p.Version(), Effect: PlanLeaves}
	}

	return nil
}
