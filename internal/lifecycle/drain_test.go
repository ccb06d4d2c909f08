package lifecycle

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestReadDrain(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  string
		want   DrainMemory
	}{
		"Nothing":        {reason: "Nobody drained it.", want: DrainMemory{State: DrainNone}},
		"Drained":        {reason: "The function wrote it.", value: "3 Drained", want: DrainMemory{Attempt: 3, State: DrainDone}},
		"CordonedBefore": {reason: "A person's cordon.", value: "3 Drained cordoned-before", want: DrainMemory{Attempt: 3, State: DrainDone, Cordon: CordonBefore}},
		"Before":         {reason: "An uncordon that failed.", value: "4 UncordonFailed before-4711", want: DrainMemory{Attempt: 4, State: DrainUncordonFailed, Before: "4711"}},
		"Over":           {reason: "The attempts are counted on.", value: "4 None", want: DrainMemory{Attempt: 4, State: DrainNone}},
		"Broken":         {reason: "Somebody broke it.", value: "many Drained", want: DrainMemory{State: DrainNone}},
		"Negative":       {reason: "Somebody broke it.", value: "-1 Drained", want: DrainMemory{State: DrainNone}},
		"UnknownState":   {reason: "Somebody broke it.", value: "3 Emptied", want: DrainMemory{State: DrainNone}},
		"Half":           {reason: "Somebody broke it.", value: "3", want: DrainMemory{State: DrainNone}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := settledVM()
			if tc.value != "" {
				vm.Metadata.Annotations[proxmox.DrainAnnotation] = tc.value
			}

			got := ReadDrain(vm)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if got.Attempt > 0 && got.String() != tc.value {
				t.Errorf("want %q written, got %q", tc.value, got.String())
			}
		})
	}
}

