package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// settledVM is a VM that the provider found, and that runs; its guest agent reports an address.
func settledVM(edits ...func(vm *proxmox.ObservedVM)) proxmox.ObservedVM {
	vm := proxmox.ObservedVM{}
	vm.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "100"}
	vm.Metadata.Generation = 2
	vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
	vm.Spec.ForProvider.Started = true
	vm.Status.Conditions = []proxmox.Condition{
		{Type: "Ready", Status: "True", ObservedGeneration: 2}, {Type: "Synced", Status: "True", ObservedGeneration: 2},
	}

	at := &vm.Status.AtProvider
	at.ID, at.VMID, at.Started = "100", 100, true
	at.NetworkDevice = []proxmox.ObservedDevice{{MACAddress: "BC:24:11:00:00:01"}}
	at.NetworkInterfaceNames, at.MACAddresses = []string{"lo", "eth0"}, []string{"00:00:00:00:00:00", "bc:24:11:00:00:01"}
	at.IPv4Addresses = [][]string{{"127.0.0.1"}, {"192.168.4.9"}}

	for _, e := range edits {
		e(&vm)
	}

	return vm
}

// off is a VM that does not run.
func off(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false }

// mute is a VM whose guest agent does not answer.
func mute(vm *proxmox.ObservedVM) {
	at := &vm.Status.AtProvider
	at.NetworkInterfaceNames, at.MACAddresses, at.IPv4Addresses = nil, nil, nil
}

// reports a condition of the provider.
func reports(typ, status, reason string) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) {
		out := []proxmox.Condition{{Type: typ, Status: status, Reason: reason, ObservedGeneration: 2}}

		for _, c := range vm.Status.Conditions {
			if c.Type != typ {
				out = append(out, c)
			}
		}

		vm.Status.Conditions = out
	}
}

