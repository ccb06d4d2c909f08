package lifecycle

import (
	"cmp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	runsRelease = "v1.33.6+k3s1"
	nextRelease = "v1.33.7+k3s3"
)

// upgradeNode is a Node that runs a release, and votes.
func upgradeNode(release string, edits ...func(*node.Node)) node.Node {
	n := votingNode(nodesUUID)
	n.Status.NodeInfo.KubeletVersion = release

	for _, e := range edits {
		e(&n)
	}

	return n
}

// member is the VM of another node of the cluster.
func member(role v1alpha1.K3sRole, name string, edits ...func(vm *proxmox.ObservedVM)) proxmox.ObservedVM {
	vm := server(name)
	vm.Metadata.Name, vm.Metadata.Labels[proxmox.K3sRoleLabel] = name, string(role)
	vm.Metadata.OwnerReferences = []proxmox.OwnerReference{{Name: name, Controller: true}}
	vm.Spec.ForProvider.Name, vm.Spec.ForProvider.Started = name, true
	vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
	vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: nodesUUID}}

	for _, e := range edits {
		e(&vm)
	}

	return vm
}

// ofTeamB has a VM be one of another namespace that no Node of the cluster is proven to be.
func ofTeamB(vm *proxmox.ObservedVM) {
	vm.Metadata.Labels[proxmox.NamespaceLabel] = "team-b"
	vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: otherUUID}}
}

// aPlan is the Object of the machine's own Plan, as the provider has written it.
func aPlan(release string, nodes ...string) *object.ObservedPlan {
	o := object.NewPlan(object.Cluster, "home", object.Upgrade{Name: "b", Nodes: nodes, Version: release}, true, proxmox.Metadata{})
	out := &object.ObservedPlan{}
	out.Spec = o.Spec
	out.Status.Conditions = proxmox.Conditions{{Type: proxmox.ConditionSynced, Status: "True"}}
	out.Status.AtProvider.Manifest.Metadata.Name = "b"

	return out
}

// unsynced is a Plan that the provider cannot write.
func unsynced(message string) *object.ObservedPlan {
	out := aPlan(nextRelease)
	out.Status.Conditions = proxmox.Conditions{{Type: proxmox.ConditionSynced, Status: "False", Message: message}}

	return out
}

