package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// deletionObject is the Object with which the Node of the first VM goes, under policies.
func deletionObject(policies ...string) map[string]object.Observed {
	o := object.Observed{}
	o.Spec = object.NewDeletion(object.Cluster, "home", "server-1", proxmox.Metadata{}).Spec
	o.Spec.ManagementPolicies = policies

	return map[string]object.Observed{object.DeletionOf(FirstVM): o}
}

// agentPlan is a K3s agent whose Node is proven to be its VM; a replacement has stopped its VM where stopped says so.
func agentPlan(stopped bool) *Plan {
	n := votingNode(nodesUUID)
	vm := settledVM(func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: nodesUUID}} })
	p := &Plan{}
	p.Machine = &machine.Machine{
		DeletionPolicy: v1alpha1.DeletionDelete, Power: v1alpha1.PowerRunning,
		K3s: &machine.K3s{Role: v1alpha1.K3sAgent, Observe: machine.ObserveHere, NodesConfig: "home"},
	}
	p.Roles.Active = FirstVM

	if stopped {
		p.Roles.Candidate = "vm-0123456789"
		vm.Spec.ForProvider.Started, vm.Status.AtProvider.Started = false, false
	}

	p.Observed.VMs = map[string]proxmox.ObservedVM{FirstVM: vm}
	p.Node = ReadNode{Name: "server-1", Node: &n}

	return p
}