func TestReady(t *testing.T) {
	runs := Readiness{Running: true, GuestAgent: true}

	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		asked  Readiness
		want   bool
	}{
		"Runs":          {reason: "It runs, and its address is known.", vm: settledVM(), asked: runs, want: true},
		"Nothing":       {reason: "There is no VM.", asked: runs},
		"Checked":       {reason: "What the provider may only observe is nobody's VM yet.", vm: settledVM(func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.ObserveOnly() }), asked: runs},
		"NotFound":      {reason: "The provider has not found it.", vm: settledVM(reports("Ready", "False", "Creating")), asked: runs},
		"OutOfSync":     {reason: "The provider's last poll failed.", vm: settledVM(reports("Synced", "False", "ReconcileError")), asked: runs},
		"WithoutName":   {reason: "The provider does not know which VM it is.", vm: settledVM(func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations = nil }), asked: runs},
		"NotReported":   {reason: "Nothing is known of it.", vm: settledVM(func(vm *proxmox.ObservedVM) { vm.Status.AtProvider = proxmox.VMObservation{} }), asked: runs},
		"Off":           {reason: "It is to run.", vm: settledVM(off), asked: runs},
		"OffAsAsked":    {reason: "It is to be stopped.", vm: settledVM(off, mute), asked: Readiness{GuestAgent: true}, want: true},
		"OnAndAskedOff": {reason: "It is to be stopped, and runs.", vm: settledVM(), asked: Readiness{}},
		"Mute":          {reason: "Its guest agent is to answer, and does not.", vm: settledVM(mute), asked: runs},
		"FellMute":      {reason: "An address that was known counts, for an agent that fell silent.", vm: settledVM(mute), asked: Readiness{Running: true, GuestAgent: true, AddressKnown: true}, want: true},
		"NoAgent":       {reason: "Nobody expects an answer.", vm: settledVM(mute), asked: Readiness{Running: true}, want: true},
		"Busy":          {reason: "The provider works on it, and that matters.", vm: settledVM(reports("AsyncOperation", "False", "Ongoing")), asked: Readiness{Running: true, Idle: true}},
		"BusyAndFine":   {reason: "The provider works on it, and that does not matter.", vm: settledVM(reports("AsyncOperation", "False", "Ongoing")), asked: runs, want: true},
		"Idle":          {reason: "The provider is done.", vm: settledVM(reports("AsyncOperation", "True", "Finished")), asked: Readiness{Running: true, Idle: true}, want: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Ready(tc.vm, tc.asked); got != tc.want {
				t.Errorf("%s\nReady(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestPromotes holds when a candidate becomes the machine.
func TestPromotes(t *testing.T) {
	agent := func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Agent = []proxmox.Agent{{Enabled: true}} }

	cases := map[string]struct {
		reason string
		state  State
		vm     proxmox.ObservedVM
		want   bool
	}{
		"Ready":          {reason: "It runs as it was written.", state: StateLiving, vm: settledVM(agent), want: true},
		"Mute":           {reason: "Its guest agent is to answer first.", state: StateLiving, vm: settledVM(agent, mute)},
		"WithoutAgent":   {reason: "There is none to wait for.", state: StateLiving, vm: settledVM(mute), want: true},
		"Off":            {reason: "It has not started yet.", state: StateLiving, vm: settledVM(off)},
		"OffAsWritten":   {reason: "Also that of a machine which is to be stopped: nobody knows whether it boots.", state: StateLiving, vm: settledVM(off, func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Started = false })},
		"BeingChanged":   {reason: "The provider is not done.", state: StateLiving, vm: settledVM(reports("AsyncOperation", "False", "Ongoing"))},
		"CouldNotBeMade": {reason: "There is no VM.", state: StateFailed, vm: settledVM()},
		"Checking":       {reason: "The VM is whoever has the VMID.", state: StateChecking, vm: settledVM()},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := Situation{State: tc.state, vm: tc.vm}
			if got := promotes(&s); got != tc.want {
				t.Errorf("%s\npromotes(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestPromotesANode holds what a candidate waits for that is to be a node of a K3s cluster.
func TestPromotesANode(t *testing.T) {
	const candidate = "vm-0123456789"

	aNode := func(systemUUID, ready, votes string) *node.Node {
		n := &node.Node{}
		n.Status.NodeInfo.SystemUUID = systemUUID
		n.Status.Conditions = []node.Condition{{Type: "Ready", Status: ready}, {Type: "EtcdIsVoter", Status: votes}}

		return n
	}
	leaving := aNode(otherUUID, "True", "True")
	leaving.Metadata.DeletionTimestamp = "2026-11-22T10:00:00Z"

	byAddress := aNode("", "True", "True")
	byAddress.Status.Addresses = []node.Address{{Type: "InternalIP", Address: "192.168.4.53"}}

	server := machine.K3s{Role: v1alpha1.K3sServer, ReadyWhen: v1alpha1.ReadyWhenJoined}
	agent := machine.K3s{Role: v1alpha1.K3sAgent, ReadyWhen: v1alpha1.ReadyWhenJoined}

	cases := map[string]struct {
		reason string
		k3s    machine.K3s
		unread bool
		node   *node.Node
		want   bool
	}{
		"Votes":        {reason: "It is a member, and the old VM can go.", k3s: server, node: aNode(otherUUID, "True", "True"), want: true},
		"NoVote":       {reason: "It copies the data still: without the old VM the cluster would have one vote less.", k3s: server, node: aNode(otherUUID, "True", "False")},
		"NotReady":     {reason: "Its kubelet has not begun.", k3s: server, node: aNode(otherUUID, "False", "True")},
		"Leaving":      {reason: "Somebody has deleted its Node.", k3s: server, node: leaving},
		"OldNode":      {reason: "The Node is still the old VM's.", k3s: server, node: aNode(nodesUUID, "True", "True")},
		"NoNode":       {reason: "It has not joined.", k3s: server},
		"Address":      {reason: "The old VM may have had the same address.", k3s: server, node: byAddress},
		"AgentJoined":  {reason: "An agent has no vote.", k3s: agent, node: aNode(otherUUID, "True", ""), want: true},
		"AgentIsAway":  {reason: "It is not Ready.", k3s: agent, node: aNode(otherUUID, "Unknown", "")},
		"NobodyReads":  {reason: "Nothing is known of its Node.", k3s: machine.K3s{Role: v1alpha1.K3sServer, ReadyWhen: v1alpha1.ReadyWhenVM}, unread: true, want: true},
		"NobodyWaits":  {reason: "The claim does not wait for Nodes.", k3s: machine.K3s{Role: v1alpha1.K3sServer, ReadyWhen: v1alpha1.ReadyWhenVM}, want: true},
		"ReadyIsAsked": {reason: "Who waits for a Ready Node waits here, too.", k3s: machine.K3s{Role: v1alpha1.K3sAgent, ReadyWhen: v1alpha1.ReadyWhenReady}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			with := func(uuid string) proxmox.ObservedVM {
				return settledVM(func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: uuid}} })
			}

			r := Request{Machine: &machine.Machine{K3s: &tc.k3s}, Roles: Roles{Active: FirstVM, Candidate: candidate, Begun: true}}
			r.Observed.VMs = map[string]proxmox.ObservedVM{FirstVM: with(nodesUUID), candidate: with(otherUUID)}

			if !tc.unread {
				r.Node = ReadNode{Name: "server-1", Node: tc.node}
			}

			s := Situation{Request: r, State: StateLiving, vm: r.Observed.VMs[candidate]}
			if got := promotes(&s); got != tc.want {
				t.Errorf("%s\npromotes(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestNodeToRead holds which VM's Node is read, and under which name.
func TestNodeToRead(t *testing.T) {
	const candidate = "vm-0123456789"

	named := func(name string) proxmox.ObservedVM {
		return settledVM(func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.NodeNameAnnotation] = name })
	}

	cases := map[string]struct {
		reason     string
		roles      Roles
		vms        map[string]proxmox.ObservedVM
		remembered string
		want       string
	}{
		"NoVM":         {reason: "The VM will have the name of the claim, without its domain.", roles: Roles{Active: FirstVM}, want: "now"},
		"NoVMAnyMore":  {reason: "A name that was of another VM counts no more.", roles: Roles{Active: FirstVM}, remembered: "before", want: "now"},
		"Written":      {reason: "It was created under that name.", roles: Roles{Active: FirstVM}, vms: map[string]proxmox.ObservedVM{FirstVM: named("then")}, remembered: "before", want: "then"},
		"Remembered":   {reason: "A VM of an earlier release has no annotation.", roles: Roles{Active: FirstVM}, vms: map[string]proxmox.ObservedVM{FirstVM: settledVM()}, remembered: "Before.home.arpa", want: "before"},
		"Forgotten":    {reason: "The status was lost: the claim's name is the best guess.", roles: Roles{Active: FirstVM}, vms: map[string]proxmox.ObservedVM{FirstVM: settledVM()}, want: "now"},
		"Prepared":     {reason: "The old VM is the node while the new one is prepared.", roles: Roles{Active: FirstVM, Candidate: candidate}, vms: map[string]proxmox.ObservedVM{FirstVM: named("then")}, want: "then"},
		"Replacing":    {reason: "The new VM's Node is awaited.", roles: Roles{Active: FirstVM, Candidate: candidate, Begun: true}, vms: map[string]proxmox.ObservedVM{FirstVM: named("then"), candidate: named("later")}, want: "later"},
		"NewVMUnnamed": {reason: "It was created before anybody read Nodes, from the claim of today.", roles: Roles{Active: FirstVM, Candidate: candidate, Begun: true}, vms: map[string]proxmox.ObservedVM{FirstVM: named("then"), candidate: settledVM()}, remembered: "before", want: "now"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := Request{Machine: &machine.Machine{Hostname: "Now.home.arpa"}, Roles: tc.roles}
			r.Observed.VMs = tc.vms

			if got := r.NodeName(tc.remembered); got != tc.want {
				t.Errorf("%s\nNodeName(): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}
