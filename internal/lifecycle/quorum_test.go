package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// server is another server's VM that is ready.
func server(name string) proxmox.ObservedVM {
	vm := proxmox.ObservedVM{}
	vm.Metadata.Namespace = "infra"
	vm.Metadata.Labels = map[string]string{proxmox.CompositeLabel: name, proxmox.MachineLabel: name, proxmox.ClusterLabel: "home"}
	vm.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "101"}
	vm.Status.AtProvider.ID, vm.Status.AtProvider.Started = "101", true
	vm.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "True"}}

	return vm
}

func stopped(vm proxmox.ObservedVM) proxmox.ObservedVM {
	vm.Status.AtProvider.Started = false
	return vm
}

func failing(vm proxmox.ObservedVM) proxmox.ObservedVM {
	vm.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "False"}}
	return vm
}

// speechless is a VM whose guest agent does not answer.
func speechless(vm proxmox.ObservedVM) proxmox.ObservedVM {
	vm.Spec.ForProvider.Agent = []proxmox.Agent{{Enabled: true}}

	return vm
}

// annotated is a VM with one annotation more.
func annotated(vm proxmox.ObservedVM, key, value string) proxmox.ObservedVM {
	vm.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: vm.Metadata.ExternalName(), key: value}
	return vm
}

func TestBlocked(t *testing.T) {
	current := made()
	other := func(id int64) proxmox.ObservedVM {
		vm := made()
		vm.Spec.ForProvider.VMID = &id

		return vm
	}
	making := func(name string) proxmox.ObservedVM {
		return annotated(server(name), proxmox.CandidateAnnotation, "true")
	}
	leaving := func(name string) proxmox.ObservedVM {
		return annotated(server(name), proxmox.StoppedForAnnotation, "replacement")
	}

	quorum := func(servers, ready, needed int, missing ...MissingServer) Blocker {
		return Blocker{Reason: BlockedByQuorum, Cluster: "home", Servers: servers, Ready: ready, Needed: needed, Missing: missing}
	}
	down := func(name string) MissingServer { return MissingServer{Machine: name, Reason: MissingStopped} }

	cases := map[string]struct {
		reason  string
		current proxmox.ObservedVM
		request ReplacementRequest
		want    Blocker // Zero: it may begin.
	}{
		"Machine": {reason: "Nothing speaks against it.", current: current},
		"SameNumber": {
			reason: "Two VMs cannot have one number.", current: other(153), request: ReplacementRequest{VMID: 153}, want: Blocker{Reason: BlockedBySameVMID, VMID: 153},
		},
		"NumberOfProxmox": {
			reason: "The old one's number may be one that Proxmox chose.", current: current, request: ReplacementRequest{VMID: 153}, want: Blocker{Reason: BlockedBySameVMID, VMID: 153},
		},
		"OtherNumber": {reason: "With another number they can be side by side.", current: other(153), request: ReplacementRequest{VMID: 154}},
		"NoCluster": {
			reason: "Nobody can count the servers of a cluster without a name.", current: current, request: ReplacementRequest{Server: true}, want: Blocker{Reason: BlockedByNoCluster},
		},
		"OneServer": {
			reason: "The only server holds the state.", current: current, request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home"}}, want: Blocker{Reason: BlockedByOnlyServer, Cluster: "home"},
		},
		"OneServerWithDatastore": {
			reason:  "Its state is elsewhere, but its cluster would stand still, and no server can join one that does.",
			current: current, request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", ExternalDatastore: true}}, want: Blocker{Reason: BlockedByOnlyServer, Cluster: "home"},
		},
		"TwoServers": {
			reason: "An etcd of two stands still without one.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{server("b")}}}, want: quorum(2, 1, 2),
		},
		"TwoServersWithDatastore": {
			reason: "Without etcd one server is enough.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", ExternalDatastore: true, OtherServers: []proxmox.ObservedVM{server("b")}}},
		},
		"TwoServersWithDatastoreUnready": {
			reason: "But it has to be there.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", ExternalDatastore: true, OtherServers: []proxmox.ObservedVM{stopped(server("b"))}}}, want: quorum(2, 0, 1, down("b")),
		},
		"ThreeServers": {
			reason: "Two of three are a quorum.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{server("b"), server("c")}}},
		},
		"ThreeServersOneStopped": {
			reason: "One of three is none.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{server("b"), stopped(server("c"))}}}, want: quorum(3, 1, 2, down("c")),
		},
		"ThreeServersOneFailing": {
			reason: "Nobody knows how it is with a server that the provider cannot read.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{server("b"), failing(server("c"))}}}, want: quorum(3, 1, 2, MissingServer{Machine: "c", Reason: MissingUnread}),
		},
		"ThreeServersOneReplaced": {
			reason: "A server that was just made has not joined yet, and the one before it is stopped.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{server("b"), stopped(leaving("c")), making("c")}}}, want: quorum(3, 1, 2, MissingServer{Machine: "c", Reason: MissingOutage}),
		},
		"ThreeServersOneGoes": {
			reason: "A server that is about to stop counts no more.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{server("b"), leaving("c")}}}, want: quorum(3, 1, 2, MissingServer{Machine: "c", Reason: MissingOutage}),
		},
		"ThreeServersOneHasTwoVMs": {
			reason: "A server with two VMs counts once.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{server("b"), server("b"), stopped(server("c"))}}}, want: quorum(3, 1, 2, down("c")),
		},
		"FourServersOneStopped": {
			reason: "Four need three.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{server("b"), server("c"), stopped(server("d"))}}}, want: quorum(4, 2, 3, down("d")),
		},
		"ThreeServersOneSilent": {
			reason: "A VM that is switched on is no member where its guest agent reports no address.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{server("b"), speechless(server("c"))}}},
			want:    quorum(3, 1, 2, MissingServer{Machine: "c", Reason: MissingSilent}),
		},
		"ThreeServersOneUnjoined": {
			reason: "A VM that replaced a server may run and answer, and be no member of etcd.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{server("b"), annotated(server("c"), proxmox.JoiningAnnotation, "x")}}},
			want:    quorum(3, 1, 2, MissingServer{Machine: "c", Reason: MissingJoining, Trigger: "x"}),
		},
		"FiveServersOneUnjoined": {
			reason: "There would be a quorum; but two servers are never replaced before the first one is seen to have joined.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{
				server("b"), server("d"), server("e"), annotated(server("c"), proxmox.JoiningAnnotation, "x"),
			}}},
			want: Blocker{Reason: BlockedByJoin, Cluster: "home", Server: "c", Trigger: "x"},
		},
		"FiveServers": {
			reason: "Five can do without one, and without another one.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{server("b"), server("c"), server("d"), stopped(server("e"))}}},
		},
		"FiveServersTwoStopped": {
			reason: "Not without a third.", current: current,
			request: ReplacementRequest{Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{server("b"), server("c"), stopped(server("d")), stopped(server("e"))}}}, want: quorum(5, 2, 3, down("d"), down("e")),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, CheckReplacement(tc.current, tc.request).Blocker); diff != "" {
				t.Errorf("%s\nCheckReplacement(): blocker: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPermitToLeave: the drain before a removal is judged by what remains, not by a quorum that the removal itself takes.
func TestPermitToLeave(t *testing.T) {
	short := func(servers, ready, needed int) Decision {
		missing := []MissingServer{{Machine: "c", Reason: MissingStopped}}
		return refuse(Blocker{Reason: BlockedByQuorum, Cluster: "home", Servers: servers, Ready: ready, Needed: needed, Missing: missing, Leaves: true})
	}

	for name, tc := range map[string]struct {
		reason string
		others []proxmox.ObservedVM
		want   Decision
	}{
		"TwoToOne":    {"One that remains is a majority of one.", []proxmox.ObservedVM{server("b")}, Decision{Permission: PermissionAwaited}},
		"ThreeToTwo":  {"Both are ready.", []proxmox.ObservedVM{server("b"), server("d")}, Decision{Permission: PermissionAwaited}},
		"OneOfTwo":    {"Two that remain need each other.", []proxmox.ObservedVM{server("b"), stopped(server("c"))}, short(2, 1, 2)},
		"NoneOfOne":   {"Nobody would remain.", []proxmox.ObservedVM{stopped(server("c"))}, short(1, 0, 1)},
		"TwoOfThree":  {"A majority.", []proxmox.ObservedVM{server("b"), server("d"), stopped(server("c"))}, Decision{Permission: PermissionAwaited}},
		"AnotherAway": {"One at a time.", []proxmox.ObservedVM{server("b"), annotated(server("d"), proxmox.OutageAnnotation, "Reboot begun"), server("e")}, refuse(Blocker{Reason: BlockedByOtherServer, Cluster: "home", Server: "d", Outage: OutageReboot})},
	} {
		t.Run(name, func(t *testing.T) {
			got := Cluster{Name: "home", OtherServers: tc.others}.permitToLeave(server("a"), false)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
