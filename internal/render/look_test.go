package render

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// aLook is a VM of ours that is looked at with number 153 on node pve, and an answer that the provider gave.
func aLook(edits ...func(vm *proxmox.ObservedVM)) proxmox.ObservedVM {
	vm := proxmox.ObservedVM{Kind: proxmox.VMKind}
	vm.Metadata.Name, vm.Metadata.Namespace, vm.Metadata.Generation = "dns01-vm", "infra", 3
	vm.Metadata.CreationTimestamp = "2026-01-01T00:00:05Z"
	vm.Metadata.Labels = map[string]string{proxmox.CompositeLabel: "dns01"}
	vm.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "pve/153"}
	vm.Spec.ManagementPolicies = proxmox.ObserveOnly()
	vm.Spec.ForProvider.NodeName, vm.Spec.ForProvider.VMID = "pve", new(int64(153))

	for _, e := range edits {
		e(&vm)
	}

	return vm
}

// says is an answer of the provider, about a generation.
func says(message string, generation int64) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) {
		vm.Status.Conditions = []proxmox.Condition{{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: message, ObservedGeneration: generation}}
	}
}

// sees is a VM that the provider read.
func sees(id, name, node string, generation int64) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) {
		vm.Status.AtProvider.ID, vm.Status.AtProvider.Name, vm.Status.AtProvider.NodeName = id, name, node
		vm.Status.Conditions = []proxmox.Condition{
			{Type: "Ready", Status: "True", ObservedGeneration: generation}, {Type: "Synced", Status: "True", ObservedGeneration: generation},
		}
	}
}

const (
	none   = "observe failed: external resource does not exist"
	silent = "observe failed: cannot run import: x: Refreshing state... [id=153]: import failed"
)

// neighbour is a VM of another machine with number 153.
func neighbour(edits ...func(vm *proxmox.ObservedVM)) proxmox.ObservedVM {
	return aLook(append([]func(vm *proxmox.ObservedVM){func(vm *proxmox.ObservedVM) {
		vm.Metadata.Name = "other-vm"
		vm.Metadata.Labels = map[string]string{proxmox.CompositeLabel: "other", proxmox.MachineLabel: "other", proxmox.NamespaceLabel: "infra"}
		vm.Spec.ProviderConfigRef = proxmox.ProviderConfigRef{Name: "home"}
	}}, edits...)...)
}

