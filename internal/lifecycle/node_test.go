package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	nodesUUID = "7f3c8f0e-5a44-5b39-9d0e-5f7c2f2f8a11"
	otherUUID = "00112233-4455-6677-8899-aabbccddeeff"
)

func TestOwnerOf(t *testing.T) {
	id := machine.Identity{Kind: "K3sNode", Namespace: "infra", Name: "server-1", UID: "3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a13"}
	candidate := lineOf(id).NameFor("a")

	// vm that lives, with the UUID that was written, the one that Proxmox has, and an address.
	vm := func(written, seen, address string) proxmox.ObservedVM {
		var o proxmox.ObservedVM

		o.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "100"}
		o.Status.AtProvider.ID = "100"
		o.Status.Conditions = []proxmox.Condition{{Type: proxmox.ConditionReady, Status: "True"}}

		if written != "" {
			o.Spec.ForProvider.SMBIOS = []proxmox.SMBIOS{{UUID: written}}
		}

		if seen != "" {
			o.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: seen}}
		}

		if address != "" {
			o.Status.AtProvider.NetworkDevice = []proxmox.ObservedDevice{{MACAddress: "BC:24:11:00:00:53"}}
			o.Status.AtProvider.MACAddresses = []string{"bc:24:11:00:00:53"}
			o.Status.AtProvider.IPv4Addresses = [][]string{{address}}
		}

		return o
	}
	observing := func(o proxmox.ObservedVM) proxmox.ObservedVM {
		o.Spec.ManagementPolicies = proxmox.ObserveOnly()

		return o
	}
	aNode := func(systemUUID, label, address string) *node.Node {
		n := &node.Node{}
		n.Status.NodeInfo.SystemUUID = systemUUID

		if label != "" {
			n.Metadata.Labels = map[string]string{node.UIDLabel: label}
		}

		if address != "" {
			n.Status.Addresses = []node.Address{{Type: "InternalIP", Address: address}}
		}

		return n
	}
	first := func(o proxmox.ObservedVM) map[string]proxmox.ObservedVM {
		return map[string]proxmox.ObservedVM{FirstVM: o}
	}

	cases := map[string]struct {
		reason string
		node   *node.Node
		vms    map[string]proxmox.ObservedVM
		roles  Roles
		adopt  *v1alpha1.Adopt
		want   NodeOwner
	}{
		"NoNode": {reason: "There is none of the name.", vms: first(vm(nodesUUID, nodesUUID, "")), want: NodeOwner{Ownership: OwnershipNone}},
		"NoVM": {
			reason: "Before there is a VM, a Node of its name is another machine's, whatever it says.", node: aNode("", id.UUID(FirstVM), ""),
			want: NodeOwner{Ownership: OwnershipOther, Proof: ProofNoVM},
		},
		"OnlyChecked": {
			reason: "A VM that has the VMID that is checked is somebody else's.", node: aNode(nodesUUID, "", ""), vms: first(observing(vm("", nodesUUID, ""))),
			want: NodeOwner{Ownership: OwnershipOther, Proof: ProofNoVM},
		},
		"ToBeAdopted": {
			reason: "A VM that is to be adopted is a node already.", node: aNode(nodesUUID, "", ""), vms: first(observing(vm("", nodesUUID, ""))),
			adopt: &v1alpha1.Adopt{VMID: 100}, want: NodeOwner{OwnershipOurs, ProofUUID, FirstVM},
		},
		"UUID": {
			reason: "The kubelet reports the UUID of the VM, in whatever case.", node: aNode("7F3C8F0E-5A44-5B39-9D0E-5F7C2F2F8A11", "", ""),
			vms: first(vm(nodesUUID, nodesUUID, "")), want: NodeOwner{OwnershipOurs, ProofUUID, FirstVM},
		},
		"UUIDNotReported": {
			reason: "Before the provider has reported the VM, what was written counts.", node: aNode(nodesUUID, "", ""),
			vms: first(vm(nodesUUID, "", "")), want: NodeOwner{OwnershipOurs, ProofUUID, FirstVM},
		},
		"UUIDOfAVMOfAnEarlierRelease": {
			reason: "Nothing was written for it, and Proxmox has one.", node: aNode(nodesUUID, "", ""),
			vms: first(vm("", nodesUUID, "")), want: NodeOwner{OwnershipOurs, ProofUUID, FirstVM},
		},
		"OtherUUID": {
			reason: "Another UUID decides, also where label and address are the VM's: a stale Node keeps both.",
			node:   aNode(otherUUID, id.UUID(FirstVM), "192.168.4.211"), vms: first(vm(nodesUUID, nodesUUID, "192.168.4.211")),
			want: NodeOwner{Ownership: OwnershipOther, Proof: ProofUUID},
		},
		"UUIDEditedInProxmox": {
			reason: "Nobody can tell with which of two it runs: the label decides.", node: aNode(nodesUUID, id.UUID(FirstVM), ""),
			vms: first(vm(nodesUUID, otherUUID, "")), want: NodeOwner{OwnershipOurs, ProofLabel, FirstVM},
		},
		"MachineID": {
			reason: "A guest without SMBIOS reports its machine ID, which is no UUID of a VM.", node: aNode("7f3c8f0e5a445b399d0e5f7c2f2f8a12", id.UUID(FirstVM), ""),
			vms: first(vm(nodesUUID, nodesUUID, "")), want: NodeOwner{OwnershipOurs, ProofLabel, FirstVM},
		},
		"NoUUID": {
			reason: "Nor are zeros.", node: aNode("00000000-0000-0000-0000-000000000000", id.UUID(FirstVM), ""),
			vms: first(vm(nodesUUID, nodesUUID, "")), want: NodeOwner{OwnershipOurs, ProofLabel, FirstVM},
		},
		"OtherLabel": {
			reason: "The label of another VM decides before the address, which the VM may have taken from it.", node: aNode("", otherUUID, "192.168.4.211"),
			vms: first(vm(nodesUUID, nodesUUID, "192.168.4.211")), want: NodeOwner{Ownership: OwnershipOther, Proof: ProofLabel},
		},
		"Address": {
			reason: "An adopted VM has neither, and its address tells.", node: aNode("", "", "192.168.4.211"), vms: first(vm("", "", "192.168.4.211")),
			want: NodeOwner{OwnershipOurs, ProofAddress, FirstVM},
		},
		"OtherAddress": {
			reason: "Another address proves nothing: K3s may use an interface that the guest agent does not report.",
			node:   aNode("", "", "192.168.4.212"), vms: first(vm("", "", "192.168.4.211")), want: NodeOwner{Ownership: OwnershipUnproven},
		},
		"Silent": {
			reason: "Without any of them nobody can tell.", node: aNode("", "", ""), vms: first(vm("", "", "")), want: NodeOwner{Ownership: OwnershipUnproven},
		},
		"Candidate": {
			reason: "While a VM is replaced, the Node may be its candidate's.", node: aNode(otherUUID, "", ""), roles: Roles{Candidate: candidate},
			vms:  map[string]proxmox.ObservedVM{FirstVM: vm(nodesUUID, nodesUUID, ""), candidate: vm(otherUUID, otherUUID, "")},
			want: NodeOwner{OwnershipOurs, ProofUUID, candidate},
		},
		"Retired": {
			reason: "The Node of a VM that was replaced keeps the name from the VM that replaced it.", node: aNode(nodesUUID, "", ""),
			roles: Roles{Active: candidate, Retired: []string{FirstVM}},
			vms:   map[string]proxmox.ObservedVM{FirstVM: vm(nodesUUID, nodesUUID, ""), candidate: vm(otherUUID, otherUUID, "")},
			want:  NodeOwner{OwnershipOther, ProofUUID, FirstVM},
		},
		"RetiredAddress": {
			reason: "Both have the same address, which tells nothing of the one that retires.", node: aNode("", "", "192.168.4.211"),
			roles: Roles{Active: candidate, Retired: []string{FirstVM}},
			vms:   map[string]proxmox.ObservedVM{FirstVM: vm("", "", "192.168.4.211"), candidate: vm("", "", "")},
			want:  NodeOwner{Ownership: OwnershipUnproven},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.roles.Active == "" {
				tc.roles.Active = FirstVM
			}

			got := OwnerOf(tc.node, id, tc.adopt, tc.roles, tc.vms)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nOwnerOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNodeName(t *testing.T) {
	for host, want := range map[string]string{"server-1": "server-1", "Server-1": "server-1", "server-1.lan.home.arpa": "server-1"} {
		if got := NodeName(host); got != want {
			t.Errorf("NodeName(%s): want %s, got %s", host, want, got)
		}
	}
}

func TestNodeJoin(t *testing.T) {
	id := machine.Identity{Kind: "K3sNode", Namespace: "infra", Name: "server-1", UID: "3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a13"}
	candidate := lineOf(id).NameFor("a")

	// situation of a machine whose VM, if any, remembers something, and runs or not.
	situation := func(remembered, uid string, change func(*Situation)) Situation {
		var vm proxmox.ObservedVM

		vm.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "100", proxmox.NodeJoinedAnnotation: remembered}
		vm.Status.AtProvider.ID, vm.Status.AtProvider.Started = "100", true
		vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: nodesUUID}}
		vm.Status.Conditions = []proxmox.Condition{{Type: proxmox.ConditionReady, Status: "True"}, {Type: proxmox.ConditionSynced, Status: "True"}}

		s := Situation{Request: Request{
			Machine: &machine.Machine{
				Identity: id, Power: v1alpha1.PowerRunning,
				K3s: &machine.K3s{Role: v1alpha1.K3sServer, Observe: machine.ObserveHere, ReadyWhen: v1alpha1.ReadyWhenJoined},
			},
			Observed: proxmox.State{VMs: map[string]proxmox.ObservedVM{FirstVM: vm}},
			Roles:    Roles{Active: FirstVM},
			Node:     ReadNode{Name: "server-1"},
		}}

		if uid != "" {
			s.Node.Node = &node.Node{Status: node.Status{NodeInfo: node.Info{SystemUUID: uid}, Conditions: []node.Condition{{Type: "Ready", Status: "True"}}}}
		}

		if change != nil {
			change(&s)
		}

		return s
	}

	links := func(s *Situation, names ...string) {
		vm := s.Observed.VMs[FirstVM]
		vm.Status.AtProvider.NetworkInterfaceNames = names
		s.Observed.VMs[FirstVM] = vm
	}

	type want struct {
		Join  NodeJoin
		Ready bool
	}

	cases := map[string]struct {
		reason     string
		remembered string
		uid        string // Of the Node; empty: there is none.
		change     func(*Situation)
		want       want
	}{
		"NotRead": {
			reason: "Where nobody reads Nodes, the VM is all that counts.", want: want{Ready: true},
			change: func(s *Situation) { s.Node, s.Machine.K3s.ReadyWhen = ReadNode{}, v1alpha1.ReadyWhenVM },
		},
		"NotReadButReported": {
			reason: "Nobody asked to wait for the report, so that it is not remembered.", want: want{Ready: true},
			change: func(s *Situation) {
				links(s, "k3s-joined")
				s.Node, s.Machine.K3s.ReadyWhen = ReadNode{}, v1alpha1.ReadyWhenVM
			},
		},
		"NotReported":       {reason: "The claim waits for the guest's report.", change: func(s *Situation) { s.Node = ReadNode{} }, want: want{}},
		"ReportedWaiting":   {reason: "The bootstrap waits.", change: func(s *Situation) { links(s, "k3s-waiting"); s.Node = ReadNode{} }, want: want{}},
		"Reported":          {reason: "K3s has served.", change: func(s *Situation) { links(s, "k3s-joined"); s.Node = ReadNode{} }, want: want{NodeJoinReported, true}},
		"ReportedBefore":    {reason: "An agent that is silent takes nothing back.", remembered: "Reported", change: func(s *Situation) { s.Node = ReadNode{} }, want: want{NodeJoinReported, true}},
		"ReportedThenRead":  {reason: "Nor does the begin of an observation.", remembered: "Reported", want: want{NodeJoinReported, true}},
		"ReportedThenSeen":  {reason: "To have seen the Node is more.", remembered: "Reported", uid: nodesUUID, want: want{NodeJoinSeen, true}},
		"ReportSwitchedOff": {reason: "Nothing would ever come.", change: func(s *Situation) { s.Node, s.Machine.Silent = ReadNode{}, true }, want: want{Ready: true}},
		"ReadyThenAsked": {
			reason: "A machine that was ready before its claim asked for the report stays so.", want: want{NodeJoinAssumed, true},
			change: func(s *Situation) { s.Node = ReadNode{ReadyBefore: true} },
		},
		"ReportedAndRead": {reason: "Where Nodes are read, they alone count.", change: func(s *Situation) { links(s, "k3s-joined") }, want: want{}},
		"NotYet":          {reason: "The VM is no node yet.", want: want{}},
		"Seen":            {reason: "Its Node is there.", uid: nodesUUID, want: want{NodeJoinSeen, true}},
		"Other":           {reason: "The Node is another machine's.", uid: otherUUID, want: want{}},
		"Remembered":      {reason: "A Node that is gone takes nothing back.", remembered: "Seen", want: want{NodeJoinSeen, true}},
		"RememberedOther": {
			reason: "Nor does another machine that took the name.", remembered: "Seen", uid: otherUUID, want: want{NodeJoinSeen, true},
		},
		"RememberedUnread": {
			reason: "The end of the observation forgets nothing.", remembered: "Seen", change: func(s *Situation) { s.Node = ReadNode{} },
			want: want{NodeJoinSeen, true},
		},
		"ReadyBefore": {
			reason: "A machine that was ready before anybody looked stays so.", change: func(s *Situation) { s.Node.ReadyBefore = true }, want: want{NodeJoinAssumed, true},
		},
		"ReadyBeforeAndSeen": {
			reason: "To have seen the Node is more than to assume it.", uid: nodesUUID, change: func(s *Situation) { s.Node.ReadyBefore = true },
			want: want{NodeJoinSeen, true},
		},
		"Assumed":        {reason: "And so it is remembered.", remembered: "Assumed", want: want{NodeJoinAssumed, true}},
		"AssumedAndSeen": {reason: "Until the Node is seen.", remembered: "Assumed", uid: nodesUUID, want: want{NodeJoinSeen, true}},
		"NoVM": {
			reason: "Without a VM nothing can be assumed.", want: want{},
			change: func(s *Situation) { s.Node.ReadyBefore, s.Observed.VMs = true, nil },
		},
		"Leaving": {
			reason: "A Node that somebody has deleted already proves no join.", uid: nodesUUID, want: want{},
			change: func(s *Situation) { s.Node.Node.Metadata.DeletionTimestamp = "2026-11-22T12:00:00Z" },
		},
		"OfTheCandidate": {
			reason: "The Node of the VM that is to replace this one says nothing of this one.", uid: otherUUID, want: want{},
			change: func(s *Situation) {
				vm := s.Observed.VMs[FirstVM]
				vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: otherUUID}}
				s.Observed.VMs[candidate], s.Roles.Candidate = vm, candidate
			},
		},
		"Stopped": {
			reason: "A VM that is to be stopped needs no Node.", change: func(s *Situation) { s.Machine.Power = v1alpha1.PowerStopped }, want: want{Ready: true},
		},
		"UnmanagedRuns": {
			reason: "A VM that somebody started is to be a node.", change: func(s *Situation) { s.Machine.Power = v1alpha1.PowerUnmanaged }, want: want{},
		},
		"UnmanagedStopped": {
			reason: "One that somebody stopped is not.", want: want{Ready: true},
			change: func(s *Situation) {
				vm := s.Observed.VMs[FirstVM]
				vm.Status.AtProvider.Started = false
				s.Machine.Power, s.Observed.VMs[FirstVM] = v1alpha1.PowerUnmanaged, vm
			},
		},
		"WhenVM": {
			reason: "The claim asks for no more than the VM.", change: func(s *Situation) { s.Machine.K3s.ReadyWhen = v1alpha1.ReadyWhenVM }, want: want{Ready: true},
		},
		"WhenReady": {
			reason: "The kubelet is ready.", uid: nodesUUID, change: func(s *Situation) { s.Machine.K3s.ReadyWhen = v1alpha1.ReadyWhenReady },
			want: want{NodeJoinSeen, true},
		},
		"WhenReadyAndItIsNot": {
			reason: "Then no memory counts.", uid: nodesUUID, remembered: "Seen", want: want{NodeJoinSeen, false},
			change: func(s *Situation) {
				s.Machine.K3s.ReadyWhen, s.Node.Node.Status.Conditions = v1alpha1.ReadyWhenReady, nil
			},
		},
		"WhenReadyAndItIsGone": {
			reason: "Nor does it where there is no Node.", remembered: "Seen", change: func(s *Situation) { s.Machine.K3s.ReadyWhen = v1alpha1.ReadyWhenReady },
			want: want{NodeJoinSeen, false},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := situation(tc.remembered, tc.uid, tc.change)

			if diff := cmp.Diff(tc.want, want{ActiveNodeJoin(s), ReadyAsNode(s)}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