// TestNodeObjects: which Objects there are to be, whether a replaced VM's Node goes, and whether the new VM waits for that.
func TestNodeObjects(t *testing.T) {
	deletes := map[string]NodeObject{object.DeletionOf(FirstVM): {Node: "server-1", VM: FirstVM, Delete: true}}
	observes := map[string]NodeObject{object.DeletionOf(FirstVM): {Node: "server-1", VM: FirstVM}}
	none := map[string]NodeObject{}
	edit := func(p *Plan, change func(*proxmox.ObservedVM)) {
		vm := p.Observed.VMs[FirstVM]
		change(&vm)
		p.Observed.VMs[FirstVM] = vm
	}
	server := func(p *Plan) {
		p.Machine.K3s.Role, p.Machine.K3s.Cluster, p.Servers.Known = v1alpha1.K3sServer, "home", true
	}
	beside := func(p *Plan) {
		other := settledVM()
		other.Metadata.Labels = map[string]string{proxmox.MachineLabel: "server-2", proxmox.CompositeLabel: "server-2"}
		p.Servers.VMs = []proxmox.ObservedVM{other}
	}

	lost := func(p *Plan) {
		p.Machine.Lifecycle.Lost = "pve2"

		edit(p, func(vm *proxmox.ObservedVM) {
			onNode("pve2")(vm)
			unread(vm)
		})
	}

	cases := map[string]struct {
		reason   string
		stopped  bool
		observed map[string]object.Observed
		change   func(p *Plan)
		want     map[string]NodeObject
		removed  bool
		waits    bool
	}{
		"Proven": {reason: "The Node goes with the machine.", want: deletes},
		"Stays":  {reason: "Nothing changes.", observed: deletionObject("Observe", "Delete"), want: deletes},
		"ByAddress": {reason: "An address is no proof.", change: func(p *Plan) {
			p.Node.Node.Status = node.Status{Addresses: []node.Address{{Type: "InternalIP", Address: "192.168.4.9"}}}
		}, want: none},
		"Unread":      {reason: "Nobody knows whose Node it is.", observed: deletionObject("Observe", "Delete"), change: func(p *Plan) { p.Node.Sight = object.SightUnreachable }, want: observes},
		"Foreign":     {reason: "The Node is another machine's.", observed: deletionObject("Observe", "Delete"), change: func(p *Plan) { p.Node.Node.Status.NodeInfo.SystemUUID = otherUUID }, want: observes},
		"LetGo":       {reason: "What may delete nothing goes alone.", observed: deletionObject("Observe"), change: func(p *Plan) { p.Node.Node = nil }, want: none},
		"Renamed":     {reason: "The Object is about another name.", observed: deletionObject("Observe", "Delete"), change: func(p *Plan) { p.Node.Name = "server-9" }, want: observes},
		"Orphan":      {reason: "The VM stays, and so does its Node.", observed: deletionObject("Observe", "Delete"), change: func(p *Plan) { p.Machine.DeletionPolicy = v1alpha1.DeletionOrphan }, want: observes},
		"NotAsked":    {reason: "Somebody has removed providerConfig.", observed: deletionObject("Observe", "Delete"), change: func(p *Plan) { p.Machine.K3s.NodesConfig = "" }, want: observes},
		"NoKind":      {reason: "Crossplane cannot apply an Object.", change: func(p *Plan) { p.Objects.NoKind = true }, want: none},
		"LastServer":  {reason: "K3s cannot remove its only member.", change: server, want: none},
		"OneOfTwo":    {reason: "Another server remains.", change: func(p *Plan) { server(p); beside(p) }, want: deletes},
		"Reads":       {reason: "Of another cluster the Node is read, too.", change: func(p *Plan) { p.Machine.K3s.Observe, p.Node.Node = machine.ObserveObject, nil }, want: map[string]NodeObject{object.Reading: {Node: "server-1"}}},
		"Remove":      {reason: "The VM is stopped: its Node goes.", stopped: true, observed: deletionObject("Observe", "Delete"), want: none, removed: true, waits: true},
		"RemoveFirst": {reason: "For that there has to be an Object.", stopped: true, change: func(p *Plan) { p.Machine.DeletionPolicy = v1alpha1.DeletionOrphan }, want: deletes, waits: true},
		"Raise":       {reason: "Its right to delete comes back first.", stopped: true, observed: deletionObject("Observe"), want: deletes, waits: true},
		"Removed": {reason: "Once is enough, however old the look is.", stopped: true, change: func(p *Plan) {
			edit(p, func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.NodeRemovedAnnotation] = "true" })
		}, want: none},
		"Going": {reason: "The Object is on its way out.", stopped: true, change: func(p *Plan) { p.Node.Node, p.Objects.Going = nil, true }, want: none, waits: true},
		"Runs":  {reason: "The VM is not stopped yet.", stopped: true, observed: deletionObject("Observe", "Delete"), change: func(p *Plan) { edit(p, func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = true }) }, want: deletes, waits: true},
		"StaleStop": {
			reason: "It was seen stopped before it was to stop, and may run by now.", stopped: true, observed: deletionObject("Observe", "Delete"),
			change: func(p *Plan) { edit(p, func(vm *proxmox.ObservedVM) { vm.Metadata.Generation++ }) }, want: deletes, waits: true,
		},
		"StopFailed": {
			reason: "The provider cannot tell what became of the stop: a person deletes the Node.", stopped: true, observed: deletionObject("Observe", "Delete"),
			change: func(p *Plan) { edit(p, func(vm *proxmox.ObservedVM) { vm.Status.Conditions[1].Status = "False" }) }, want: observes, waits: true,
		},
		"Begun": {reason: "The new VM may have joined already.", stopped: true, observed: deletionObject("Observe", "Delete"), change: func(p *Plan) { p.Roles.Begun = true }, want: deletes, waits: true},
		"NoQuorum": {
			reason: "The only other server is stopped.", stopped: true, observed: deletionObject("Observe", "Delete"), want: observes, waits: true,
			change: func(p *Plan) {
				server(p)
				beside(p)
				p.Servers.VMs[0].Status.AtProvider.Started = false
			},
		},
		"LostMajority": {
			reason: "The others are no quorum, and this one is off for good: its member votes no more.", stopped: true, observed: deletionObject("Observe", "Delete"),
			want: none, removed: true, waits: true, change: func(p *Plan) {
				server(p)
				beside(p)
				lost(p)
				p.Servers.VMs[0].Status.AtProvider.Started = false
				p.Node.Node.Status.Conditions[0].Status = "Unknown"
			},
		},
		"LostAndReady": {
			reason: "Its kubelet reports all the same.", stopped: true, observed: deletionObject("Observe", "Delete"), want: observes, waits: true,
			change: func(p *Plan) {
				server(p)
				beside(p)
				lost(p)
				p.Servers.VMs[0].Status.AtProvider.Started = false
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := agentPlan(tc.stopped)
			p.Objects.Observed = tc.observed

			if tc.change != nil {
				tc.change(p)
			}

			objects, removed := departure{&p.Situation}.objects()
			if diff := cmp.Diff(tc.want, objects); diff != "" || removed != tc.removed {
				t.Errorf("%s\nremoved: %t; -want, +got:\n%s", tc.reason, removed, diff)
			}

			if waits := (departure{&p.Situation}).inTheWay(); tc.stopped && waits != tc.waits {
				t.Errorf("%s\nthe new VM waits: %t", tc.reason, waits)
			}
		})
	}
}

