package status

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestReadyOther: a VM that is to take the machine's place, or has lost it, is ready when it is as it is rendered.
func TestReadyOther(t *testing.T) {
	agent := func(p *proxmox.VMParameters) { p.Agent = []proxmox.Agent{{Enabled: true}} }
	without := func(p *proxmox.VMParameters) { p.Agent = []proxmox.Agent{{}} }
	stopped := func(p *proxmox.VMParameters) { p.Started = false }

	cases := map[string]struct {
		reason string
		wanted func(*proxmox.VMParameters)
		found  func(*proxmox.ObservedVM)
		want   bool
	}{
		"Runs":           {"It runs, with an address.", agent, func(*proxmox.ObservedVM) {}, true},
		"NoAddress":      {"It has no address yet; one that the machine had is not its own.", agent, silent, false},
		"NoAgent":        {"Nobody can tell its address.", without, silent, true},
		"NotStarted":     {"It is to run.", agent, func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false }, false},
		"Retired":        {"It is to be stopped, and is.", stopped, func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false }, true},
		"RunsOn":         {"It is to be stopped.", stopped, func(*proxmox.ObservedVM) {}, false},
		"OnlyLookedAt":   {"It is another's.", agent, func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.ObserveOnly() }, false},
		"NoID":           {"Nothing is known of it.", agent, func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.ID = "" }, false},
		"NotFound":       {"The provider has not found it.", agent, func(vm *proxmox.ObservedVM) { vm.Status.Conditions = nil }, false},
		"Failing":        {"An update of it fails.", agent, paused(""), false},
		"OfAnotherState": {"An error that is over does not count.", agent, func(vm *proxmox.ObservedVM) { vm.Status.Conditions[1].Status = "False" }, true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := replaced(t, lifecycle.StageMaking, false, vmRunning, vmNext)

			vm := in.State.VMs[next]
			tc.wanted(&vm.Spec.ForProvider)

			in.Desired.VMs[next] = vm.Retained(vm.Metadata.Metadata, proxmox.DeletionDestroys)
			tc.found(&vm)
			in.State.VMs[next] = vm

			if got := Machine(in).Ready; got[next] != tc.want || !got[lifecycle.FirstVM] {
				t.Errorf("%s\nready: want %t beside a machine that is, got %v", tc.reason, tc.want, got)
			}
		})
	}
}

// TestReadyOtherLooksOnly: while the number of the new VM is looked at, nothing of it is ready.
func TestReadyOtherLooksOnly(t *testing.T) {
	in := replaced(t, lifecycle.StagePreparing, false, vmRunning, vmNext)

	vm := in.State.VMs[next]
	r := vm.Retained(vm.Metadata.Metadata, proxmox.DeletionDestroys)
	r.Spec.ManagementPolicies = proxmox.ObserveOnly()

	in.Desired.VMs[next] = r
	if Machine(in).Ready[next] {
		t.Error("a VM that is only looked at is ready")
	}
}

// TestImagesOfANewVM: the image that the old VM was made from no longer matters, but the new VM's does until that is made.
func TestImagesOfANewVM(t *testing.T) {
	const other = "image-9876543210"

	in := replaced(t, lifecycle.StagePreparing, false, vmRunning)
	in.Desired.DownloadFiles[other] = proxmox.DownloadFile{}

	if Machine(in).Ready[other] {
		t.Error("an image that the new VM waits for is ready")
	}

	in.State = observed(t, vmRunning, vmNext, snippetsThere)
	if got := Machine(in).Ready; !got[other] || !got[image] {
		t.Errorf("images of VMs that were made are not ready: %v", got)
	}
}

// TestNothingIsHandedOn: what is known of the old VM is not known of the new one.
func TestNothingIsHandedOn(t *testing.T) {
	in := replaced(t, lifecycle.StageMaking, false, vmRunning, vmNext)
	in.Previous = after(Machine(in))
	in = done(in)

	vm := in.State.VMs[next]
	silent(&vm)
	in.State.VMs[next] = vm

	got := Machine(in)
	if s := got.Status; s.PrimaryAddress != "" || s.Addresses != nil || s.Phase != v1alpha1.PhaseStarting {
		t.Errorf("a new VM whose agent says nothing: phase %s, addresses %v", s.Phase, s.Addresses)
	}

	if c := got.condition(TypeMachineReady); c.Reason != ReasonWaitingForAddress {
		t.Errorf("a new VM whose agent says nothing: %+v", c)
	}
}

// TestSilentWhileReplaced: the phase says Replacing, and a machine that ran without a word of its agent still does.
func TestSilentWhileReplaced(t *testing.T) {
	in := edit(running(t), silent)
	in.agent(false)
	in.Previous = after(Machine(in))
	in.agent(true)
	in.Bootstrap.Hash = "bbbbbbbbbb"

	first := replaced(t, lifecycle.StagePreparing, false, vmRunning)
	first.State.VMs, first.Previous, first.Bootstrap = in.State.VMs, in.Previous, in.Bootstrap

	for range 3 {
		out := Machine(first)
		if c := out.condition(TypeMachineReady); c.Status != "True" || out.Status.Phase != v1alpha1.PhaseReplacing {
			t.Fatalf("phase %s, %+v", out.Status.Phase, c)
		}

		first.Previous = after(out)
	}

	waits := replaced(t, lifecycle.StagePreparing, false, vmRunning)
	waits.State.VMs = in.State.VMs
	waits.Previous = v1alpha1.Status{Phase: v1alpha1.PhaseStarting}

	for range 3 {
		out := Machine(waits)
		if c := out.condition(TypeMachineReady); c.Reason != ReasonWaitingForAddress {
			t.Fatalf("a machine that never had an address: %+v", c)
		}

		waits.Previous = after(out)
	}
}

