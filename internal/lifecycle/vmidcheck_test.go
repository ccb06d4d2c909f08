package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// aCheck is a VM of ours that is looked at with number 153 on node pve, and an answer that the provider gave.
func aCheck(edits ...func(vm *proxmox.ObservedVM)) proxmox.ObservedVM {
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

// asked is the last question.
func asked(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.TimeoutCreate = 1800 }

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
	none       = "observe failed: external resource does not exist"
	silent     = "observe failed: cannot run import: x: Refreshing state... [id=153]: import failed"
	unreadable = "observe failed: cannot run import: x: error retrieving VM 153: received an HTTP 595 response - Reason: No route to host"
)

// neighbour is a VM of another machine with number 153.
func neighbour(edits ...func(vm *proxmox.ObservedVM)) proxmox.ObservedVM {
	return aCheck(append([]func(vm *proxmox.ObservedVM){func(vm *proxmox.ObservedVM) {
		vm.Metadata.Name = "other-vm"
		vm.Metadata.Labels = map[string]string{proxmox.CompositeLabel: "other", proxmox.MachineLabel: "other", proxmox.NamespaceLabel: "infra"}
		vm.Spec.ProviderConfigRef = proxmox.ProviderConfigRef{Name: "home"}
	}}, edits...)...)
}

// aContainer is a container of another claim with number 153.
func aContainer(edits ...func(c *proxmox.ObservedContainer)) proxmox.ObservedContainer {
	c := proxmox.ObservedContainer{Kind: proxmox.ContainerKind}
	c.Metadata = neighbour().Metadata
	c.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
	c.Spec.ProviderConfigRef = proxmox.ProviderConfigRef{Name: "home"}
	c.Spec.ForProvider.VMID = new(int64(153))

	for _, e := range edits {
		e(&c)
	}

	return c
}

// onlyAsks: the claim of a container looks whether the number is free.
func onlyAsks(c *proxmox.ObservedContainer) { c.Spec.ManagementPolicies = proxmox.ObserveOnly() }

func bornAt(at string) func(*proxmox.ObservedContainer) {
	return func(c *proxmox.ObservedContainer) { c.Metadata.CreationTimestamp = at }
}