// TestDrain holds what one call does about the drain of an agent's Node: the memory after it, whether an outage waits, what blocks, and the
// Jobs that are to be.
func TestDrain(t *testing.T) {
	type want struct {
		Memory string
		Waits  bool
		Block  DrainBlock
		Sight  object.Sight
		Jobs   []string
	}

	type world struct {
		p  *Plan
		vm *proxmox.ObservedVM
	}

	reboot := func(w world) { w.p.Machine.Lifecycle.Reboot = "a" }
	trigger := func(value string) func(world) { return func(w world) { w.p.Machine.Lifecycle.Drain = value } }
	followed := func(value string) func(world) {
		return func(w world) { w.vm.Metadata.Annotations[proxmox.DrainTriggerAnnotation] = value }
	}
	has := func(value string) func(world) {
		return func(w world) { w.vm.Metadata.Annotations[proxmox.DrainAnnotation] = value }
	}
	// job is an Object whose Job has an outcome: a condition of the Job, or none.
	job := func(name, condition string) func(world) {
		return func(w world) {
			o := object.ObservedJob{}
			o.Spec.ForProvider.Manifest.Metadata.Name = "x"
			o.Status.AtProvider.Manifest.Metadata.Name = "x"
			o.Status.Conditions = []proxmox.Condition{{Type: "Synced", Status: "True"}}

			if condition != "" {
				o.Status.AtProvider.Manifest.Status.Conditions = []proxmox.Condition{{Type: condition, Status: "True"}}
			}

			w.p.Objects.Jobs = map[string]object.ObservedJob{name: o}
		}
	}
	cordoned := func(w world) { w.p.Node.Node.Spec.Unschedulable = true }
	polled := func(w world) { w.p.Machine.K3s.Observe = machine.ObserveObject }
	hosts := func(w world) { w.p.Machine.RunsCrossplane = true }
	unconfigured := func(w world) { w.p.Machine.K3s.NodesConfig = "" }
	notAsked := func(w world) { w.p.Machine.K3s.Drain.Outages = false }
	none := func(w world) { w.p.Node.Node = nil }

	cases := map[string]struct {
		reason string
		edits  []func(world)
		want   want
	}{
		"Nothing":         {reason: "Nobody asks for an outage.", want: want{}},
		"Hosts":           {reason: "A restart that waits for a person asks for no drain, so that nothing blocks one.", edits: []func(world){reboot, hosts, unconfigured}, want: want{Waits: true}},
		"NotAsked":        {reason: "Nobody asks for a drain.", edits: []func(world){reboot, notAsked}, want: want{}},
		"Begins":          {reason: "The outage waits for the Job.", edits: []func(world){reboot}, want: want{Memory: "1 Draining", Waits: true, Jobs: []string{"drain-vm-1"}}},
		"BeginsOnRequest": {reason: "A trigger needs no outage.", edits: []func(world){trigger("a"), notAsked}, want: want{Memory: "1 Draining", Jobs: []string{"drain-vm-1"}}},
		"BeginsCordoned": {
			reason: "Somebody cordoned the Node before.", edits: []func(world){reboot, cordoned},
			want: want{Memory: "1 Draining cordoned-before", Waits: true, Jobs: []string{"drain-vm-1"}},
		},
		"BeginsAgainWhileANodeIsOld": {
			reason: "What provider-kubernetes read of the Node may be from before the uncordon.", edits: []func(world){reboot, has("2 None"), polled, cordoned},
			want: want{Memory: "3 Draining", Waits: true, Jobs: []string{"drain-vm-3"}},
		},
		"Runs": {
			reason: "The Job has not ended.", edits: []func(world){reboot, has("1 Draining"), job("drain-vm-1", "")},
			want: want{Memory: "1 Draining", Waits: true, Jobs: []string{"drain-vm-1"}},
		},
		"NotThereYet": {
			reason: "The VM was written, and the Object was not.", edits: []func(world){reboot, has("1 Draining")},
			want: want{Memory: "1 Draining", Waits: true, Sight: object.SightPending, Jobs: []string{"drain-vm-1"}},
		},
		"NotThereAndNotOurs": {
			reason: "Meanwhile another machine has the name: no Job may begin.", edits: []func(world){reboot, has("1 Draining"), none},
			want: want{Memory: "1 Draining", Waits: true, Block: DrainBlockedByNoNode, Sight: object.SightPending},
		},
		"Ends": {
			reason: "The outage begins. The Object stays until the VM remembers.", edits: []func(world){reboot, has("1 Draining"), job("drain-vm-1", "Complete")},
			want: want{Memory: "1 Drained", Jobs: []string{"drain-vm-1"}},
		},
		"Fails": {
			reason: "The outage begins all the same.", edits: []func(world){reboot, has("1 Draining"), job("drain-vm-1", "Failed")},
			want: want{Memory: "1 Unfinished", Jobs: []string{"drain-vm-1"}},
		},
		"JobOfBefore": {
			reason: "The outcome of another attempt is not this one's.", edits: []func(world){reboot, has("2 Draining"), job("drain-vm-1", "Complete")},
			want: want{Memory: "2 Draining", Waits: true, Sight: object.SightPending, Jobs: []string{"drain-vm-2"}},
		},
		"GivenUp": {
			reason: "Nobody waits for a Job that nobody created.", edits: []func(world){reboot, notAsked, has("1 Draining")}, want: want{Memory: "1 Unfinished"},
		},
		"GivenUpWhileItRuns": {
			reason: "The Job runs to its end, and the outage does not wait.", edits: []func(world){reboot, notAsked, has("1 Draining"), job("drain-vm-1", "")},
			want: want{Memory: "1 Draining", Jobs: []string{"drain-vm-1"}},
		},
		"Away": {reason: "A Node that was drained is not drained again.", edits: []func(world){reboot, has("1 Drained")}, want: want{Memory: "1 Drained"}},
		"Back": {
			reason: "The VM is back.", edits: []func(world){has("1 Drained"), cordoned}, want: want{Memory: "2 Uncordoning", Jobs: []string{"uncordon-vm-2"}},
		},
		"BackAndUncordoned": {reason: "Somebody was faster.", edits: []func(world){has("1 Drained")}, want: want{Memory: "1 None"}},
		"BackAndPolled": {
			reason: "What was read may be older than the cordon.", edits: []func(world){has("1 Drained"), polled},
			want: want{Memory: "2 Uncordoning before-7", Jobs: []string{"uncordon-vm-2"}},
		},
		"BackAndCordonedBefore": {reason: "It is a person's cordon.", edits: []func(world){has("1 Drained cordoned-before"), cordoned}, want: want{Memory: "1 None"}},
		"BackAndNotReady": {
			reason: "The kubelet is not ready.", want: want{Memory: "1 Drained"},
			edits: []func(world){has("1 Drained"), cordoned, func(w world) { w.p.Node.Node.Status.Conditions[0].Status = "False" }},
		},
		"BackAndSilent": {
			reason: "The provider has not seen the VM as it was written.", want: want{Memory: "1 Drained"},
			edits: []func(world){has("1 Drained"), cordoned, func(w world) { w.vm.Metadata.Generation = 7 }},
		},
		"BackAndNotOurs": {
			reason: "Another machine has the name.", edits: []func(world){has("1 Drained"), none}, want: want{Memory: "1 Drained", Block: DrainBlockedByNoNode},
		},
		"Stopped": {
			reason: "The VM is not back.", want: want{Memory: "1 Drained"},
			edits: []func(world){has("1 Drained"), cordoned, func(w world) {
				w.vm.Spec.ForProvider.Started, w.vm.Status.AtProvider.Started, w.p.Machine.Power = false, false, v1alpha1.PowerStopped
			}},
		},
		"Uncordons":      {reason: "The Job runs.", edits: []func(world){has("2 Uncordoning"), job("uncordon-vm-2", ""), cordoned}, want: want{Memory: "2 Uncordoning", Jobs: []string{"uncordon-vm-2"}}},
		"Uncordoned":     {reason: "The Job has ended.", edits: []func(world){has("2 Uncordoning"), job("uncordon-vm-2", "Complete")}, want: want{Memory: "2 None", Jobs: []string{"uncordon-vm-2"}}},
		"UncordonFailed": {reason: "A person has to see to it.", edits: []func(world){has("2 UncordonFailed"), cordoned}, want: want{Memory: "2 UncordonFailed"}},
		"UncordonedByHand": {
			reason: "The person did.", edits: []func(world){has("2 UncordonFailed")}, want: want{Memory: "2 None"},
		},
		"UncordonFailsPolled": {
			reason: "What was known of the Node may be from before its drain, and whatever was read since is not.",
			edits:  []func(world){polled, has("2 Uncordoning before-6"), job("uncordon-vm-2", "Failed"), cordoned},
			want:   want{Memory: "2 UncordonFailed before-6", Jobs: []string{"uncordon-vm-2"}},
		},
		"UncordonsPolled": {
			reason: "What was known is forgotten with the drain.", edits: []func(world){polled, has("2 Uncordoning before-6"), job("uncordon-vm-2", "Complete")},
			want: want{Memory: "2 None", Jobs: []string{"uncordon-vm-2"}},
		},
		"UncordonFailedUnread": {
			reason: "The Node was not read since: nobody knows.", edits: []func(world){polled, has("2 UncordonFailed before-7")}, want: want{Memory: "2 UncordonFailed before-7"},
		},
		"UncordonFailedAndSeen": {
			reason: "It was read since, with its cordon.", edits: []func(world){polled, has("2 UncordonFailed before-6"), cordoned}, want: want{Memory: "2 UncordonFailed before-6"},
		},
		"UncordonedByHandPolled": {
			reason: "It was read since, without a cordon.", edits: []func(world){polled, has("2 UncordonFailed before-6")}, want: want{Memory: "2 None"},
		},
		"AgainAfterUncordonFailed": {
			reason: "The next drain begins anew.", edits: []func(world){polled, reboot, has("2 UncordonFailed before-7"), cordoned},
			want: want{Memory: "3 Draining", Waits: true, Jobs: []string{"drain-vm-3"}},
		},
		"AgainTooEarly": {
			reason: "One Job at a time.", edits: []func(world){reboot, has("2 Uncordoning"), job("uncordon-vm-2", "")},
			want: want{Memory: "2 Uncordoning", Waits: true, Block: DrainBlockedByUncordon, Jobs: []string{"uncordon-vm-2"}},
		},
		"TriggerStands": {reason: "The value keeps it cordoned.", edits: []func(world){trigger("a"), followed("a"), has("1 Drained"), cordoned}, want: want{Memory: "1 Drained"}},
		"TriggerChanges": {
			reason: "Each value drains once.", edits: []func(world){trigger("b"), followed("a"), has("1 Drained"), cordoned},
			want: want{Memory: "2 Draining", Jobs: []string{"drain-vm-2"}},
		},
		"TriggerOfBirth": {reason: "The VM was created while the value stood.", edits: []func(world){trigger("a"), followed("a")}, want: want{}},
		"TriggerGoes": {
			reason: "Then it is uncordoned.", edits: []func(world){followed("a"), has("1 Drained"), cordoned},
			want: want{Memory: "2 Uncordoning", Jobs: []string{"uncordon-vm-2"}},
		},
		"OutageOfADrainedNode": {
			reason: "A reboot waits for a drain that somebody asked for.", edits: []func(world){trigger("a"), followed("a"), notAsked, reboot, has("1 Draining"), job("drain-vm-1", "")},
			want: want{Memory: "1 Draining", Waits: true, Jobs: []string{"drain-vm-1"}},
		},
		"NoConfig": {
			reason: "The catalogue lets nobody drain.", edits: []func(world){reboot, func(w world) { w.p.Machine.K3s.NodesConfig = "" }},
			want: want{Waits: true, Block: DrainBlockedByConfig},
		},
		"NotObserved": {
			reason: "Nobody knows whose the Node is.", edits: []func(world){reboot, func(w world) { w.p.Machine.K3s.Observe = machine.ObserveNone }},
			want: want{Waits: true, Block: DrainBlockedByConfig},
		},
		"NoKind": {
			reason: "Crossplane could not apply the Object.", edits: []func(world){reboot, func(w world) { w.p.Objects.NoKind = true }},
			want: want{Waits: true, Block: DrainBlockedByNoKind},
		},
		"Unread": {
			reason: "Nobody could read the Node.", want: want{Waits: true, Block: DrainBlockedByUnread},
			edits: []func(world){reboot, func(w world) { w.p.Node.Node, w.p.Node.Sight = nil, object.SightForbidden }},
		},
		"NoNode":    {reason: "There is nothing to evict.", edits: []func(world){reboot, none}, want: want{Block: DrainBlockedByNoNode}},
		"OtherNode": {reason: "It is another machine's.", edits: []func(world){reboot, func(w world) { w.p.Node.Node.Status.NodeInfo.SystemUUID = otherUUID }}, want: want{Block: DrainBlockedByNoNode}},
		"Leaving": {
			reason: "K3s removes it from the cluster.", want: want{Block: DrainBlockedByNoNode},
			edits: []func(world){reboot, func(w world) { w.p.Node.Node.Metadata.DeletionTimestamp = "2026-11-22T12:00:00Z" }},
		},
		"Unproven": {
			reason: "It may be another machine's.", edits: []func(world){reboot, func(w world) { w.p.Node.Node.Status.NodeInfo.SystemUUID = "" }},
			want: want{Waits: true, Block: DrainBlockedByNoProof},
		},
		"PowerUnknown": {
			reason: "Nobody knows whether the VM runs.", edits: []func(world){reboot, func(w world) { w.vm.Status.AtProvider.ID = "" }},
			want: want{Waits: true},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := settledVM()
			vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: nodesUUID}}
			m := &machine.Machine{Power: v1alpha1.PowerRunning, K3s: &machine.K3s{
				Role: v1alpha1.K3sAgent, Observe: machine.ObserveHere, NodesConfig: "home", Drain: machine.Drain{Outages: true},
			}}
			p := &Plan{Situation: Situation{Request: Request{
				Machine: m, Roles: Roles{Active: FirstVM},
				Node: ReadNode{Name: "agent-1", Node: &node.Node{
					Metadata: node.Metadata{Name: "agent-1", ResourceVersion: "7"},
					Status:   node.Status{NodeInfo: node.Info{SystemUUID: nodesUUID}, Conditions: []node.Condition{{Type: "Ready", Status: "True"}}},
				}},
			}}}

			for _, edit := range tc.edits {
				edit(world{p, &vm})
			}

			p.vm, p.Observed.VMs = vm, map[string]proxmox.ObservedVM{FirstVM: vm}

			away := plannedOutage(&p.Situation, change.Guarded{VM: vm.Spec.ForProvider}, nil)
			got := want{Memory: away.drain.Memory.String(), Waits: away.outage.Waits(), Block: away.drain.Block, Sight: away.drain.Sight}

			for name, work := range away.drain.Jobs {
				got.Jobs = append(got.Jobs, name)

				if work.Node != "agent-1" || !strings.HasPrefix(name, string(work.Task)+"-") {
					t.Errorf("%s works on %+v", name, work)
				}
			}

			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestServersAreDrainedOneByOne: a server that is drained holds the others, whatever it announces, and is held by nobody meanwhile.
func TestServersAreDrainedOneByOne(t *testing.T) {
	draining := server("b")
	draining.Metadata.Annotations[proxmox.DrainAnnotation] = "1 Draining"

	c := Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{draining, server("c")}}
	want := refuse(Blocker{Reason: BlockedByOtherServer, Cluster: "home", Server: "b", Outage: OutageDrain})

	if diff := cmp.Diff(want, c.permit(server("a"), true)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	own := server("a")
	own.Metadata.Annotations[proxmox.DrainAnnotation] = "1 Draining"
	own.Metadata.Annotations[proxmox.ReplacingAnnotation] = "x"
	early := server("b")
	early.Metadata.CreationTimestamp = "2020-01-01T00:00:00Z"
	early.Metadata.Annotations[proxmox.OutageAnnotation] = "Reboot announced"

	got := CheckReplacement(own, ReplacementRequest{
		Trigger: "x", Server: true, Cluster: Cluster{Name: "home", OtherServers: []proxmox.ObservedVM{early, server("c")}},
	})
	if got.Permission != PermissionAnnounced {
		t.Errorf("a replacement whose drain has begun is taken back: %+v", got)
	}
}

// TestNodeIdentity: a Job drains the Node of which it was known that it is the VM, and no Node that came under its name since.
func TestNodeIdentity(t *testing.T) {
	n := &node.Node{}
	n.Metadata.Labels = map[string]string{node.UIDLabel: "label"}
	n.Status.NodeInfo.SystemUUID = "uuid"

	cases := map[string]struct {
		reason string
		proof  Proof
		want   object.Identity
	}{
		"UUID":    {reason: "By what its kubelet reported.", proof: ProofUUID, want: object.BySystemUUID("uuid")},
		"Label":   {reason: "By what its kubelet was given.", proof: ProofLabel, want: object.ByLabel("label")},
		"None":    {reason: "Nobody knows.", proof: ProofNone},
		"NoVM":    {reason: "It stands for no VM.", proof: ProofNoVM},
		"Address": {reason: "Addresses go round.", proof: ProofAddress},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &Situation{nodeOwner: &NodeOwner{Ownership: OwnershipOurs, Proof: tc.proof}}
			s.Node.Node = n

			if diff := cmp.Diff(tc.want, drainer{s}.nodeIdentity()); diff != "" {
				t.Errorf("%s\nnodeIdentity(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
