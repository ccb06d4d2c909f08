package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestCheckReplacement: servers of one cluster announce what they are about to do, and wait for each other.
func TestCheckReplacement(t *testing.T) {
	born := func(vm proxmox.ObservedVM, at string) proxmox.ObservedVM {
		vm.Metadata.Name, vm.Metadata.CreationTimestamp = vm.Metadata.Labels[proxmox.CompositeLabel], at
		return vm
	}
	me := func() proxmox.ObservedVM { return born(server("me"), "2026-01-01T00:00:05Z") }
	announced := func(vm proxmox.ObservedVM, word string) proxmox.ObservedVM {
		return annotated(vm, proxmox.ReplacingAnnotation, word)
	}

	twice := func(vm proxmox.ObservedVM, keysAndValues ...string) proxmox.ObservedVM {
		vm = annotated(vm, keysAndValues[0], keysAndValues[1])
		vm.Metadata.Annotations[keysAndValues[2]] = keysAndValues[3]

		return vm
	}
	blocked := func(b Blocker) Decision { return Decision{Permission: PermissionRefused, Blocker: b} }
	announcedAlready, awaited := Decision{Permission: PermissionAnnounced}, Decision{Permission: PermissionAwaited}

	cases := map[string]struct {
		reason  string
		current proxmox.ObservedVM
		agent   bool
		force   string
		others  []proxmox.ObservedVM
		want    Decision
	}{
		"Agent": {reason: "Only servers have to ask.", current: me(), agent: true, want: Decision{Permission: PermissionGranted}},
		"First": {
			reason: "Others have to know first.", current: me(), others: []proxmox.ObservedVM{server("b"), server("c")}, want: awaited,
		},
		"Announced": {
			reason: "They could have known since the call before.", current: announced(me(), "a"), others: []proxmox.ObservedVM{server("b"), server("c")},
			want: announcedAlready,
		},
		"AnnouncedForAnother": {
			reason: "That was another word, which came to nothing.", current: announced(me(), "z"), others: []proxmox.ObservedVM{server("b"), server("c")},
			want: awaited,
		},
		"OlderOneToo": {
			reason: "The older one goes first, and this one takes back what it announced.", current: announced(me(), "a"),
			others: []proxmox.ObservedVM{announced(born(server("b"), "2026-01-01T00:00:04Z"), "a"), server("c")}, want: blocked(Blocker{Reason: BlockedByOtherServer, Cluster: "home", Server: "b", Outage: OutageReplacement}),
		},
		"YoungerOneToo": {
			reason: "The younger one takes it back; until it did, nothing is done.", current: announced(me(), "a"),
			others: []proxmox.ObservedVM{announced(born(server("b"), "2026-01-01T00:00:06Z"), "a"), server("c")}, want: awaited,
		},
		"AtTheSameTime": {
			reason: "Names decide where times do not.", current: announced(me(), "a"),
			others: []proxmox.ObservedVM{announced(born(server("a"), "2026-01-01T00:00:05Z"), "a"), server("c")}, want: blocked(Blocker{Reason: BlockedByOtherServer, Cluster: "home", Server: "a", Outage: OutageReplacement}),
		},
		"SameWordDone": {
			reason: "One commit gave all the same word; the first one has its VM, and nobody knows whether that has joined.", current: me(),
			others: []proxmox.ObservedVM{annotated(server("b"), proxmox.ReplaceTriggersAnnotation, "x,a"), server("c")}, want: blocked(Blocker{Reason: BlockedBySameTrigger, Cluster: "home", Server: "b"}),
		},
		"SameWordJoined": {
			reason: "Somebody said that the first one has joined, so one commit may ask for all.", current: announced(me(), "a"),
			others: []proxmox.ObservedVM{twice(server("b"), proxmox.ReplaceTriggersAnnotation, "x,a", proxmox.JoinedAnnotation, "a"), server("c")}, want: announcedAlready,
		},
		"AnotherWordJoined": {
			reason: "That was said of an earlier VM.", current: me(),
			others: []proxmox.ObservedVM{twice(server("b"), proxmox.ReplaceTriggersAnnotation, "x,a", proxmox.JoinedAnnotation, "x"), server("c")},
			want:   blocked(Blocker{Reason: BlockedBySameTrigger, Cluster: "home", Server: "b"}),
		},
		"AnotherReboots": {
			reason: "Whatever another one is away for, it is away; here the younger one, which began first.", current: announced(me(), "a"),
			others: []proxmox.ObservedVM{annotated(born(server("b"), "2026-01-01T00:00:06Z"), proxmox.OutageAnnotation, "Reboot begun"), server("c"), server("d"), server("e")},
			want:   blocked(Blocker{Reason: BlockedByOtherServer, Cluster: "home", Server: "b", Outage: OutageReboot}),
		},
		"AwayAlready": {
			reason:  "It was stopped for its replacement, and is not started again because an older one announced something meanwhile.",
			current: twice(me(), proxmox.ReplacingAnnotation, "a", proxmox.StoppedForAnnotation, StoppedForReplacement),
			others:  []proxmox.ObservedVM{annotated(born(server("b"), "2026-01-01T00:00:04Z"), proxmox.OutageAnnotation, "Reboot announced"), server("c")}, want: announcedAlready,
		},
		"Forced": {
			reason: "A person knows better.", current: me(), force: "now", others: []proxmox.ObservedVM{stopped(server("b")), stopped(server("c"))}, want: announcedAlready,
		},
		"ForcedBefore": {
			reason: "A value forces once.", current: annotated(me(), proxmox.ForceTriggersAnnotation, "now"), force: "now",
			others: []proxmox.ObservedVM{stopped(server("b")), server("c")},
			want:   blocked(Blocker{Reason: BlockedByQuorum, Cluster: "home", Servers: 3, Ready: 1, Needed: 2, Missing: []MissingServer{{Machine: "b", Reason: MissingStopped}}}),
		},
		"ForcedOnlyServer": {
			reason: "The cluster's state would be gone.", current: me(), force: "now", want: blocked(Blocker{Reason: BlockedByOnlyServer, Cluster: "home"}),
		},
		"OtherWordDone": {
			reason: "That was another time.", current: announced(me(), "a"),
			others: []proxmox.ObservedVM{annotated(server("b"), proxmox.ReplaceTriggersAnnotation, "x"), server("c")}, want: announcedAlready,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := CheckReplacement(tc.current, ReplacementRequest{Trigger: "a", Force: tc.force, Server: !tc.agent, Cluster: Cluster{Name: "home", OtherServers: tc.others}})

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheckReplacement(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNoTwoServersGoAtOnce: of any two servers that announced, and see each other's announcement, at most one goes on.
func TestNoTwoServersGoAtOnce(t *testing.T) {
	times := []string{"2026-01-01T00:00:04Z", "2026-01-01T00:00:05Z"}

	for _, born := range times {
		for _, other := range times {
			a, b := annotated(server("a"), proxmox.ReplacingAnnotation, "w"), annotated(server("b"), proxmox.ReplacingAnnotation, "w")
			a.Metadata.Name, a.Metadata.CreationTimestamp = "a", born
			b.Metadata.Name, b.Metadata.CreationTimestamp = "b", other

			va := CheckReplacement(a, ReplacementRequest{Trigger: "w", Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{b, server("c")}}})
			vb := CheckReplacement(b, ReplacementRequest{Trigger: "w", Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{a, server("c")}}})

			if refusedA, refusedB := va.Permission == PermissionRefused, vb.Permission == PermissionRefused; goesOn(va) || goesOn(vb) || refusedA == refusedB {
				t.Errorf("%s, %s: %+v and %+v", born, other, va, vb)
			}
		}
	}
}

// TestReplacementWithoutQuestions: what refuses a replacement of any VM, and cannot be forced.
func TestReplacementWithoutQuestions(t *testing.T) {
	blocked := func(b Blocker) Decision { return Decision{Permission: PermissionRefused, Blocker: b} }
	lost := settledVM(onNode("pve1"), unread)

	for name, tc := range map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		ask    ReplacementRequest
		want   Decision
	}{
		"Free":        {reason: "Nothing speaks against it.", vm: settledVM(), ask: ReplacementRequest{VMID: 101}, want: Decision{Permission: PermissionGranted}},
		"SameVMID":    {reason: "Two VMs cannot have one VMID.", vm: settledVM(), ask: ReplacementRequest{VMID: 100, Force: "now"}, want: blocked(Blocker{Reason: BlockedBySameVMID, VMID: 100})},
		"Crossplane":  {reason: "Nobody would make the new VM.", vm: settledVM(), ask: ReplacementRequest{RunsCrossplane: true, Force: "now"}, want: blocked(Blocker{Reason: BlockedByCrossplane, Outage: OutageReplacement})},
		"LostOther":   {reason: "It is on another node.", vm: lost, ask: ReplacementRequest{RunsCrossplane: true, Lost: "pve2"}, want: blocked(Blocker{Reason: BlockedByCrossplane, Outage: OutageReplacement})},
		"LostRunning": {reason: "It answers.", vm: settledVM(onNode("pve1")), ask: ReplacementRequest{RunsCrossplane: true, Lost: "pve1"}, want: blocked(Blocker{Reason: BlockedByCrossplane, Outage: OutageReplacement})},
		"Lost":        {reason: "Crossplane runs elsewhere by now.", vm: lost, ask: ReplacementRequest{RunsCrossplane: true, Lost: "pve1"}, want: Decision{Permission: PermissionGranted}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, CheckReplacement(tc.vm, tc.ask)); diff != "" {
				t.Errorf("%s\nCheckReplacement(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestApplyDecision: without permission there is no candidate, and one whose VMID was checked retires.
func TestApplyDecision(t *testing.T) {
	before := Roles{Active: FirstVM, Candidate: newVM, Trigger: "b", Triggers: []string{"a", "b"}}
	active := made("a")

	for name, tc := range map[string]struct {
		reason string
		d      Decision
		vms    vms
		want   Roles
	}{
		"Granted": {reason: "It goes on.", d: Decision{Permission: PermissionGranted}, vms: vms{FirstVM: active}, want: before},
		"Awaited": {reason: "It is prepared meanwhile.", d: Decision{Permission: PermissionAwaited}, vms: vms{FirstVM: active}, want: before},
		"Refused": {reason: "The claim describes the VM that there is.", d: RefuseForFaults(nil), vms: vms{FirstVM: active}, want: Roles{Active: FirstVM, Trigger: "b", Triggers: []string{"a"}}},
		"Checked": {
			reason: "What looked at a VMID goes.", d: RefuseForApproval(), vms: vms{FirstVM: active, newVM: looking(made("a", "b"))},
			want: Roles{Active: FirstVM, Trigger: "b", Triggers: []string{"a"}, Retired: []string{newVM}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.d.Apply(before, tc.vms)); diff != "" {
				t.Errorf("%s\nApply(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNeedsEdit: nobody is asked to approve a replacement that only an edit lets begin.
func TestNeedsEdit(t *testing.T) {
	for reason, want := range map[BlockReason]bool{
		"": false, BlockedBySameVMID: true, BlockedByFaults: true, BlockedByOnlyServer: true, BlockedBySameTrigger: true, BlockedByNoCluster: true, BlockedByCrossplane: true,
		BlockedByApproval: false, BlockedByQuorum: false, BlockedByOtherServer: false, BlockedByJoin: false,
	} {
		s := &Situation{Request: Request{Roles: Roles{Trigger: "a"}, Decision: Decision{Blocker: Blocker{Reason: reason}}}}
		if got := s.Decision.Blocker.NeedsEdit(); got != want || asksReplacement(s) == want {
			t.Errorf("%q: needs an edit: got %t, want %t", reason, got, want)
		}
	}
}

func goesOn(d Decision) bool {
	return d.Permission == PermissionGranted || d.Permission == PermissionAnnounced
}