// TestRemoval: a server may leave etcd while a majority of the others votes.
func TestRemoval(t *testing.T) {
	other := func(name string, runs bool) proxmox.ObservedVM {
		vm := settledVM()
		vm.Metadata.Labels = map[string]string{proxmox.MachineLabel: name, proxmox.CompositeLabel: name}
		vm.Status.AtProvider.Started = runs

		return vm
	}

	cases := map[string]struct {
		reason string
		others []proxmox.ObservedVM
		want   BlockReason
	}{
		"Last":           {reason: "Its cluster would be lost.", want: BlockedByOnlyServer},
		"OneOfTwo":       {reason: "The other one is a majority of one.", others: []proxmox.ObservedVM{other("b", true)}},
		"OneOfTwoDown":   {reason: "The other one does not vote.", others: []proxmox.ObservedVM{other("b", false)}, want: BlockedByQuorum},
		"OneOfThree":     {reason: "The other two are a majority of two.", others: []proxmox.ObservedVM{other("b", true), other("c", true)}},
		"OneOfThreeDown": {reason: "One is none of two.", others: []proxmox.ObservedVM{other("b", true), other("c", false)}, want: BlockedByQuorum},
		"OneOfFiveDown": {
			reason: "Three of four are enough.", others: []proxmox.ObservedVM{other("b", true), other("c", true), other("d", true), other("e", false)},
		},
		"TwoOfFiveDown": {
			reason: "Two of four are none.", others: []proxmox.ObservedVM{other("b", true), other("c", true), other("d", false), other("e", false)}, want: BlockedByQuorum,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if b := (Cluster{Name: "home", OtherServers: tc.others}).removal(); b.Reason != tc.want {
				t.Errorf("%s\nwant %q, got %+v", tc.reason, tc.want, b)
			}
		})
	}
}

// TestPolledNodes: what provider-kubernetes has read may be old, so that the VM of another server has to answer, too.
func TestPolledNodes(t *testing.T) {
	vm := server("b")
	vm.Spec.ForProvider.Name = "server-2"
	vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: nodesUUID}}

	for name, tc := range map[string]struct {
		vm   proxmox.ObservedVM
		want MissingReason
	}{
		"Answers": {vm: vm}, "Unread": {vm: failing(vm), want: MissingUnread}, "Silent": {vm: speechless(vm), want: MissingSilent},
		"Lost":  {vm: annotated(on(vm, "pve2"), proxmox.LostAnnotation, "pve2"), want: MissingLost},
		"Moved": {vm: annotated(on(vm, "pve3"), proxmox.LostAnnotation, "pve2")},
	} {
		c := Cluster{Reading: NodesPolled, Nodes: map[string]node.Node{"server-2": votingNode(nodesUUID)}}
		if got := c.missingReason(tc.vm); got != tc.want {
			t.Errorf("%s: want %q, got %q", name, tc.want, got)
		}
	}
}

// on a Proxmox node.
func on(vm proxmox.ObservedVM, host string) proxmox.ObservedVM {
	vm.Status.AtProvider.NodeName = host
	return vm
}
