package lifecycle

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestVMIDOfContainer: no check finds a container that has a VMID of a range. Where Proxmox refuses the VM because of one, the search goes on behind it, and ends where it began.
func TestVMIDOfContainer(t *testing.T) {
	ids := &machine.Range{From: 153, To: 154}
	refusedFor := func(id int64) proxmox.ObservedVM {
		vm := aCheck(says(fmt.Sprintf("create failed: unable to create VM %[1]d - CT %[1]d already exists on node 'pve'", id), 3))
		vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
		vm.Spec.ForProvider.VMID = new(id)
		vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = ""
		vm.Metadata.Annotations[proxmox.CreatingAnnotation] = ""
		vm.Status.Conditions = append(vm.Status.Conditions, failed()[0], failed()[2])

		return vm
	}
	mark := func(first int64) string {
		return fmt.Sprintf("%d/%s", first, vmidQuestion{identity: me, wanted: VMID{Range: ids}}.searchID())
	}
	searched := func(vm proxmox.ObservedVM, first int64) proxmox.ObservedVM {
		return annotated(vm, proxmox.SearchedFromAnnotation, mark(first))
	}

	type answer struct {
		VMID    VMID
		Check   *VMIDCheck
		Carries string // What a creation with the VMID remembers of the search.
	}

	for name, tc := range map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		wanted VMID
		want   answer
	}{
		"First": {
			reason: "The next VMID is looked at.", vm: refusedFor(153), wanted: VMID{VMID: 153, Range: ids},
			want: answer{VMID: VMID{VMID: 154, Range: ids, Tried: 153}, Check: &VMIDCheck{VMID: 153, Outcome: OutcomeContainer, Next: 154}},
		},
		"All": {
			reason: "The search has come round: what Proxmox says of the creation is all there is to tell.", vm: searched(refusedFor(154), 153), wanted: VMID{VMID: 154, Range: ids},
			want: answer{VMID: VMID{VMID: 154, Range: ids, UsedUp: true}, Carries: mark(153)},
		},
		"Claimed": {
			reason: "A VMID that a person chose never changes.", vm: refusedFor(153), wanted: VMID{VMID: 153},
			want: answer{VMID: VMID{VMID: 153}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := Request{
				Machine: &machine.Machine{Identity: me, Placement: machine.Placement{VMIDRange: tc.wanted.Range, VMIDRangePath: rangePath}},
				Roles:   Roles{Active: FirstVM}, Observed: proxmox.State{VMs: vms{FirstVM: tc.vm}}, VMID: tc.wanted,
			}

			next, err := Advance(r)
			if err != nil {
				t.Fatalf("%s\nAdvance(): %v", tc.reason, err)
			}

			r.VMID = next
			q := vmidQuestionOf(&r, tc.vm, StateOf(r.Observed.VMs, FirstVM))

			if diff := cmp.Diff(tc.want, answer{next, q.checkVMID(), q.passedContainers()}); diff != "" {
				t.Errorf("%s\nAdvance(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOutcomeInUse: with what has a VMID no VM is made, and a search goes on behind all of it but what may be the machine's own.
func TestOutcomeInUse(t *testing.T) {
	type answer struct{ InUse, PassedOver bool }

	for outcome, want := range map[Outcome]answer{
		OutcomeChecking: {}, OutcomeConfirming: {}, OutcomeFree: {}, OutcomeOwn: {InUse: true}, OutcomeLeftBehind: {InUse: true}, OutcomeUnclear: {InUse: true},
		OutcomeTaken: {true, true}, OutcomeSilent: {true, true}, OutcomeUnreadable: {true, true}, OutcomeContainer: {true, true}, OutcomeClaimed: {true, true},
		OutcomeRequested: {true, true},
	} {
		if diff := cmp.Diff(want, answer{outcome.InUse(), outcome.PassedOver()}); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", outcome, diff)
		}
	}
}

// TestPassedContainers: a creation remembers a search that led to its VMID from elsewhere, and nothing of one that began with it.
func TestPassedContainers(t *testing.T) {
	ids := &machine.Range{From: 153, To: 155}
	mark := "153/" + vmidQuestion{identity: me, wanted: VMID{Range: ids}}.searchID()

	for name, tc := range map[string]struct {
		reason string
		mark   string
		vmID   int64
		want   string
	}{
		"Led":     {"The search goes on behind it, and ends where it began.", mark, 154, mark},
		"Here":    {"It began here.", mark, 153, ""},
		"None":    {"Nobody searched.", "", 154, ""},
		"Another": {"It was a search through another range.", "153/other", 154, ""},
	} {
		t.Run(name, func(t *testing.T) {
			q := vmidQuestion{identity: me, wanted: VMID{VMID: tc.vmID, Range: ids}, vm: annotated(aCheck(), proxmox.SearchedFromAnnotation, tc.mark)}

			if diff := cmp.Diff(tc.want, q.passedContainers()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