// TestUpgrade holds whether a node has its turn, whom it waits for, and when it is back.
func TestUpgrade(t *testing.T) {
	const srv, agt = v1alpha1.K3sServer, v1alpha1.K3sAgent

	says := func(what string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.OutageAnnotation] = what }
	}
	cordoned := func(n *node.Node) { n.Spec.Unschedulable = true }
	label := func(value string) func(n *node.Node) {
		return func(n *node.Node) { n.Metadata.Labels = map[string]string{object.OptOutLabel: value} }
	}
	silent := func(n *node.Node) { n.Status.Conditions[0].Status = "Unknown" }
	learner := func(n *node.Node) { n.Status.Conditions[1].Status = "False" }
	off := func(vm *proxmox.ObservedVM) {
		vm.Spec.ForProvider.Started, vm.Status.AtProvider.Started = false, false
	}

	waits := func(all ...UpgradeWait) Upgrade { return Upgrade{State: UpgradeWaiting, Waits: all} }
	planned := func(u Upgrade, effect UpgradePlanEffect) Upgrade {
		u.Plan = &UpgradePlan{Release: cmp.Or(u.Release, nextRelease), Effect: effect}
		return u
	}
	running := planned(Upgrade{State: UpgradeRunning}, PlanUpgrades)
	behind := func(name string) UpgradeWait {
		return UpgradeWait{Reason: WaitBehind, Machine: name, Release: runsRelease}
	}

	cases := map[string]struct {
		reason  string
		role    v1alpha1.K3sRole // Default server. The machine is b.
		wanted  string           // Default the next release.
		own     node.Node        // Default runs the release before.
		vm      func(vm *proxmox.ObservedVM)
		members []proxmox.ObservedVM
		nodes   map[string]node.Node // Default of members: they run the next release.
		claim   v1alpha1.Lifecycle
		none    bool // Nobody upgrades it.
		plan    *object.ObservedPlan
		busy    bool
		noKind  bool   // The API server does not serve Objects any more.
		replace string // What asks for a replacement.

		want   Upgrade
		says   string // The announcement after this call.
		holds  Permission
		forced []string // Where it is used up while the upgrade goes on.
	}{
		"Current": {reason: "There is nothing to do.", own: upgradeNode(nextRelease)},
		"Nobody":  {reason: "The catalogue does not ask for it.", none: true},
		"First":   {reason: "It has its turn, and its Plan comes first.", want: planned(waits(UpgradeWait{Reason: WaitPlan}), PlanUpgradesNobody)},
		"Written": {reason: "Its Plan is there: it announces itself.", plan: aPlan(nextRelease), want: planned(waits(UpgradeWait{Reason: WaitAnnounced}), PlanUpgradesNobody), says: "Upgrade announced"},
		"Begins":  {reason: "It has announced itself, and nobody else has.", plan: aPlan(nextRelease), vm: says("Upgrade announced"), want: running, says: "Upgrade begun"},
		"BehindAServer": {
			reason: "The servers go by name.", members: []proxmox.ObservedVM{member(srv, "a"), member(srv, "c")},
			nodes: map[string]node.Node{"a": upgradeNode(runsRelease), "c": upgradeNode(runsRelease)}, want: waits(behind("a")),
		},
		"BeforeAnAgent": {
			reason: "Servers come first.", plan: aPlan(nextRelease), members: []proxmox.ObservedVM{member(agt, "a"), member(srv, "c"), member(srv, "d")},
			nodes: map[string]node.Node{"a": upgradeNode(runsRelease)}, want: planned(waits(UpgradeWait{Reason: WaitAnnounced}), PlanUpgradesNobody), says: "Upgrade announced",
		},
		"AgentBehindServers": {
			reason: "No agent may be newer than a server.", role: agt, members: []proxmox.ObservedVM{member(srv, "z"), member(agt, "a")},
			nodes: map[string]node.Node{"z": upgradeNode(runsRelease), "a": upgradeNode(runsRelease)}, want: waits(behind("a"), behind("z")),
		},
		"AgentBegins": {
			reason: "The servers are done, and so is the agent before.", role: agt, members: []proxmox.ObservedVM{member(srv, "z"), member(agt, "a"), member(agt, "c")},
			nodes: map[string]node.Node{"c": upgradeNode(runsRelease)}, plan: aPlan(nextRelease), vm: says("Upgrade announced"), want: running, says: "Upgrade begun",
		},
		"OtherReleases": {
			reason: "A claim with an older release of its own: the other one is not behind it, and only its announcement tells.",
			own:    upgradeNode("v1.33.5+k3s1"), wanted: runsRelease, members: []proxmox.ObservedVM{member(agt, "a", says("Upgrade begun"))},
			plan: aPlan(runsRelease), want: planned(Upgrade{State: UpgradeWaiting, Release: runsRelease, Waits: []UpgradeWait{{Reason: WaitOutage, Machine: "a", Outage: OutageUpgrade}}}, PlanUpgradesNobody),
		},
		"AnnouncedBefore": {
			reason: "Of two that announce, the older resource begins.", members: []proxmox.ObservedVM{member(agt, "a", says("Upgrade announced"), func(vm *proxmox.ObservedVM) { vm.Metadata.CreationTimestamp = "2025-01-01T00:00:00Z" })},
			vm: says("Upgrade announced"), plan: aPlan(nextRelease), want: planned(waits(UpgradeWait{Reason: WaitOutage, Machine: "a", Outage: OutageUpgrade}), PlanUpgradesNobody),
		},
		"AnnouncedAfter": {
			reason: "The older one waits until the other one has taken it back.", members: []proxmox.ObservedVM{member(agt, "a", says("Upgrade announced"), func(vm *proxmox.ObservedVM) { vm.Metadata.CreationTimestamp = "2027-01-01T00:00:00Z" })},
			vm: says("Upgrade announced"), plan: aPlan(nextRelease), want: planned(waits(UpgradeWait{Reason: WaitAnnounced}), PlanUpgradesNobody), says: "Upgrade announced",
		},
		"AgentAway": {
			reason: "A node that is not well holds all.", members: []proxmox.ObservedVM{member(agt, "a")}, nodes: map[string]node.Node{"a": upgradeNode(nextRelease, silent)},
			want: waits(UpgradeWait{Reason: WaitAway, Machine: "a", Missing: MissingNotReady}),
		},
		"AgentOff": {
			reason: "One that its claim stops holds nobody.", members: []proxmox.ObservedVM{member(agt, "a", off)}, nodes: map[string]node.Node{"a": upgradeNode(nextRelease, silent)},
			want: planned(waits(UpgradeWait{Reason: WaitPlan}), PlanUpgradesNobody),
		},
		"ServerOff": {
			reason: "A server does.", members: []proxmox.ObservedVM{member(srv, "c", off), member(srv, "d")},
			want: waits(UpgradeWait{Reason: WaitAway, Machine: "c", Missing: MissingStopped}),
		},
		"ServerLearns": {
			reason: "Its vote counts.", members: []proxmox.ObservedVM{member(srv, "c"), member(srv, "d")}, nodes: map[string]node.Node{"c": upgradeNode(nextRelease, learner)},
			want: waits(UpgradeWait{Reason: WaitAway, Machine: "c", Missing: MissingVote}),
		},
		"ServerRestarts": {
			reason: "One at a time.", members: []proxmox.ObservedVM{member(srv, "c", says("Reboot begun")), member(srv, "d")},
			want: waits(UpgradeWait{Reason: WaitOutage, Machine: "c", Outage: OutageReboot}),
		},
		"OneOfTwo": {
			reason: "Two servers have no quorum without one.", members: []proxmox.ObservedVM{member(srv, "c")}, plan: aPlan(nextRelease),
			want: planned(Upgrade{State: UpgradeBlocked, Block: UpgradeBlockedByQuorum, Blocker: Blocker{Reason: BlockedByQuorum, Cluster: "home", Servers: 2, Ready: 1, Needed: 2}}, PlanUpgradesNobody),
		},
		"OneOfTwoForced": {
			reason: "A person can.", members: []proxmox.ObservedVM{member(srv, "c")}, plan: aPlan(nextRelease), claim: v1alpha1.Lifecycle{Force: "x"},
			want: running, says: "Upgrade begun",
		},
		"Cordoned": {reason: "The controller would uncordon it.", own: upgradeNode(runsRelease, cordoned), want: waits(UpgradeWait{Reason: WaitCordoned})},
		"Sick":     {reason: "It is not well itself.", own: upgradeNode(runsRelease, silent), want: waits(UpgradeWait{Reason: WaitOwnNode})},
		"Busy":     {reason: "Something else comes first.", busy: true, members: []proxmox.ObservedVM{member(srv, "c"), member(srv, "d")}, want: waits(UpgradeWait{Reason: WaitOwnOutage})},
		"BusyUnderCrossplane": {
			reason: "A restart that waits for a person keeps no upgrade from it.", busy: true,
			want: planned(Upgrade{State: UpgradeWaiting, Release: nextRelease, Waits: []UpgradeWait{{Reason: WaitPlan}}}, PlanUpgradesNobody),
		},
		"Drained": {reason: "Its claim keeps it drained.", claim: v1alpha1.Lifecycle{Drain: "x"}, members: []proxmox.ObservedVM{member(srv, "c"), member(srv, "d")}, want: waits(UpgradeWait{Reason: WaitOwnOutage}), says: "Drain announced"},
		"Older":   {reason: "No downgrade.", wanted: "v1.32.1+k3s1", want: Upgrade{State: UpgradeRefused, Refusal: RefusedOlder}},
		"Skip":    {reason: "No minor release is skipped.", wanted: "v1.35.1+k3s1", want: Upgrade{State: UpgradeRefused, Refusal: RefusedSkip}},
		"Etcd": {
			reason: "Etcd 3.6 would count removed members again.", wanted: "v1.34.2+k3s1",
			want: Upgrade{State: UpgradeRefused, Refusal: RefusedEtcd, Stop: "v1.33.7+k3s3"},
		},
		"EtcdRepaired": {
			reason: "Its etcd has forgotten the members that were removed.", own: upgradeNode("v1.33.7+k3s3"), wanted: "v1.34.2+k3s1",
			want: planned(Upgrade{State: UpgradeWaiting, Release: "v1.34.2+k3s1", Waits: []UpgradeWait{{Reason: WaitPlan}}}, PlanUpgradesNobody),
		},
		"EtcdUnknown": {
			reason: "Nobody knows which etcd it is, and the plan says so.", wanted: "v1.33.99+k3s1",
			want: planned(Upgrade{State: UpgradeWaiting, Release: "v1.33.99+k3s1", EtcdUnknown: true, Waits: []UpgradeWait{{Reason: WaitPlan}}}, PlanUpgradesNobody),
		},
		"AgentWithoutEtcd": {
			reason: "An agent has no member of etcd.", role: agt, wanted: "v1.34.2+k3s1",
			want: planned(Upgrade{State: UpgradeWaiting, Release: "v1.34.2+k3s1", Waits: []UpgradeWait{{Reason: WaitPlan}}}, PlanUpgradesNobody),
		},
		"EtcdLater": {
			reason: "What has begun ends with the release of the Plan.", wanted: "v1.34.2+k3s1", vm: says("Upgrade begun"), own: upgradeNode(runsRelease, silent),
			plan: aPlan(nextRelease, "b"), want: running, says: "Upgrade begun",
		},
		"Unread":     {reason: "Nobody can tell which is later.", wanted: "latest", want: Upgrade{State: UpgradeRefused, Refusal: RefusedUnreadable}},
		"OptedOut":   {reason: "A person's label.", own: upgradeNode(runsRelease, label("disabled")), want: Upgrade{State: UpgradeBlocked, Block: UpgradeBlockedByLabel}},
		"OtherLabel": {reason: "Other values say nothing.", own: upgradeNode(runsRelease, label("true")), want: planned(waits(UpgradeWait{Reason: WaitPlan}), PlanUpgradesNobody)},
		"OfAK3sCluster": {
			reason: "It takes turns of its own.", want: Upgrade{State: UpgradeBlocked, Block: UpgradeBlockedByCluster, Cluster: "lab"},
			members: []proxmox.ObservedVM{member(agt, "a", func(vm *proxmox.ObservedVM) { vm.Metadata.Labels[proxmox.CompositeLabel] = "lab" })},
		},
		"StrangersK3sCluster": {
			reason: "Who writes the cluster's name, and is no Node of it, keeps nobody from an upgrade.", plan: aPlan(nextRelease),
			members: []proxmox.ObservedVM{member(agt, "a", ofTeamB, func(vm *proxmox.ObservedVM) { vm.Metadata.Labels[proxmox.CompositeLabel] = "lab" })},
			want:    planned(waits(UpgradeWait{Reason: WaitAnnounced}), PlanUpgradesNobody), says: "Upgrade announced",
		},
		"StrangersOutage": {
			reason: "Nor by an outage that it announces.", plan: aPlan(nextRelease),
			members: []proxmox.ObservedVM{member(agt, "a", ofTeamB, func(vm *proxmox.ObservedVM) {
				vm.Metadata.Annotations = map[string]string{proxmox.OutageAnnotation: "Reboot begun"}
			})},
			want: planned(waits(UpgradeWait{Reason: WaitAnnounced}), PlanUpgradesNobody), says: "Upgrade announced",
		},
		"NodeOfOthersBehind": {
			reason: "A Node of another namespace has its turn first, and is not named.", plan: aPlan(nextRelease),
			members: []proxmox.ObservedVM{member(srv, "a", func(vm *proxmox.ObservedVM) { vm.Metadata.Labels[proxmox.NamespaceLabel] = "team-b" })},
			nodes:   map[string]node.Node{"a": upgradeNode(runsRelease)},
			want:    planned(waits(UpgradeWait{Reason: WaitBehind, Machine: AnotherClaim, Release: runsRelease}), PlanUpgradesNobody),
		},
		"NoController": {
			reason: "Nobody would carry out a Plan; it is not announced.", plan: unsynced(`no matches for kind "Plan"`),
			want: planned(Upgrade{State: UpgradeBlocked, Block: UpgradeBlockedByPlan, Sight: object.SightNoPlans}, PlanUpgradesNobody),
		},
		"BegunNoKind": {
			reason: "Nobody can write its Plan any more.", vm: says("Upgrade begun"), own: upgradeNode(runsRelease, silent), noKind: true,
			want: Upgrade{State: UpgradeBlocked, Block: UpgradeBlockedByNoKind}, says: "Upgrade begun",
		},
		"Goes on": {reason: "It is not back.", vm: says("Upgrade begun"), own: upgradeNode(runsRelease, silent), plan: aPlan(nextRelease, "b"), want: running, says: "Upgrade begun"},
		"StillCordoned": {
			reason: "The controller is not done.", vm: says("Upgrade begun"), own: upgradeNode(nextRelease, cordoned), plan: aPlan(nextRelease, "b"), want: running, says: "Upgrade begun",
		},
		"StillApplied": {
			reason: "The controller says so.", vm: says("Upgrade begun"), own: upgradeNode(nextRelease), want: running, says: "Upgrade begun",
			plan: func() *object.ObservedPlan {
				p := aPlan(nextRelease, "b")
				p.Status.AtProvider.Manifest.Status.Applying = []string{"b"}
				return p
			}(),
		},
		"Back": {reason: "It is over, and nothing is left.", vm: says("Upgrade begun"), own: upgradeNode(nextRelease), plan: aPlan(nextRelease, "b")},
		"TakenBack": {
			reason: "A Job may install the release of the Plan: the Plan keeps it.", wanted: runsRelease, vm: says("Upgrade begun"), own: upgradeNode(runsRelease, cordoned),
			plan: aPlan(nextRelease, "b"), want: running, says: "Upgrade begun",
		},
		"TakenBackInTime": {reason: "Nothing has happened.", wanted: runsRelease, vm: says("Upgrade begun"), plan: aPlan(nextRelease, "b"), want: Upgrade{Release: nextRelease}},
		"Later": {
			reason: "The Plan follows to a later release.", wanted: "v1.33.8+k3s1", vm: says("Upgrade begun"), own: upgradeNode(runsRelease, silent), plan: aPlan(nextRelease, "b"),
			want: planned(Upgrade{State: UpgradeRunning, Release: "v1.33.8+k3s1"}, PlanUpgrades), says: "Upgrade begun",
		},
		"Switched off": {reason: "The catalogue does not ask any more: the Plan goes, and the announcement.", none: true, vm: says("Upgrade begun"), plan: aPlan(nextRelease, "b")},
		"RestartWaits": {
			reason: "A Job is at work in the VM.", vm: says("Upgrade begun"), own: upgradeNode(runsRelease, silent), plan: aPlan(nextRelease, "b"), busy: true, want: running,
			says: "Upgrade begun", holds: PermissionRefused,
		},
		"RestartForced": {
			reason: "A person knows that the Job will not end.", vm: says("Upgrade begun"), own: upgradeNode(runsRelease, silent), plan: aPlan(nextRelease, "b"), busy: true,
			claim: v1alpha1.Lifecycle{Force: "x"}, want: running, says: "Reboot begun", holds: PermissionAnnounced,
		},
		"RestartOfAnAgentForced": {
			reason: "A value forces servers only.", role: agt, vm: says("Upgrade begun"), own: upgradeNode(runsRelease, silent), plan: aPlan(nextRelease, "b"), busy: true,
			claim: v1alpha1.Lifecycle{Force: "x"}, want: running, says: "Upgrade begun", holds: PermissionRefused,
		},
		"ForcedForNothing": {
			reason: "What it could force has begun: it is used up.", vm: says("Upgrade begun"), own: upgradeNode(runsRelease, silent), plan: aPlan(nextRelease, "b"),
			claim: v1alpha1.Lifecycle{Force: "x"}, want: running, says: "Upgrade begun", forced: []string{"x"},
		},
		"ForcedForAReplacement": {
			reason: "The value is for the replacement, which waits.", vm: says("Upgrade begun"), own: upgradeNode(runsRelease, silent), plan: aPlan(nextRelease, "b"), replace: "r",
			claim: v1alpha1.Lifecycle{Force: "x"}, want: running, says: "Upgrade begun",
		},
		"ForcedOfAnAgent": {
			reason: "It has nothing that a value could force.", role: agt, vm: says("Upgrade begun"), own: upgradeNode(runsRelease, silent), plan: aPlan(nextRelease, "b"),
			claim: v1alpha1.Lifecycle{Force: "x"}, want: running, says: "Upgrade begun",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := &Plan{Steps: map[string]Step{}}
			p.Machine = &machine.Machine{NICs: []machine.NIC{{}}, Power: v1alpha1.PowerRunning, Lifecycle: tc.claim, K3s: &machine.K3s{
				Role: cmp.Or(tc.role, srv), Cluster: "home", Observe: machine.ObserveHere, NodesConfig: "home", Version: cmp.Or(tc.wanted, nextRelease),
				SystemUpgrade: &machine.SystemUpgrade{},
			}}

			if tc.none {
				p.Machine.K3s.SystemUpgrade = nil
			}

			if tc.busy {
				p.Machine.Lifecycle.Reboot = "a"
			}

			own := tc.own
			if own.Status.NodeInfo.KubeletVersion == "" {
				own = upgradeNode(runsRelease)
			}

			vm := settledVM(func(vm *proxmox.ObservedVM) {
				vm.Metadata.CreationTimestamp, vm.Metadata.Name = "2026-01-01T00:00:00Z", "b"
				vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: nodesUUID}}
			})
			if tc.vm != nil {
				tc.vm(&vm)
			}

			p.Roles.Trigger = tc.replace
			p.Roles.Active, p.vm, p.State = FirstVM, vm, StateLiving
			p.Observed.VMs = map[string]proxmox.ObservedVM{FirstVM: vm}
			p.Node, p.Objects.Plan = ReadNode{Name: "b", Node: &own}, tc.plan
			p.Objects.NoKind = tc.noKind

			nodes := map[string]node.Node{}
			for _, m := range tc.members {
				nodes[m.Metadata.Name] = upgradeNode(cmp.Or(tc.wanted, nextRelease))
				if n, ok := tc.nodes[m.Metadata.Name]; ok {
					nodes[m.Metadata.Name] = n
				}

				if roleOf(m) == srv {
					p.Servers.VMs = append(p.Servers.VMs, m)
				}
			}

			p.Members = Servers{Known: true, VMs: tc.members, Reading: NodesRead, Nodes: nodes}
			p.Servers.Known, p.Servers.Reading, p.Servers.Nodes = true, NodesRead, nodes

			p.follow(Description{Parameters: vm.Spec.ForProvider})

			want := tc.want
			if !tc.none {
				want.Runs, want.Release = own.Status.NodeInfo.KubeletVersion, cmp.Or(want.Release, tc.wanted, nextRelease)
			}

			if want.Plan != nil {
				want.Release = cmp.Or(tc.want.Release, want.Plan.Release)
			}

			if diff := gocmp.Diff(want, p.Upgrade, cmpopts.IgnoreUnexported(Upgrade{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if got := p.Outage.Announcement.String(); !strings.HasPrefix(got, tc.says) || tc.says == "" && got != "" && !tc.busy {
				t.Errorf("%s\nwant announcement %q, got %q", tc.reason, tc.says, got)
			}

			if tc.holds != "" && (p.Outage.Decision.Permission != tc.holds || (tc.holds == PermissionRefused) != (p.Outage.Decision.Blocker.Reason == BlockedByUpgrade)) {
				t.Errorf("%s\nthe other outage: %+v", tc.reason, p.Outage.Decision)
			}

			if diff := gocmp.Diff(tc.forced, p.Outage.Forced, cmpopts.EquateEmpty()); diff != "" && p.Upgrade.stage == upgradeHolds {
				t.Errorf("%s\nused triggers of lifecycle.force: -want, +got:\n%s", tc.reason, diff)
			}

			if p.Outage.Is(OutageUpgrade) {
				t.Errorf("%s\nfor all else the upgrade is an outage: %+v", tc.reason, p.Outage)
			}
		})
	}
}

