package render

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// creating is a VM that the provider may create.
func creating(vm *proxmox.VM) *proxmox.VM {
	vm.Spec.ManagementPolicies, vm.Spec.ForProvider.Started = proxmox.CreatePolicies(), false
	vm.Metadata.Annotations[proxmox.CreatingAnnotation] = "none"

	return vm
}

// newVM is aMachine's VM as it is created.
func newVM() *proxmox.VM {
	return &proxmox.VM{
		APIVersion: proxmox.Cluster.VMAPIVersion(), Kind: proxmox.VMKind,
		Metadata: proxmox.Metadata{
			Labels:      map[string]string{proxmox.MachineLabel: "web", proxmox.NamespaceLabel: "infra"},
			Annotations: map[string]string{},
		},
		Spec: proxmox.Spec[proxmox.VMParameters]{
			ManagementPolicies: proxmox.Policies(proxmox.DeletionDestroys), ProviderConfigRef: proxmox.ProviderConfigRef{Name: "default"}, ForProvider: plainParameters(),
		},
	}
}

// with changes to a VM.
func with(vm *proxmox.VM, edit func(vm *proxmox.VM)) *proxmox.VM {
	edit(vm)
	return vm
}

// oldVM is a VM that exists, as it was last written: the labels and annotations are ours alone.
func oldVM(edit func(vm *proxmox.VM)) *proxmox.VM {
	return with(newVM(), func(vm *proxmox.VM) {
		vm.Metadata.Labels = map[string]string{proxmox.MachineLabel: "web"}
		vm.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "100"}
		edit(vm)
	})
}

// numbered is a VM that has a VMID.
func numbered(vm *proxmox.VM, id int64, text string) *proxmox.VM {
	vm.Spec.ForProvider.VMID = &id
	vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = text
	vm.Metadata.Labels[proxmox.VMIDLabel] = text

	return vm
}