// TestReplacementWords holds what is said of replacements in the moments that no scenario shows.
func TestReplacementWords(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     func(*testing.T) Input
		has    []string
		hasNot []string
	}{
		"BlockedAlone": {
			reason: "Nothing is held back.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Replacement = &lifecycle.Replacement{Trigger: "2", Stage: lifecycle.StageBlocked, Old: lifecycle.FirstVM, Blocker: lifecycle.Blocker{Reason: lifecycle.BlockedByOnlyServer, Cluster: "home"}}

				return in
			},
			has: []string{"spec.lifecycle.replace requests a new VM, but the replacement is blocked. This is the only known server of K3s cluster home"}, hasNot: []string{"cannot follow", "in all. "},
		},
		"HeldWhileReplaced": {
			reason: "What the old VM cannot follow, the new one has.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StageMaking, false, vmRunning, vmNext)
				in.Plan.Held = []change.Change{{Field: "spec.image", Has: "a", Wanted: "b"}}

				return in
			},
			has: []string{"is replacing VM 153"}, hasNot: []string{"spec.image"},
		},
		"Orphan": {
			reason: "The old VM is not destroyed where its claim does not destroy.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StageMaking, false, vmRunning, vmNext)
				in.Machine.DeletionPolicy = v1alpha1.DeletionOrphan

				return in
			},
			has: []string{"the old VM stays in Proxmox, stopped."}, hasNot: []string{"destroyed"},
		},
		"SnippetFails": {
			reason: "A snippet of the new VM cannot be written.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StagePreparing, false, vmRunning)
				in.Plan.Waiting = []string{userData}
				f := in.State.Files[userData]
				f.Status.Conditions = []proxmox.Condition{{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "create failed: failed to dial"}}
				in.State.Files[userData] = f

				return in
			},
			has: []string{"Condition ProviderHealthy explains its error."},
		},
		"OldSnippetFails": {
			reason: "A snippet of the old VM does not matter to the new one.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StagePreparing, false, vmRunning)
				f := in.State.Files[userData]
				f.Status.Conditions = []proxmox.Condition{{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "create failed: failed to dial"}}
				in.State.Files[userData] = f

				return in
			},
			hasNot: []string{"ProviderHealthy"},
		},
		"OldWithoutNumber": {
			reason: "Nobody knows the number of a VM that Proxmox chose and that is gone.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StageRetiring, true, vmRunning, vmNext)
				in.Plan.Roles.Active = next
				in.wants(true)

				vm := in.State.VMs[lifecycle.FirstVM]
				vm.Spec.ForProvider.VMID, vm.Status.AtProvider, vm.Metadata.Annotations = nil, proxmox.VMObservation{}, nil
				in.State.VMs[lifecycle.FirstVM] = vm

				return in
			},
			has: []string{"is replacing the previous VM."},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Machine(tc.in(t)).condition(TypeReplacementRequired).Message

			for _, text := range tc.has {
				if !strings.Contains(got, text) {
					t.Errorf("%s\nmissing %q in: %s", tc.reason, text, got)
				}
			}

			for _, text := range tc.hasNot {
				if strings.Contains(got, text) {
					t.Errorf("%s\nunexpected %q in: %s", tc.reason, text, got)
				}
			}
		})
	}
}

// TestNumberOfTheNewVM: while a machine is replaced, the claim's number is not that of its VM.
func TestNumberOfTheNewVM(t *testing.T) {
	in := replaced(t, lifecycle.StagePreparing, false, vmRunning)
	in = edit(in, func(vm *proxmox.ObservedVM) {
		vm.Spec.ForProvider.VMID, vm.Status.AtProvider.ID, vm.Status.AtProvider.VMID = nil, "", 0
		vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = "not-known-yet"
	})

	if id := Machine(in).Status.VMID; id != nil {
		t.Errorf("a VM whose number is not known has number %d", *id)
	}

	in.Plan.Replacement = nil
	if id := Machine(in).Status.VMID; id == nil || *id != 160 {
		t.Errorf("a VM that was asked for with number 160 has number %v", id)
	}
}

// TestUnnumbered: a machine without a number of its own says that nobody has to look.
func TestUnnumbered(t *testing.T) {
	in := dns01()
	in.Plan.VMID.VMID = 0

	want := Condition{"VMIDInUse", "False", "NumberFree", "The claim requests no VMID; Proxmox chooses the next free one."}
	if diff := cmp.Diff(want, Machine(in).condition(TypeVMIDInUse)); diff != "" {
		t.Errorf("a machine whose number Proxmox chooses: -want, +got:\n%s", diff)
	}

	in.Plan.VMID.Range, in.Plan.VMID.UsedUp = &machine.Range{From: 150, To: 199}, true
	in.Machine.Placement.Site = ""
	in.Plan.Check = &lifecycle.VMIDCheck{VMID: 150, Outcome: lifecycle.OutcomeTaken, Name: "nas", Node: "pve2"}

	if got := Machine(in).condition(TypeVMIDInUse).Message; !strings.Contains(got, "(sites.<site>.vmIds)") {
		t.Errorf("a site without a name: %s", got)
	}
}
