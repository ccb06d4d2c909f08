package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// votingNode with a system UUID.
func votingNode(uid string) node.Node {
	return node.Node{Status: node.Status{
		NodeInfo:   node.Info{SystemUUID: uid},
		Conditions: []node.Condition{{Type: "Ready", Status: "True"}, {Type: "EtcdIsVoter", Status: "True"}},
	}}
}

// TestMembersByVote: where Nodes are read, a server counts if it votes.
func TestMembersByVote(t *testing.T) {
	named := func(vm proxmox.ObservedVM) proxmox.ObservedVM {
		vm.Spec.ForProvider.Name = "Server-2"
		vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: nodesUUID}}

		return vm
	}
	with := func(change func(*node.Node)) map[string]node.Node {
		n := votingNode(nodesUUID)
		change(&n)

		return map[string]node.Node{"server-2": n}
	}
	condition := func(i int, status string) func(*node.Node) {
		return func(n *node.Node) { n.Status.Conditions[i].Status = status }
	}
	voting := with(func(*node.Node) {})

	cases := map[string]struct {
		reason  string
		vm      proxmox.ObservedVM
		nodes   map[string]node.Node
		outside bool // Whether the cluster has an external datastore.
		want    MissingReason
	}{
		"Votes":      {reason: "It is ready, and votes.", vm: named(server("b")), nodes: voting},
		"Unread":     {reason: "That Proxmox cannot be read says nothing of the vote.", vm: named(failing(server("b"))), nodes: voting},
		"Silent":     {reason: "Nor does a guest agent.", vm: named(speechless(server("b"))), nodes: voting},
		"Stopped":    {reason: "A Node stays Ready for a while after its host stopped.", vm: named(stopped(server("b"))), nodes: voting, want: MissingStopped},
		"Powerless":  {reason: "The provider has not told yet whether it runs, and its Node votes.", vm: named(stopped(untold(server("b")))), nodes: voting},
		"NoNode":     {reason: "A VM that is no node does not vote, however well it is.", vm: named(server("b")), want: MissingNode},
		"OtherNode":  {reason: "The Node is another machine's.", vm: named(server("b")), nodes: with(func(n *node.Node) { n.Status.NodeInfo.SystemUUID = otherUUID }), want: MissingNode},
		"Unproven":   {reason: "Nobody can tell whose Node it is.", vm: named(server("b")), nodes: with(func(n *node.Node) { n.Status.NodeInfo.SystemUUID = "" }), want: MissingNode},
		"OtherLabel": {reason: "Another machine's label is not known, and decides nothing.", vm: named(server("b")), nodes: with(func(n *node.Node) { n.Metadata.Labels = map[string]string{node.UIDLabel: otherUUID} })},
		"Leaving":    {reason: "K3s is removing its member.", vm: named(server("b")), nodes: with(func(n *node.Node) { n.Metadata.DeletionTimestamp = "2026-11-22T12:00:00Z" }), want: MissingNode},
		"NotReady":   {reason: "Its kubelet fails.", vm: named(server("b")), nodes: with(condition(0, "False")), want: MissingNotReady},
		"Down":       {reason: "Its host does not report, and the last word on its vote is old.", vm: named(server("b")), nodes: with(condition(0, "Unknown")), want: MissingNotReady},
		"NoVote":     {reason: "Its member is none, or a learner.", vm: named(server("b")), nodes: with(condition(1, "False")), want: MissingVote},
		"Outside":    {reason: "With another datastore nobody votes.", vm: named(server("b")), nodes: with(func(n *node.Node) { n.Status.Conditions = n.Status.Conditions[:1] }), outside: true},
		"OutsideNot": {reason: "And still it has to be ready.", vm: named(server("b")), nodes: with(condition(0, "False")), outside: true, want: MissingNotReady},
		"Outage": {
			reason: "An outage that has begun counts, although the Node does not show it yet.", nodes: voting, want: MissingOutage,
			vm: named(annotated(server("b"), proxmox.OutageAnnotation, "Reboot begun")),
		},
		"Joining": {
			reason: "A server that was replaced says itself when it has joined.", nodes: voting, want: MissingJoining,
			vm: named(annotated(server("b"), proxmox.JoiningAnnotation, "a")),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := Cluster{Name: "home", ExternalDatastore: tc.outside, OtherServers: []proxmox.ObservedVM{tc.vm}, Reading: NodesRead, Nodes: tc.nodes}

			var got MissingReason
			if _, missing := c.members(); len(missing) > 0 {
				got = missing[0].Reason
			}

			if got != tc.want {
				t.Errorf("%s\nmembers(): want missing for %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// untold is a VM of which the provider has told nothing yet.
func untold(vm proxmox.ObservedVM) proxmox.ObservedVM {
	vm.Status.AtProvider.ID = ""
	return vm
}

// TestTwoVMsOfOneServer are one server, which is what the more telling one of them says, whichever is read first.
func TestTwoVMsOfOneServer(t *testing.T) {
	joining := annotated(server("b"), proxmox.JoiningAnnotation, "a")

	cases := map[string]struct {
		reason      string
		one, other  proxmox.ObservedVM
		wantMissing []MissingServer
	}{
		"Ready":   {reason: "The one that is ready is the machine.", one: server("b"), other: stopped(server("b"))},
		"Joining": {reason: "The new one has not joined.", one: joining, other: stopped(server("b")), wantMissing: []MissingServer{{Machine: "b", Reason: MissingJoining, Trigger: "a"}}},
		"Both":    {reason: "Neither counts.", one: stopped(server("b")), other: speechless(server("b")), wantMissing: []MissingServer{{Machine: "b", Reason: MissingStopped}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, vms := range [][]proxmox.ObservedVM{{tc.one, tc.other}, {tc.other, tc.one}} {
				machines, missing := Cluster{Name: "home"}.count(vms)
				if diff := cmp.Diff(tc.wantMissing, missing); diff != "" || machines != 1 {
					t.Errorf("%s\ncount(): %d machines; missing: -want, +got:\n%s", tc.reason, machines, diff)
				}
			}
		})
	}
}

// TestJoinByVote: a server that replaced another one has joined when its Node votes.
func TestJoinByVote(t *testing.T) {
	cases := map[string]struct {
		reason string
		node   func() *node.Node
		change func(*Plan, *proxmox.ObservedVM)
		want   Join
	}{
		"Votes":  {reason: "Its own Node votes.", want: Join{Confirmed: "a"}},
		"NoNode": {reason: "It is no node yet.", node: func() *node.Node { return nil }, want: Join{Awaited: "a"}},
		"OldNode": {
			reason: "The Node of the VM that was replaced is there still.", want: Join{Awaited: "a"},
			node: func() *node.Node { n := votingNode(otherUUID); return &n },
		},
		"Learner": {
			reason: "Its member does not vote yet.", want: Join{Awaited: "a"},
			node: func() *node.Node { n := votingNode(nodesUUID); n.Status.Conditions[1].Status = "False"; return &n },
		},
		"NotReady": {
			reason: "Its kubelet is not ready.", want: Join{Awaited: "a"},
			node: func() *node.Node { n := votingNode(nodesUUID); n.Status.Conditions[0].Status = "Unknown"; return &n },
		},
		"ByAddress": {
			reason: "The address was the replaced VM's, too.", want: Join{Awaited: "a"},
			node: func() *node.Node {
				n := votingNode("")
				n.Status.Addresses = []node.Address{{Type: "InternalIP", Address: "192.168.4.211"}}

				return &n
			},
			change: func(_ *Plan, vm *proxmox.ObservedVM) {
				vm.Status.AtProvider.NetworkDevice = []proxmox.ObservedDevice{{MACAddress: "BC:24:11:00:00:53"}}
				vm.Status.AtProvider.MACAddresses = []string{"bc:24:11:00:00:53"}
				vm.Status.AtProvider.IPv4Addresses = [][]string{{"192.168.4.211"}}
			},
		},
		"CreatedAgain": {
			reason: "The VM that is gone had the same UUID, and its Node stays Ready for a while.", want: Join{Awaited: "a"},
			change: func(_ *Plan, vm *proxmox.ObservedVM) {
				vm.Metadata.Annotations[proxmox.RecreatedAnnotation] = "2026-11-22T12:00:00Z"
			},
		},
		"Outside": {
			reason: "With another datastore there is no vote.", want: Join{Confirmed: "a"},
			node: func() *node.Node {
				n := votingNode(nodesUUID)
				n.Status.Conditions = n.Status.Conditions[:1]
				return &n
			},
			change: func(p *Plan, _ *proxmox.ObservedVM) { p.Machine.K3s.Etcd = proxmox.EtcdOutside },
		},
		"BySomebody": {
			reason: "A person's word counts as it did.", node: func() *node.Node { return nil }, want: Join{Confirmed: "a"},
			change: func(p *Plan, _ *proxmox.ObservedVM) { p.Machine.Lifecycle.Joined = "a" },
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := server("server-1")
			vm.Metadata.Annotations[proxmox.JoiningAnnotation] = "a"
			vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: nodesUUID}}

			p := &Plan{Situation: Situation{Request: Request{
				Machine: &machine.Machine{K3s: &machine.K3s{Role: v1alpha1.K3sServer}}, Roles: Roles{Active: FirstVM}, Node: ReadNode{Name: "server-1"},
			}}}

			if tc.change != nil {
				tc.change(p, &vm)
			}

			p.vm, p.Observed.VMs = vm, map[string]proxmox.ObservedVM{FirstVM: vm}

			n := votingNode(nodesUUID)
			p.Node.Node = &n

			if tc.node != nil {
				p.Node.Node = tc.node()
			}

			if diff := cmp.Diff(tc.want, join(&p.Situation)); diff != "" {
				t.Errorf("%s\njoin(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