// TestClaimedByName: who may not read a namespace is not told what is in it.
func TestClaimedByName(t *testing.T) {
	ref := proxmox.ProviderConfigRef{Name: "home"}
	other := Other{VMID: 153, ProviderConfigRef: ref, Metadata: proxmox.ObservedMetadata{
		Metadata: proxmox.Metadata{Labels: map[string]string{proxmox.NamespaceLabel: "infra", proxmox.MachineLabel: "web", proxmox.CompositeLabel: "web-x"}},
	}}

	cases := map[string]struct {
		reason string
		owner  Owner
		want   string
	}{
		"Same":      {reason: "They may read each other.", owner: Owner{Composite: "dns", ClaimNamespace: "infra", ProviderConfigRef: ref}, want: "infra/web"},
		"Another":   {reason: "They may not.", owner: Owner{Composite: "dns", ClaimNamespace: "team-b", ProviderConfigRef: ref}, want: AnotherClaim},
		"Composite": {reason: "A namespaced composite is the claim.", owner: Owner{Composite: "dns", Namespace: "infra", ProviderConfigRef: ref}, want: "infra/web"},
		"None":      {reason: "A composite without a claim is in no namespace.", owner: Owner{Composite: "dns", ProviderConfigRef: ref}, want: AnotherClaim},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, _ := tc.owner.ClaimedBy(153, []Other{other})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nClaimedBy(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestClaimedByAgrees: of two claims that ask for one VMID, each with a resource or two of any age, exactly one is first, and both know which one.
func TestClaimedByAgrees(t *testing.T) {
	made := func(composite, name, at string) proxmox.ObservedMetadata {
		m := neighbour().Metadata
		m.Name, m.CreationTimestamp = name, at
		m.Labels = map[string]string{proxmox.CompositeLabel: composite, proxmox.MachineLabel: composite}

		return m
	}
	times := []string{"2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"}
	ref := proxmox.ProviderConfigRef{Name: "home"}

	asks := func(all []proxmox.ObservedMetadata) (out []Other) {
		for _, m := range all {
			out = append(out, Other{m, ref, 153, true})
		}

		return out
	}

	for n := range 1 << 6 {
		bit := func(i int) int { return n >> i & 1 }
		names := [2][2]string{{"a", "c"}, {"d", "b"}}
		pair := []proxmox.ObservedMetadata{made("pair", names[bit(0)][0], times[bit(1)]), made("pair", names[bit(0)][1], times[bit(2)])}
		single := []proxmox.ObservedMetadata{made("single", "bb", times[bit(3)])}

		if bit(4) == 1 {
			single = append(single, made("single", "cc", times[bit(5)]))
		}

		_, ofPair := Owner{Composite: "pair", Namespace: "infra", ProviderConfigRef: ref}.ClaimedBy(153, asks(single), pair...)
		_, ofSingle := Owner{Composite: "single", Namespace: "infra", ProviderConfigRef: ref}.ClaimedBy(153, asks(pair), single...)

		if (ofPair == "") == (ofSingle == "") {
			t.Errorf("pair %v, single %v: the pair waits for %q, the single one for %q", pair, single, ofPair, ofSingle)
		}
	}
}

// TestOwnsItsKind: composites of two kinds can have one name, and one VMID in their claims.
func TestOwnsItsKind(t *testing.T) {
	of := func(kind string) proxmox.ObservedMetadata {
		m := neighbour().Metadata
		m.OwnerReferences = []proxmox.OwnerReference{{Kind: kind, Name: "web", Controller: true}}

		return m
	}

	for name, tc := range map[string]struct {
		kind, of string
		want     bool
	}{
		"Same": {"Machine", "Machine", true}, "Other": {"Machine", "Container", false}, "Unknown": {"", "Container", true}, "Unsaid": {"Machine", "", true},
	} {
		o := Owner{Composite: "web", Kind: tc.kind, Namespace: neighbour().Metadata.Namespace}
		if got := o.owns(of(tc.of)); got != tc.want {
			t.Errorf("%s: a %s owns what a %s composes: %t", name, tc.kind, tc.of, got)
		}
	}
}

func TestCheckVMID(t *testing.T) {
	born := func(at string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.CreationTimestamp = at }
	}
	named := func(name string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.Name = name }
	}
	full := func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys) }
	external := func(name string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = name }
	}
	failed := func(vm *proxmox.ObservedVM) {
		vm.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "False"}, {Type: "LastAsyncOperation", Status: "False"}}
	}
	noted := func(notes string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Description = notes }
	}
	other := VMIDCheck{VMID: 153, Outcome: OutcomeClaimed, Name: "infra/other"}
	first := VMIDCheck{VMID: 153, Outcome: OutcomeRequested, Name: "infra/other"}

	cases := map[string]struct {
		reason     string
		vm         *proxmox.ObservedVM
		neighbours []proxmox.ObservedVM
		containers []proxmox.ObservedContainer
		number     int64
		want       *VMIDCheck
	}{
		"NoNumber": {reason: "Proxmox chooses.", want: nil},
		"NotYet":   {reason: "Nobody was asked yet.", number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeChecking}},
		"NoAnswer": {reason: "The provider has not answered.", vm: new(aCheck()), number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeChecking}},
		"Free":     {reason: "The one answer that means free.", vm: new(aCheck(says(none, 3))), number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeFree}},
		"Own": {
			reason: "It was made for the claim, before its cluster was built again.", number: 153,
			vm:   new(aCheck(sees("153", "dns01", "pve2", 3), noted("Backed up by hand.\n\nMachine infra/dns01 (homelab.io), managed by Crossplane."))),
			want: &VMIDCheck{VMID: 153, Outcome: OutcomeOwn, Name: "dns01", Node: "pve2"},
		},
		"AlmostOwn": {
			reason: "It was made for another claim.", number: 153,
			vm:   new(aCheck(sees("153", "dns01", "pve2", 3), noted("Machine infra/dns011 (homelab.io), managed by Crossplane."))),
			want: &VMIDCheck{VMID: 153, Outcome: OutcomeTaken, Name: "dns01", Node: "pve2"},
		},
		"FreeBefore": {reason: "An answer to the question before.", vm: new(aCheck(says(none, 2))), number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeChecking}},
		"FreeOther": {
			reason: "An answer about another number.", vm: new(aCheck(says(none, 3))), number: 154, want: &VMIDCheck{VMID: 154, Outcome: OutcomeChecking},
		},
		"FreeElsewhere": {
			reason: "The external name says what was asked, and it is another number.", vm: new(aCheck(says(none, 3), external("pve/152"))), number: 153,
			want: &VMIDCheck{VMID: 153, Outcome: OutcomeChecking},
		},
		"FreeBareName": {
			reason: "A number without a node is no question.", vm: new(aCheck(says(none, 3), external("153"))), number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeChecking},
		},
		"Error": {
			reason: "Any other error leaves the question open.", vm: new(aCheck(says("observe failed: the requested resource does not exist", 3))), number: 153,
			want: &VMIDCheck{VMID: 153, Outcome: OutcomeChecking},
		},
		"TakenHere": {
			reason: "Somebody's, on the node of the claim.", vm: new(aCheck(sees("153", "nas", "pve", 3))), number: 153,
			want: &VMIDCheck{VMID: 153, Outcome: OutcomeTaken, Name: "nas", Node: "pve"},
		},
		"TakenElsewhere": {
			reason: "Somebody's, on any node of the cluster.", vm: new(aCheck(sees("153", "nas", "pve9", 3))), number: 153,
			want: &VMIDCheck{VMID: 153, Outcome: OutcomeTaken, Name: "nas", Node: "pve9"},
		},
		"TakenBefore": {
			reason: "What was seen before says nothing of this number.", vm: new(aCheck(sees("152", "nas", "pve", 3))), number: 153,
			want: &VMIDCheck{VMID: 153, Outcome: OutcomeChecking},
		},
		"Silent": {
			reason: "It is there, and does not answer.", vm: new(aCheck(says(silent, 3))), number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeSilent},
		},
		"Unreadable": {
			reason: "It is there, and the node that has it does not answer.", vm: new(aCheck(says(unreadable, 3))), number: 153,
			want: &VMIDCheck{VMID: 153, Outcome: OutcomeUnreadable},
		},
		"UnreadableBefore": {
			reason: "That was about another question.", vm: new(aCheck(says(unreadable, 2))), number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeChecking},
		},
		"SilentBefore": {
			reason: "That was about another question.", vm: new(aCheck(says(silent, 2))), number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeChecking},
		},
		"Ours": {reason: "It was tried to be made with that number.", vm: new(aCheck(full, failed, external("153"))), number: 153, want: nil},
		"OursWithAnother": {
			reason: "It was tried with another number; this one may be somebody's.", vm: new(aCheck(full, failed, external("153"))), number: 154, want: &VMIDCheck{VMID: 154, Outcome: OutcomeChecking},
		},
		"NeighbourMade": {
			reason: "Another machine has a VM with it.", vm: new(aCheck(says(none, 3))), neighbours: []proxmox.ObservedVM{neighbour(full, born("2026-06-01T00:00:00Z"))},
			number: 153, want: &other,
		},
		"NeighbourEarlier": {
			reason: "Another machine asked first.", vm: new(aCheck(says(none, 3))), neighbours: []proxmox.ObservedVM{neighbour(born("2026-01-01T00:00:04Z"))}, number: 153, want: &first,
		},
		"NeighbourLater": {
			reason: "We asked first.", vm: new(aCheck(says(none, 3))), neighbours: []proxmox.ObservedVM{neighbour(born("2026-01-01T00:00:06Z"))},
			number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeFree},
		},
		"NeighbourInTheSameSecond": {
			reason: "By name then: times have no fractions.", vm: new(aCheck(says(none, 3))), neighbours: []proxmox.ObservedVM{neighbour(named("a-vm"))}, number: 153, want: &first,
		},
		"NeighbourInTheSameSecondLater": {
			reason: "And the other way round.", vm: new(aCheck(says(none, 3))), neighbours: []proxmox.ObservedVM{neighbour(named("z-vm"))},
			number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeFree},
		},
		"NeighbourBeforeWeAsked": {
			reason: "Whoever is there comes before who is not.", neighbours: []proxmox.ObservedVM{neighbour(born("2027-01-01T00:00:00Z"))}, number: 153, want: &first,
		},
		"NeighbourAtAnotherSite": {
			reason: "Another Proxmox has numbers of its own.", vm: new(aCheck(says(none, 3))),
			neighbours: []proxmox.ObservedVM{neighbour(full, func(vm *proxmox.ObservedVM) { vm.Spec.ProviderConfigRef.Name = "lab" })}, number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeFree},
		},
		"NeighbourWithAnotherNumber": {
			reason: "Its label is old.", vm: new(aCheck(says(none, 3))),
			neighbours: []proxmox.ObservedVM{neighbour(full, func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.VMID = new(int64(999)) })}, number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeFree},
		},
		"NeighbourWithANumberOfProxmox": {
			reason: "Nobody chose its number, and it has it.", vm: new(aCheck(says(none, 3))),
			neighbours: []proxmox.ObservedVM{neighbour(full, func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.VMID, vm.Status.AtProvider.ID = nil, "153" })}, number: 153, want: &other,
		},
		"Container": {
			reason: "A container of another claim has it.", vm: new(aCheck(says(none, 3))), containers: []proxmox.ObservedContainer{aContainer()}, number: 153, want: &other,
		},
		"ContainerEarlier": {
			reason: "The claim of a container asked first.", vm: new(aCheck(says(none, 3))),
			containers: []proxmox.ObservedContainer{aContainer(onlyAsks, bornAt("2026-01-01T00:00:04Z"))}, number: 153, want: &first,
		},
		"ContainerLater": {
			reason: "We asked first.", vm: new(aCheck(says(none, 3))),
			containers: []proxmox.ObservedContainer{aContainer(onlyAsks, bornAt("2026-01-01T00:00:06Z"))}, number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeFree},
		},
		"ContainerAtAnotherSite": {
			reason: "Another Proxmox has numbers of its own.", vm: new(aCheck(says(none, 3))),
			containers: []proxmox.ObservedContainer{aContainer(func(c *proxmox.ObservedContainer) { c.Spec.ProviderConfigRef.Name = "lab" })},
			number:     153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeFree},
		},
		"ContainerWithAnotherNumber": {
			reason: "Its label is old.", vm: new(aCheck(says(none, 3))),
			containers: []proxmox.ObservedContainer{aContainer(func(c *proxmox.ObservedContainer) { c.Spec.ForProvider.VMID = new(int64(999)) })},
			number:     153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeFree},
		},
		"OwnAmongNeighbours": {
			reason: "A search by label finds our own, too.", vm: new(aCheck(says(none, 3))), neighbours: []proxmox.ObservedVM{aCheck(says(none, 3)), aCheck(full)},
			number: 153, want: &VMIDCheck{VMID: 153, Outcome: OutcomeFree},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := Request{
				Machine: &machine.Machine{Identity: machine.Identity{Kind: "Machine", Namespace: "infra", Name: "dns01"}},
				Owner:   Owner{Composite: "dns01", Namespace: "infra", ProviderConfigRef: proxmox.ProviderConfigRef{Name: "home"}},
				Roles:   Roles{Active: FirstVM}, SameVMID: tc.neighbours, SameVMIDContainers: tc.containers, VMID: VMID{VMID: tc.number},
			}

			if tc.vm != nil {
				r.Observed.VMs = vms{FirstVM: *tc.vm}
			}

			s := Assess(r)
			if diff := cmp.Diff(tc.want, vmidQuestionOf(&s.Request, s.vm, s.State).checkVMID()); diff != "" {
				t.Errorf("%s\ncheckVMID(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLastQuestion: what is known of the VMID while the provider is asked once more, and that only its answer counts.
func TestLastQuestion(t *testing.T) {
	cases := map[string]struct {
		reason  string
		vm      *proxmox.ObservedVM
		missing []string
		outcome Outcome
		action  Action
	}{
		"Nobody": {reason: "The first question is the last one, and nothing is known.", outcome: OutcomeChecking, action: ActionCheck},
		"Missing": {
			reason: "The last question is not put while a snippet is missing.", vm: new(aCheck(says(none, 3))), missing: []string{"user-data-1"},
			outcome: OutcomeFree, action: ActionCheck,
		},
		"Put":        {reason: "This call puts it, and nobody had the VMID before.", vm: new(aCheck(says(none, 3))), outcome: OutcomeConfirming, action: ActionCheck},
		"NotYet":     {reason: "The answer is still that to the question before.", vm: new(aCheck(asked, says(none, 2))), outcome: OutcomeConfirming, action: ActionCheck},
		"FirstAsked": {reason: "It was the first question, and has no answer.", vm: new(aCheck(asked)), outcome: OutcomeChecking, action: ActionCheck},
		"Error": {
			reason: "An error says nothing of the VMID.", vm: new(aCheck(asked, says("observe failed: 401", 3))), outcome: OutcomeChecking, action: ActionCheck,
		},
		"Free":  {reason: "The provider found no VM again.", vm: new(aCheck(asked, says(none, 3))), outcome: OutcomeFree, action: ActionCreate},
		"Taken": {reason: "Somebody was faster.", vm: new(aCheck(asked, sees("153", "nas", "pve", 3))), outcome: OutcomeTaken, action: ActionCheck},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := Request{
				Machine: &machine.Machine{Power: v1alpha1.PowerRunning}, Owner: Owner{Composite: "dns01", Namespace: "infra"},
				Roles: Roles{Active: FirstVM}, VMID: VMID{VMID: 153},
			}

			if tc.vm != nil {
				r.Observed.VMs = vms{FirstVM: *tc.vm}
			}

			p := Decide(Assess(r), Description{Parameters: proxmox.VMParameters{NodeName: "pve"}, Missing: tc.missing})

			if p.Check == nil || p.Check.Outcome != tc.outcome || p.Steps[FirstVM].Action != tc.action {
				t.Errorf("%s\nDecide(): got %+v, %s, want %s, %s", tc.reason, p.Check, p.Steps[FirstVM].Action, tc.outcome, tc.action)
			}
		})
	}
}

// TestImportName: what the provider is asked next, so that its answer cannot be that to another question.
func TestImportName(t *testing.T) {
	undated := func(vm *proxmox.ObservedVM) { vm.Status.Conditions[0].ObservedGeneration = 0 }

	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		number int64
		ask    bool
		want   string
	}{
		"First":         {reason: "Nobody was asked yet.", number: 153, want: "pve/153"},
		"Again":         {reason: "The same question.", vm: aCheck(says(none, 0)), number: 153, want: "pve/153"},
		"Next":          {reason: "The answer says what it is about.", vm: aCheck(says(none, 3)), number: 154, want: "pve/154"},
		"NextUndated":   {reason: "The old answer would be taken for the new one.", vm: aCheck(says(none, 3), undated), number: 154, want: "154"},
		"RefusedByNow":  {reason: "That answer is none to any other question.", vm: aCheck(says("unexpected format of ID (), expected node/id", 0)), number: 154, want: "pve/154"},
		"Last":          {reason: "The last question is a new one, and the generation dates its answer.", vm: aCheck(says(none, 3)), number: 153, ask: true, want: "pve/153"},
		"LastUndated":   {reason: "The answer to the last question has to be told from the one before.", vm: aCheck(says(none, 3), undated), number: 153, ask: true, want: "153"},
		"LastAnswered":  {reason: "It was put.", vm: aCheck(says(none, 3), undated, asked), number: 153, ask: true, want: "pve/153"},
		"AfterATaken":   {reason: "A VM has a number, which tells.", vm: aCheck(sees("153", "nas", "pve", 0)), number: 154, want: "pve/154"},
		"AfterAFailure": {reason: "What could not be made was no look.", vm: aCheck(says(none, 0), func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys) }), number: 154, want: "pve/154"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := Request{Machine: &machine.Machine{}, Roles: Roles{Active: FirstVM}, Observed: proxmox.State{VMs: vms{}}}
			if tc.vm.Kind != "" {
				r.Observed.VMs[FirstVM] = tc.vm
			}

			s := Assess(r)
			if got := vmidQuestionOf(&s.Request, s.vm, s.State).importName("pve", tc.number, tc.ask); got != tc.want {
				t.Errorf("%s\nimportName(): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

// TestCheckedVMID: the managed resource names a VMID before the provider is asked about it.
func TestCheckedVMID(t *testing.T) {
	for name, tc := range map[string]struct {
		vm   proxmox.ObservedVM
		want int64
	}{
		"None":     {},
		"Checking": {vm: aCheck(), want: 153},
		"Named":    {vm: aCheck(func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = "153" })},
		"Made":     {vm: aCheck(func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionOrphans) })},
	} {
		if got := CheckedVMID(tc.vm); got != tc.want {
			t.Errorf("%s: want %d, got %d", name, tc.want, got)
		}
	}
}