func TestLook(t *testing.T) {
	born := func(at string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.CreationTimestamp = at }
	}
	named := func(name string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.Name = name }
	}
	full := func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.Policies(true) }
	external := func(name string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = name }
	}
	other := Look{VMID: 153, Outcome: OutcomeClaimed, Name: "infra/other"}

	cases := map[string]struct {
		reason     string
		vm         *proxmox.ObservedVM
		neighbours []proxmox.ObservedVM
		number     int64
		want       *Look
	}{
		"NoNumber":   {reason: "Proxmox chooses.", want: nil},
		"NotYet":     {reason: "Nobody was asked yet.", number: 153, want: &Look{VMID: 153, Outcome: OutcomeLooking}},
		"NoAnswer":   {reason: "The provider has not answered.", vm: new(aLook()), number: 153, want: &Look{VMID: 153, Outcome: OutcomeLooking}},
		"Free":       {reason: "The one answer that means free.", vm: new(aLook(says(none, 3))), number: 153, want: &Look{VMID: 153, Outcome: OutcomeFree}},
		"FreeBefore": {reason: "An answer to the question before.", vm: new(aLook(says(none, 2))), number: 153, want: &Look{VMID: 153, Outcome: OutcomeLooking}},
		"FreeOther": {
			reason: "An answer about another number.", vm: new(aLook(says(none, 3))), number: 154, want: &Look{VMID: 154, Outcome: OutcomeLooking},
		},
		"FreeElsewhere": {
			reason: "The external name says what was asked, and it is another number.", vm: new(aLook(says(none, 3), external("pve/152"))), number: 153,
			want: &Look{VMID: 153, Outcome: OutcomeLooking},
		},
		"FreeBareName": {
			reason: "A number without a node is no question.", vm: new(aLook(says(none, 3), external("153"))), number: 153, want: &Look{VMID: 153, Outcome: OutcomeLooking},
		},
		"Error": {
			reason: "Any other error leaves the question open.", vm: new(aLook(says("observe failed: the requested resource does not exist", 3))), number: 153,
			want: &Look{VMID: 153, Outcome: OutcomeLooking},
		},
		"TakenHere": {
			reason: "Somebody's, on the node of the claim.", vm: new(aLook(sees("153", "nas", "pve", 3))), number: 153,
			want: &Look{VMID: 153, Outcome: OutcomeTaken, Name: "nas", Node: "pve"},
		},
		"TakenElsewhere": {
			reason: "Somebody's, on any node of the cluster.", vm: new(aLook(sees("153", "nas", "pve9", 3))), number: 153,
			want: &Look{VMID: 153, Outcome: OutcomeTaken, Name: "nas", Node: "pve9"},
		},
		"TakenBefore": {
			reason: "What was seen before says nothing of this number.", vm: new(aLook(sees("152", "nas", "pve", 3))), number: 153,
			want: &Look{VMID: 153, Outcome: OutcomeLooking},
		},
		"Silent": {
			reason: "It is there, and does not answer.", vm: new(aLook(says(silent, 3))), number: 153, want: &Look{VMID: 153, Outcome: OutcomeSilent},
		},
		"SilentBefore": {
			reason: "That was about another question.", vm: new(aLook(says(silent, 2))), number: 153, want: &Look{VMID: 153, Outcome: OutcomeLooking},
		},
		"Ours": {reason: "It was tried to be made with that number.", vm: new(aLook(full, external("153"))), number: 153, want: nil},
		"OursWithAnother": {
			reason: "It was tried with another number; this one may be somebody's.", vm: new(aLook(full, external("153"))), number: 154, want: &Look{VMID: 154, Outcome: OutcomeLooking},
		},
		"NeighbourMade": {
			reason: "Another machine has a VM with it.", vm: new(aLook(says(none, 3))), neighbours: []proxmox.ObservedVM{neighbour(full, born("2026-06-01T00:00:00Z"))},
			number: 153, want: &other,
		},
		"NeighbourEarlier": {
			reason: "Another machine asked first.", vm: new(aLook(says(none, 3))), neighbours: []proxmox.ObservedVM{neighbour(born("2026-01-01T00:00:04Z"))}, number: 153, want: &other,
		},
		"NeighbourLater": {
			reason: "We asked first.", vm: new(aLook(says(none, 3))), neighbours: []proxmox.ObservedVM{neighbour(born("2026-01-01T00:00:06Z"))},
			number: 153, want: &Look{VMID: 153, Outcome: OutcomeFree},
		},
		"NeighbourInTheSameSecond": {
			reason: "By name then: times have no fractions.", vm: new(aLook(says(none, 3))), neighbours: []proxmox.ObservedVM{neighbour(named("a-vm"))}, number: 153, want: &other,
		},
		"NeighbourInTheSameSecondLater": {
			reason: "And the other way round.", vm: new(aLook(says(none, 3))), neighbours: []proxmox.ObservedVM{neighbour(named("z-vm"))},
			number: 153, want: &Look{VMID: 153, Outcome: OutcomeFree},
		},
		"NeighbourBeforeWeAsked": {
			reason: "Whoever is there comes before who is not.", neighbours: []proxmox.ObservedVM{neighbour(born("2027-01-01T00:00:00Z"))}, number: 153, want: &other,
		},
		"NeighbourAtAnotherSite": {
			reason: "Another Proxmox has numbers of its own.", vm: new(aLook(says(none, 3))),
			neighbours: []proxmox.ObservedVM{neighbour(full, func(vm *proxmox.ObservedVM) { vm.Spec.ProviderConfigRef.Name = "lab" })}, number: 153, want: &Look{VMID: 153, Outcome: OutcomeFree},
		},
		"NeighbourWithAnotherNumber": {
			reason: "Its label is old.", vm: new(aLook(says(none, 3))),
			neighbours: []proxmox.ObservedVM{neighbour(full, func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.VMID = new(int64(999)) })}, number: 153, want: &Look{VMID: 153, Outcome: OutcomeFree},
		},
		"NeighbourWithANumberOfProxmox": {
			reason: "Nobody chose its number, and it has it.", vm: new(aLook(says(none, 3))),
			neighbours: []proxmox.ObservedVM{neighbour(full, func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.VMID, vm.Status.AtProvider.ID = nil, "153" })}, number: 153, want: &other,
		},
		"OwnAmongNeighbours": {
			reason: "A search by label finds our own, too.", vm: new(aLook(says(none, 3))), neighbours: []proxmox.ObservedVM{aLook(says(none, 3)), aLook(full)},
			number: 153, want: &Look{VMID: 153, Outcome: OutcomeFree},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := &work{Request: Request{
				Machine:   &machine.Machine{Placement: machine.Placement{VMID: tc.number, Node: "pve", ProviderConfig: "home"}},
				Flavour:   proxmox.Cluster,
				Composite: "dns01", Namespace: "infra", Neighbours: tc.neighbours, Incarnation: lifecycle.Incarnation{Current: VMName},
			}}

			if tc.vm != nil {
				w.vm, w.observed = *tc.vm, true
			}

			if diff := cmp.Diff(tc.want, w.look()); diff != "" {
				t.Errorf("%s\nlook(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestQuestion: what the provider is asked next, so that its answer cannot be that to another question.
func TestQuestion(t *testing.T) {
	undated := func(vm *proxmox.ObservedVM) { vm.Status.Conditions[0].ObservedGeneration = 0 }

	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		number int64
		want   string
	}{
		"First":         {reason: "Nobody was asked yet.", number: 153, want: "pve/153"},
		"Again":         {reason: "The same question.", vm: aLook(says(none, 0)), number: 153, want: "pve/153"},
		"Next":          {reason: "The answer says what it is about.", vm: aLook(says(none, 3)), number: 154, want: "pve/154"},
		"NextUndated":   {reason: "The old answer would be taken for the new one.", vm: aLook(says(none, 3), undated), number: 154, want: "154"},
		"RefusedByNow":  {reason: "That answer is none to any other question.", vm: aLook(says("unexpected format of ID (), expected node/id", 0)), number: 154, want: "pve/154"},
		"AfterATaken":   {reason: "A VM has a number, which tells.", vm: aLook(sees("153", "nas", "pve", 0)), number: 154, want: "pve/154"},
		"AfterAFailure": {reason: "What could not be made was no look.", vm: aLook(says(none, 0), func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.Policies(true) }), number: 154, want: "pve/154"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := &work{vm: tc.vm}
			if got := w.question("pve", tc.number); got != tc.want {
				t.Errorf("%s\nquestion(): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

// TestAskedAndLookedAt: a VM is asked for before it is looked at.
func TestAskedAndLookedAt(t *testing.T) {
	for name, tc := range map[string]struct {
		vm              proxmox.ObservedVM
		asked, lookedAt int64
	}{
		"None":  {},
		"Look":  {vm: aLook(), asked: 153, lookedAt: 153},
		"Asked": {vm: aLook(func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = "153" }), asked: 153},
		"Made":  {vm: aLook(func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.Policies(false) })},
	} {
		if got := [2]int64{Asked(tc.vm), LookedAt(tc.vm)}; got != [2]int64{tc.asked, tc.lookedAt} {
			t.Errorf("%s: want %s and %s, got %v", name, strconv.FormatInt(tc.asked, 10), strconv.FormatInt(tc.lookedAt, 10), got)
		}
	}
}