// TestBehind: the release that a node runs is that of the Node that is known to be its own; of no other one, and of none, anything follows.
func TestBehind(t *testing.T) {
	cases := map[string]struct {
		reason string
		is     Ownership
		wanted string
		runs   string
		want   bool
	}{
		"Older":   {reason: "It is to be upgraded.", is: OwnershipOurs, wanted: nextRelease, runs: runsRelease, want: true},
		"Current": {reason: "It was.", is: OwnershipOurs, wanted: runsRelease, runs: runsRelease},
		"Unnamed": {reason: "Nobody says to which release.", is: OwnershipOurs, runs: runsRelease},
		"Other":   {reason: "The Node of its name is another machine's.", is: OwnershipOther, wanted: nextRelease},
		"Unread":  {reason: "Nobody knows whose it is.", is: OwnershipUnread, wanted: nextRelease},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			own := upgradeNode(runsRelease)
			u := newUpgrader(&Situation{nodeOwner: &NodeOwner{Ownership: tc.is}, Request: Request{
				Machine: &machine.Machine{K3s: &machine.K3s{Version: tc.wanted}}, Node: ReadNode{Name: "b", Node: &own},
			}}, Drain{})

			if diff := gocmp.Diff([]any{tc.runs, tc.want}, []any{u.runs(), u.behind()}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