// TestSteps holds what each action of a plan writes of a VM.
func TestSteps(t *testing.T) {
	edited := plainParameters()
	edited.Tags = []string{"new"}

	cases := map[string]struct {
		reason   string
		machine  func(m *machine.Machine)
		observed func(o *proxmox.ObservedVM) // Nil: there is no VM.
		plan     func(p *lifecycle.Plan)
		step     lifecycle.Step
		want     *proxmox.VM // Nil: the VM is not rendered.
	}{
		"Wait":    {reason: "What the VM is made from is not there.", step: lifecycle.Step{Action: lifecycle.ActionWait}},
		"Release": {reason: "To leave a managed resource out is to delete it.", observed: func(*proxmox.ObservedVM) {}, step: lifecycle.Step{Action: lifecycle.ActionRelease}},

		"Check": {
			reason: "The provider may only observe, under the name of an import.",
			step:   lifecycle.Step{Action: lifecycle.ActionCheck, VMID: 153, ImportName: "pve/153"},
			want: with(numbered(newVM(), 153, "153"), func(vm *proxmox.VM) {
				vm.Spec.ManagementPolicies = proxmox.ObserveOnly()
				vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = "pve/153"
			}),
		},
		"CheckOfARange": {
			reason: "The search remembers where it began.",
			step:   lifecycle.Step{Action: lifecycle.ActionCheck, VMID: 153, ImportName: "pve/153", SearchedFrom: "150 intent"},
			want: with(numbered(newVM(), 153, "153"), func(vm *proxmox.VM) {
				vm.Spec.ManagementPolicies = proxmox.ObserveOnly()
				vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = "pve/153"
				vm.Metadata.Annotations[proxmox.SearchedFromAnnotation] = "150 intent"
			}),
		},

		"LastQuestion": {
			reason: "The managed resource is another generation by it.", step: lifecycle.Step{Action: lifecycle.ActionCheck, VMID: 153, ImportName: "pve/153", Ask: true},
			want: with(numbered(newVM(), 153, "153"), func(vm *proxmox.VM) {
				vm.Spec.ManagementPolicies, vm.Spec.ForProvider.TimeoutCreate = proxmox.ObserveOnly(), 1800
				vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = "pve/153"
			}),
		},

		"Create": {reason: "Proxmox chooses the VMID.", step: lifecycle.Step{Action: lifecycle.ActionCreate, MayDelete: true}, want: creating(newVM())},
		"CreateToKeep": {
			reason: "Nothing may be destroyed before it is known to be ours, whatever becomes of it then.", step: lifecycle.Step{Action: lifecycle.ActionCreate},
			want: creating(newVM()),
		},
		"CreateAgain": {
			reason: "An attempt that failed is the same creation.", observed: func(o *proxmox.ObservedVM) {
				o.Metadata.Annotations = map[string]string{proxmox.CreatingAnnotation: "earlier", proxmox.CreatePendingAnnotation: "later"}
			},
			step: lifecycle.Step{Action: lifecycle.ActionCreate, MayDelete: true},
			want: with(creating(newVM()), func(vm *proxmox.VM) { vm.Metadata.Annotations[proxmox.CreatingAnnotation] = "earlier" }),
		},
		"KeepCreating": {
			reason: "It stays as it was written.", observed: func(o *proxmox.ObservedVM) {
				o.Metadata.Annotations = map[string]string{proxmox.CreatingAnnotation: "none", proxmox.CreatePendingAnnotation: "later"}
				o.Spec.ManagementPolicies = proxmox.CreatePolicies()
			},
			step: lifecycle.Step{Action: lifecycle.ActionKeep, MayDelete: true},
			want: with(newVM(), func(vm *proxmox.VM) {
				delete(vm.Metadata.Labels, proxmox.NamespaceLabel)
				vm.Spec.ManagementPolicies = proxmox.CreatePolicies()
				vm.Metadata.Annotations[proxmox.CreatingAnnotation] = "none"
			}),
		},
		"CreateWithVMID": {
			reason: "The external name from the start makes a create that was cut off find its own VM again.",
			plan:   func(p *lifecycle.Plan) { p.VMID.VMID = 153 },
			step:   lifecycle.Step{Action: lifecycle.ActionCreate, MayDelete: true, SeenInCheck: proxmox.SeenInCheck(proxmox.VMObservation{ID: "153"})},
			want: with(creating(numbered(newVM(), 153, "153")), func(vm *proxmox.VM) {
				vm.Metadata.Annotations[proxmox.SeenInCheckAnnotation] = proxmox.SeenInCheck(proxmox.VMObservation{ID: "153"})
			}),
		},
		"CreateCandidate": {
			reason: "The mark tells a VM that was never ready.",
			plan:   func(p *lifecycle.Plan) { p.Promoted, p.Roles.Triggers = false, []string{"a", "b"} },
			step:   lifecycle.Step{Action: lifecycle.ActionCreate, MayDelete: true},
			want: with(creating(newVM()), func(vm *proxmox.VM) {
				vm.Metadata.Annotations[proxmox.CandidateAnnotation] = "true"
				vm.Metadata.Annotations[proxmox.ReplaceTriggersAnnotation] = "a,b"
			}),
		},
		"CreateWithAReboot": {
			reason:  "The trigger of a VM that is made today has nothing to restart, and counts as followed.",
			machine: func(m *machine.Machine) { m.Lifecycle.Reboot = "today" },
			step:    lifecycle.Step{Action: lifecycle.ActionCreate, MayDelete: true},
			want: with(creating(newVM()), func(vm *proxmox.VM) {
				vm.Metadata.Annotations[proxmox.RebootTriggersAnnotation] = "today"
			}),
		},

		"Follow": {
			reason: "The same managed resource, with what the claim says now.", observed: func(*proxmox.ObservedVM) {},
			step: lifecycle.Step{Action: lifecycle.ActionFollow, MayDelete: true, Parameters: edited, Power: lifecycle.Power{Started: true}},
			want: with(numbered(newVM(), 100, "100"), func(vm *proxmox.VM) { vm.Spec.ForProvider.Tags = []string{"new"} }),
		},
		"FollowUnderItsOwnAPI": {
			reason: "Under another API version or provider configuration this would be another VM.",
			observed: func(o *proxmox.ObservedVM) {
				o.APIVersion, o.Spec.ProviderConfigRef = proxmox.Legacy.VMAPIVersion(), proxmox.ProviderConfigRef{Name: "former"}
			},
			step: lifecycle.Step{Action: lifecycle.ActionFollow, MayDelete: true, Parameters: plainParameters(), Power: lifecycle.Power{Started: true}},
			want: with(numbered(newVM(), 100, "100"), func(vm *proxmox.VM) {
				vm.APIVersion, vm.Spec.ProviderConfigRef = proxmox.Legacy.VMAPIVersion(), proxmox.ProviderConfigRef{Name: "former"}
			}),
		},
		"FollowUnderItsOwnName": {
			reason:   "The name that the provider goes by counts, also where somebody changed it.",
			observed: func(o *proxmox.ObservedVM) { o.Metadata.Annotations[proxmox.ExternalNameAnnotation] = "101" },
			step:     lifecycle.Step{Action: lifecycle.ActionFollow, MayDelete: true, Parameters: plainParameters(), Power: lifecycle.Power{Started: true}},
			want:     numbered(newVM(), 101, "101"),
		},
		"FollowAndRemember": {
			reason: "What tells how a VM came to be is never lost.",
			observed: func(o *proxmox.ObservedVM) {
				o.Metadata.Annotations[proxmox.BootstrapHashAnnotation], o.Metadata.Annotations[proxmox.AdoptedAnnotation] = "of old", "true"
			},
			step: lifecycle.Step{Action: lifecycle.ActionFollow, MayDelete: true, Parameters: plainParameters(), Power: lifecycle.Power{Started: true}},
			want: with(numbered(newVM(), 100, "100"), func(vm *proxmox.VM) {
				vm.Metadata.Annotations[proxmox.BootstrapHashAnnotation], vm.Metadata.Annotations[proxmox.AdoptedAnnotation] = "of old", "true"
			}),
		},
		"FollowBeforeItWasSeen": {
			reason: "The report is still of the VM that a check saw.",
			observed: func(o *proxmox.ObservedVM) {
				o.Metadata.Annotations[proxmox.SeenInCheckAnnotation] = "true"
				o.Status.Conditions = nil
			},
			step: lifecycle.Step{Action: lifecycle.ActionFollow, MayDelete: true, Parameters: plainParameters(), Power: lifecycle.Power{Started: true}},
			want: with(numbered(newVM(), 100, "100"), func(vm *proxmox.VM) { vm.Metadata.Annotations[proxmox.SeenInCheckAnnotation] = "true" }),
		},
		"FollowOnceItWasSeen": {
			reason:   "The mark would hide what the provider reports.",
			observed: func(o *proxmox.ObservedVM) { o.Metadata.Annotations[proxmox.SeenInCheckAnnotation] = "true" },
			step:     lifecycle.Step{Action: lifecycle.ActionFollow, MayDelete: true, Parameters: plainParameters(), Power: lifecycle.Power{Started: true}},
			want:     numbered(newVM(), 100, "100"),
		},
		"FollowWithAReboot": {
			reason: "The VM is stopped to run again, with what it still runs with, and what it followed.", observed: func(*proxmox.ObservedVM) {},
			step: lifecycle.Step{
				Action: lifecycle.ActionFollow, MayDelete: true, Parameters: plainParameters(), RunsWith: map[string]string{"spec.size.cores": "2"},
				Power: lifecycle.Power{StoppedFor: "restart", Followed: []string{"a"}},
			},
			want: with(numbered(newVM(), 100, "100"), func(vm *proxmox.VM) {
				vm.Spec.ForProvider.Started = false
				vm.Metadata.Annotations[proxmox.StoppedForAnnotation] = "restart"
				vm.Metadata.Annotations[proxmox.RebootTriggersAnnotation] = "a"
				vm.Metadata.Annotations[proxmox.RebootPendingAnnotation] = `{"spec.size.cores":"2"}`
			}),
		},
		"FollowUnmanaged": {
			reason: "The provider may change nothing, so that it does not start a VM that somebody stopped.", observed: func(*proxmox.ObservedVM) {},
			step: lifecycle.Step{Action: lifecycle.ActionFollow, MayDelete: true, Parameters: plainParameters(), Power: lifecycle.Power{Phase: lifecycle.PowerReleased}},
			want: with(numbered(newVM(), 100, "100"), func(vm *proxmox.VM) {
				vm.Spec.ForProvider.Started = false
				vm.Spec.ManagementPolicies = []string{"Observe", "Create", "Delete"}
			}),
		},

		"Adopt": {
			reason: "What the models do not know stays as the provider read it, and no bootstrap data is the VM's.",
			observed: func(o *proxmox.ObservedVM) {
				o.Spec.ManagementPolicies, o.Status.AtProvider.Parameters = proxmox.ObserveOnly(), &proxmox.Found{}
			},
			step: lifecycle.Step{Action: lifecycle.ActionAdopt, VMID: 100, Parameters: edited, RunsWith: map[string]string{"spec.size.cores": "2"}},
			want: with(numbered(newVM(), 100, "100"), func(vm *proxmox.VM) {
				vm.Spec.ManagementPolicies, vm.Spec.ForProvider.Tags = proxmox.Policies(proxmox.DeletionOrphans), []string{"new"}
				vm.Metadata.Annotations[proxmox.AdoptedAnnotation] = "true"
				vm.Metadata.Annotations[proxmox.RebootPendingAnnotation] = `{"spec.size.cores":"2"}`
			}),
		},

		"Keep": {
			reason: "As it was last written, with the policies of today; what is Crossplane's is not written.", observed: func(*proxmox.ObservedVM) {},
			step: lifecycle.Step{Action: lifecycle.ActionKeep},
			want: oldVM(func(vm *proxmox.VM) { vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionOrphans) }),
		},
		"Replaced": {
			reason: "The other servers of the cluster see which of them is to be replaced; the VM runs on.", observed: func(*proxmox.ObservedVM) {},
			step: lifecycle.Step{Action: lifecycle.ActionReplaced, MayDelete: true, Announce: "a"},
			want: oldVM(func(vm *proxmox.VM) { vm.Metadata.Annotations[proxmox.ReplacingAnnotation] = "a" }),
		},
		"ReplacedStopped": {
			reason:   "A VM that ran is marked, so that it is started again where the replacement comes to nothing; it does not start with its node.",
			observed: func(o *proxmox.ObservedVM) { o.Spec.ForProvider.OnBoot = true },
			step:     lifecycle.Step{Action: lifecycle.ActionReplaced, MayDelete: true, Stop: true},
			want: oldVM(func(vm *proxmox.VM) {
				vm.Spec.ForProvider.Started, vm.Spec.ForProvider.OnBoot = false, false
				vm.Metadata.Annotations[proxmox.StoppedForAnnotation] = lifecycle.StoppedForReplacement
			}),
		},
		"ReplacedThatWasStopped": {
			reason:   "A VM that somebody stopped is not marked.",
			observed: func(o *proxmox.ObservedVM) { o.Status.AtProvider.Started = false },
			step:     lifecycle.Step{Action: lifecycle.ActionReplaced, MayDelete: true, Stop: true},
			want:     oldVM(func(vm *proxmox.VM) { vm.Spec.ForProvider.Started, vm.Spec.ForProvider.OnBoot = false, false }),
		},
		"ReplacedOfWhichNothingIsKnown": {
			reason:   "What was written counts where nothing is reported.",
			observed: func(o *proxmox.ObservedVM) { o.Status.AtProvider = proxmox.VMObservation{} },
			step:     lifecycle.Step{Action: lifecycle.ActionReplaced, MayDelete: true, Stop: true},
			want: oldVM(func(vm *proxmox.VM) {
				vm.Spec.ForProvider.Started, vm.Spec.ForProvider.OnBoot = false, false
				vm.Metadata.Annotations[proxmox.StoppedForAnnotation] = lifecycle.StoppedForReplacement
			}),
		},
		"ReplacedThatDidNotMove": {
			reason: "It was to move, and stays: one that somebody moves meanwhile is not moved back.",
			observed: func(o *proxmox.ObservedVM) {
				o.Spec.ForProvider.NodeName, o.Spec.ForProvider.Migrate, o.Status.AtProvider.NodeName = "pve2", true, "pve1"
			},
			step: lifecycle.Step{Action: lifecycle.ActionReplaced, MayDelete: true},
			want: oldVM(func(vm *proxmox.VM) { vm.Spec.ForProvider.NodeName = "pve1" }),
		},
		"RetireElsewhere": {
			reason:   "It stays on the node that it was moved to.",
			observed: func(o *proxmox.ObservedVM) { o.Status.AtProvider.NodeName = "pve2" },
			step:     lifecycle.Step{Action: lifecycle.ActionRetire},
			want: oldVM(func(vm *proxmox.VM) {
				vm.Spec.ForProvider.NodeName, vm.Spec.ManagementPolicies = "pve2", proxmox.Policies(proxmox.DeletionOrphans)
			}),
		},
	}

	seen := map[lifecycle.Action]bool{}

	for name, tc := range cases {
		seen[tc.step.Action] = true

		t.Run(name, func(t *testing.T) {
			m, observed := aMachine(), proxmox.State{}
			if tc.machine != nil {
				tc.machine(m)
			}

			if tc.observed != nil {
				observed.VMs = map[string]proxmox.ObservedVM{lifecycle.FirstVM: aVM(plainParameters(), tc.observed)}
			}

			r := requestOf(t, m, observed)

			p := lifecycle.Plan{Situation: r.Situation, Steps: map[string]lifecycle.Step{lifecycle.FirstVM: tc.step}, Promoted: true}
			if tc.plan != nil {
				tc.plan(&p)
			}

			r.Situation = p.Situation

			var want map[string]proxmox.VM
			if tc.want != nil {
				want = map[string]proxmox.VM{lifecycle.FirstVM: *tc.want}
			}

			got := Write(r, &p, describe(t, aMachine()))
			if diff := cmp.Diff(want, got.VMs, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}

	for _, a := range []lifecycle.Action{
		lifecycle.ActionWait, lifecycle.ActionCheck, lifecycle.ActionCreate, lifecycle.ActionFollow, lifecycle.ActionAdopt,
		lifecycle.ActionKeep, lifecycle.ActionReplaced, lifecycle.ActionRetire, lifecycle.ActionRelease,
	} {
		if !seen[a] {
			t.Errorf("no case of action %s", a)
		}
	}
}
