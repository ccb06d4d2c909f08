package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// of another namespace than the cluster's servers in infra.
func of(namespace string, vm proxmox.ObservedVM) proxmox.ObservedVM {
	vm.Metadata.Namespace = namespace
	vm.Metadata.Labels[proxmox.NamespaceLabel] = namespace

	return vm
}

// seenAsNode is a VM whose Node was proven in an earlier call.
func seenAsNode(vm proxmox.ObservedVM) proxmox.ObservedVM {
	return annotated(vm, proxmox.NodeJoinedAnnotation, string(NodeJoinSeen))
}

// TestStrangers is what servers of other namespaces, which name a cluster of the catalogue in their claims, may do to a server of the namespace infra that
// is to restart, or to be replaced.
func TestStrangers(t *testing.T) {
	infra := func(name string) proxmox.ObservedVM { return of("infra", server(name)) }
	stranger := func(name string) proxmox.ObservedVM { return of("team-b", server(name)) }
	all := func(vms ...proxmox.ObservedVM) []proxmox.ObservedVM { return vms }
	identified := func(uid string, vm proxmox.ObservedVM) proxmox.ObservedVM {
		vm.Spec.ForProvider.Name = vm.Metadata.Labels[proxmox.MachineLabel]
		vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: uid}}

		return vm
	}
	down := func(names ...string) (out []MissingServer) {
		for _, n := range names {
			out = append(out, MissingServer{Machine: n, Reason: MissingStopped})
		}

		return out
	}
	short := func(servers, ready, needed, strangers int, missing ...MissingServer) Blocker {
		return Blocker{Reason: BlockedByQuorum, Cluster: "home", Servers: servers, Ready: ready, Needed: needed, Missing: missing, Strangers: strangers}
	}
	held := func(by int, b Blocker) Blocker {
		b.Holding = by

		return b
	}
	only := func(strangers int) Blocker {
		return Blocker{Reason: BlockedByOnlyServer, Cluster: "home", Strangers: strangers}
	}
	nodes := map[string]node.Node{"b": votingNode(nodesUUID), "c": votingNode(otherUUID)}

	type want struct{ Restart, Replace Blocker }

	cases := map[string]struct {
		reason string
		named  []string
		nodes  map[string]node.Node // Nil: nobody reads Nodes.
		others []proxmox.ObservedVM
		want   want
	}{
		"Own": {reason: "Nothing of this concerns a cluster of one namespace.", others: all(infra("b"), infra("c"))},
		"OwnDown": {
			reason: "As ever.", others: all(infra("b"), stopped(infra("c"))), want: want{short(3, 1, 2, 0, down("c")...), short(3, 1, 2, 0, down("c")...)},
		},
		"StrangersWell": {
			reason: "Somebody's three servers do not outvote the server that is down.",
			others: all(infra("b"), stopped(infra("c")), stranger("x"), stranger("y"), stranger("z")),
			want:   want{short(3, 1, 2, 3, down("c")...), short(3, 1, 2, 3, down("c")...)},
		},
		"StrangersWellAllWell": {reason: "The cluster's own servers suffice.", others: all(infra("b"), infra("c"), stranger("x"))},
		"StrangersOfOne": {
			reason: "The only server restarts without asking. It is never replaced for strangers' word that they have its state.", others: all(stranger("x"), stranger("y"), stranger("z")), want: want{Replace: only(3)},
		},
		"StrangersOfTwo": {
			reason: "Nobody can tell two servers and a stranger from three servers in two namespaces, whose restart is what it was; but a member of etcd that goes for good is another matter.",
			others: all(infra("b"), stranger("x")), want: want{Replace: short(2, 1, 2, 1)},
		},
		"StrangersStopped": {
			reason: "They may be servers, and a wait is safer, until the catalogue names namespaces.", others: all(infra("b"), infra("c"), stopped(stranger("x")), stopped(stranger("y"))),
			want: want{held(2, short(5, 2, 3, 0, down(AnotherClaim, AnotherClaim)...)), held(2, short(5, 2, 3, 0, down(AnotherClaim, AnotherClaim)...))},
		},
		"StrangersOfSeveralStopped": {
			reason: "While nothing of the cluster's own is missing, the one that is well counts, too; for what cannot be undone it does not.",
			others: all(infra("b"), stranger("x"), stopped(stranger("y")), stopped(stranger("z"))),
			want:   want{held(2, short(5, 2, 3, 0, down(AnotherClaim, AnotherClaim)...)), held(2, short(4, 1, 3, 1, down(AnotherClaim, AnotherClaim)...))},
		},
		"StrangersStoppedNamed": {reason: "The catalogue says that they are none.", named: []string{"infra"}, others: all(infra("b"), infra("c"), stopped(stranger("x")), stopped(stranger("y")))},
		"StrangersWellNamed": {
			reason: "Nor do they count.", named: []string{"infra"}, others: all(infra("b"), stopped(infra("c")), stranger("x"), stranger("y"), stranger("z")),
			want: want{short(3, 1, 2, 0, down("c")...), short(3, 1, 2, 0, down("c")...)},
		},
		"StrangersOutage": {
			reason: "While they may be servers, what is away is missing.", others: all(infra("b"), infra("c"), annotated(stranger("x"), proxmox.OutageAnnotation, "Reboot begun")),
			want: want{held(1, short(4, 2, 3, 0, MissingServer{Machine: AnotherClaim, Reason: MissingOutage})), held(1, short(4, 2, 3, 0, MissingServer{Machine: AnotherClaim, Reason: MissingOutage}))},
		},
		"StrangersOutageNamed": {reason: "Nobody waits for who is none.", named: []string{"infra"}, others: all(infra("b"), infra("c"), annotated(stranger("x"), proxmox.OutageAnnotation, "Reboot begun"))},
		"TwoNamespaces": {
			reason: "A cluster that runs over two namespaces restarts as before. A replacement, which is a birth, asks for the names.",
			others: all(stranger("b"), stranger("c")), want: want{Replace: only(2)},
		},
		"TwoNamespacesNamed":   {reason: "With its name in the catalogue, it is as if it were one.", named: []string{"team-*"}, others: all(stranger("b"), stranger("c"))},
		"TwoNamespacesNoMatch": {reason: "A pattern is of the whole name.", named: []string{"team", "x-*"}, others: all(infra("b"), infra("c"), stopped(stranger("x")), stopped(stranger("y")))},
		"TwoNamespacesDownNamed": {
			reason: "And what is down there counts as missing.", named: []string{"team-b"}, others: all(infra("b"), stopped(stranger("c"))),
			want: want{short(3, 1, 2, 0, down(AnotherClaim)...), short(3, 1, 2, 0, down(AnotherClaim)...)},
		},
		"TwoNamespacesTold": {
			reason: "Where the catalogue names both, one is told the machines of the other.", named: []string{"infra", "team-b"}, others: all(infra("b"), stopped(stranger("c"))),
			want: want{short(3, 1, 2, 0, down("c")...), short(3, 1, 2, 0, down("c")...)},
		},
		"FiveOneDown": {
			reason: "The price without the key: while one of a's own namespace is down, the two of another namespace do not count.",
			others: all(infra("b"), stopped(infra("c")), stranger("d"), stranger("e")), want: want{short(3, 1, 2, 2, down("c")...), short(3, 1, 2, 2, down("c")...)},
		},
		"FiveOneDownNamed": {reason: "The way out.", named: []string{"team-b"}, others: all(infra("b"), stopped(infra("c")), stranger("d"), stranger("e"))},
		"NoNamespace":      {reason: "What is composed in no namespace is the platform's.", others: all(infra("b"), server("c"))},
		"NodesStrangersWell": {
			reason: "A VM that is no Node of the cluster is no server, however well it is.", nodes: map[string]node.Node{"b": votingNode(nodesUUID)},
			others: all(identified(nodesUUID, infra("b")), identified(otherUUID, infra("c")), identified("f1d2a1b4-0000-4000-8000-000000000001", stranger("x")), identified("f1d2a1b4-0000-4000-8000-000000000002", stranger("y"))),
			want: want{
				short(3, 1, 2, 0, MissingServer{Machine: "c", Reason: MissingNode}),
				short(3, 1, 2, 0, MissingServer{Machine: "c", Reason: MissingNode}),
			},
		},
		"NodesStrangersStopped": {
			reason: "And it holds nobody.", nodes: nodes,
			others: all(identified(nodesUUID, infra("b")), identified(otherUUID, infra("c")), stopped(stranger("x")), stopped(stranger("y"))),
		},
		"NodesStrangersName": {
			reason: "A VM with the name of a Node is not that Node.", nodes: nodes,
			others: all(identified(nodesUUID, infra("b")), identified(otherUUID, infra("c")), stopped(identified("f1d2a1b4-0000-4000-8000-000000000001", stranger("b")))),
		},
		"NodesTwoNamespaces": {
			reason: "A server of another namespace whose Node is proven counts, without the key.", nodes: nodes,
			others: all(identified(nodesUUID, infra("b")), identified(otherUUID, stranger("c"))),
		},
		"NodesTwoNamespacesNotNamed": {
			reason: "Also where the catalogue forgot its namespace: it is a member of etcd.", named: []string{"infra"}, nodes: nodes,
			others: all(identified(nodesUUID, infra("b")), stopped(identified(otherUUID, stranger("c")))), want: want{short(3, 1, 2, 0, down(AnotherClaim)...), short(3, 1, 2, 0, down(AnotherClaim)...)},
		},
		"NodesTwoNamespacesOnceProven": {
			reason: "A server whose Node was proven, and is gone, is missing.", nodes: map[string]node.Node{"b": votingNode(nodesUUID)},
			others: all(identified(nodesUUID, infra("b")), seenAsNode(identified(otherUUID, stranger("c")))),
			want:   want{short(3, 1, 2, 0, MissingServer{Machine: AnotherClaim, Reason: MissingNode}), short(3, 1, 2, 0, MissingServer{Machine: AnotherClaim, Reason: MissingNode})},
		},
		"NodesNamed": {
			reason: "The catalogue vouches for a server that has not joined yet.", named: []string{"team-b"}, nodes: map[string]node.Node{"b": votingNode(nodesUUID)},
			others: all(identified(nodesUUID, infra("b")), identified(otherUUID, stranger("c"))),
			want:   want{short(3, 1, 2, 0, MissingServer{Machine: AnotherClaim, Reason: MissingNode}), short(3, 1, 2, 0, MissingServer{Machine: AnotherClaim, Reason: MissingNode})},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := Servers{Known: true, VMs: tc.others, Nodes: tc.nodes}
			if tc.nodes != nil {
				s.Reading = NodesRead
			}

			c := s.Of(Kin{Namespace: "infra", Named: tc.named}, "home", "")
			got := want{
				Restart: c.permit(infra("a"), false).Blocker,
				Replace: CheckReplacement(infra("a"), ReplacementRequest{Trigger: "x", Server: true, Cluster: c}).Blocker,
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStrangersUpgrade: a replacement that an earlier release has begun ends, in a cluster over two namespaces that the catalogue does not name.
func TestStrangersUpgrade(t *testing.T) {
	others := []proxmox.ObservedVM{of("team-b", server("b")), of("team-b", server("c"))}
	for name, tc := range map[string]struct {
		reason string
		active proxmox.ObservedVM
		want   Decision
	}{
		"Stopped": {"The VM is stopped for the new one already.", annotated(of("infra", server("a")), proxmox.StoppedForAnnotation, StoppedForReplacement), Decision{Permission: PermissionAnnounced}},
		"Announced": {
			"Nothing has begun.", annotated(of("infra", server("a")), proxmox.ReplacingAnnotation, "x"),
			refuse(Blocker{Reason: BlockedByOnlyServer, Cluster: "home", Strangers: 2}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := Servers{Known: true, VMs: others}.Of(Kin{Namespace: "infra"}, "home", "")
			got := CheckReplacement(tc.active, ReplacementRequest{Trigger: "x", Server: true, Cluster: c})

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStrangersAndRemoval: a member of etcd that goes does not come back, so that no stranger's healthy VM lets it go.
func TestStrangersAndRemoval(t *testing.T) {
	stopped := of("infra", server("b"))
	stopped.Spec.ForProvider.Started, stopped.Status.AtProvider.Started = false, false

	cases := map[string]struct {
		reason string
		others []proxmox.ObservedVM
		want   BlockReason
	}{
		"OnlyStrangers": {"It is the only server that is known for certain.", []proxmox.ObservedVM{of("team-b", server("b")), of("team-b", server("c"))}, BlockedByOnlyServer},
		"OneIsDown":     {"A stranger's VM makes up for none that is down.", []proxmox.ObservedVM{stopped, of("infra", server("c")), of("team-b", server("d"))}, BlockedByQuorum},
		"Two":           {"Two of its own namespace are a majority of themselves.", []proxmox.ObservedVM{of("infra", server("b")), of("infra", server("c")), of("team-b", server("d"))}, ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := (Servers{Known: true, VMs: tc.others}).Of(Kin{Namespace: "infra"}, "home", proxmox.EtcdMember).removal(); got.Reason != tc.want {
				t.Errorf("%s\nwant %q, got %+v", tc.reason, tc.want, got)
			}
		})
	}
}
