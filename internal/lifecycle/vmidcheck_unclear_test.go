package lifecycle

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestUnclear: what has a VMID that the machine's own VM may have, and cannot be read, is neither passed over nor taken for nobody's.
func TestUnclear(t *testing.T) {
	const denied = "observe failed: cannot run import: x: error retrieving VM 153: received an HTTP 403 response - Reason: Permission check failed"

	id := machine.Identity{Kind: "Machine", Namespace: "infra", Name: "dns01"}
	first := firstVMID(id, machine.Range{From: 100, To: 199})
	// begins and later are ranges with 153, with which the machine begins, and to which it comes later.
	begins, later := machine.Range{From: 153 - (first - 100), To: 252 - (first - 100)}, machine.Range{From: 152 - (first - 100), To: 251 - (first - 100)}

	marked := func(before string) func(*proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) {
			vm.Metadata.Annotations[proxmox.SearchedFromAnnotation] = "153/of another claim's text" + before
		}
	}
	found := func(vm *proxmox.ObservedVM) {
		vm.Status.AtProvider.ID, vm.Status.AtProvider.Name, vm.Status.AtProvider.NodeName = "153", "web", "pve"
		vm.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "True", ObservedGeneration: vm.Metadata.Generation}}
	}

	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		vmID   VMID
		active bool // Whether the VM replaces another one.
		lost   string
		want   *VMIDCheck
	}{
		"Silent": {reason: "Its guest agent is not up yet.", vm: aCheck(says(silent, 3)), vmID: VMID{VMID: 153, Range: &begins}, want: &VMIDCheck{VMID: 153, Outcome: OutcomeUnclear}},
		"Unreadable": {
			reason: "Its Proxmox node is off.", vm: aCheck(says(unreadable, 3)), vmID: VMID{VMID: 153, Range: &begins}, want: &VMIDCheck{VMID: 153, Outcome: OutcomeUnclear},
		},
		"Denied": {
			reason: "It is another team's.", vm: aCheck(says(denied, 3)), vmID: VMID{VMID: 153, Range: &begins}, want: &VMIDCheck{VMID: 153, Outcome: OutcomeUnreadable},
		},
		"Read": {
			reason: "It is somebody's.", vm: aCheck(found), vmID: VMID{VMID: 153, Range: &begins},
			want: &VMIDCheck{VMID: 153, Outcome: OutcomeTaken, Name: "web", Node: "pve"},
		},
		"Later": {reason: "The machine does not begin there.", vm: aCheck(says(silent, 3)), vmID: VMID{VMID: 153, Range: &later}, want: &VMIDCheck{VMID: 153, Outcome: OutcomeSilent}},
		"Before": {
			reason: "Its status names it.", vm: aCheck(says(silent, 3)), vmID: VMID{VMID: 153, Range: &later, Before: 153}, want: &VMIDCheck{VMID: 153, Outcome: OutcomeUnclear},
		},
		"Remembered": {
			reason: "Its status named it in an earlier call, and the claim was edited since.", vm: aCheck(says(silent, 3), marked("/153")), vmID: VMID{VMID: 153, Range: &later},
			want: &VMIDCheck{VMID: 153, Outcome: OutcomeUnclear},
		},
		"Edited": {
			reason: "The claim was edited while this VMID was looked at.", vm: aCheck(says(silent, 3), marked("")), vmID: VMID{VMID: 153, Range: &later},
			want: &VMIDCheck{VMID: 153, Outcome: OutcomeSilent},
		},
		"Lost": {
			reason: "A person says that a node does not come back.", vm: aCheck(says(unreadable, 3)), vmID: VMID{VMID: 153, Range: &begins}, lost: "pve2",
			want: &VMIDCheck{VMID: 153, Outcome: OutcomeUnreadable},
		},
		"Beside": {
			reason: "The machine has its VM.", vm: aCheck(says(silent, 3)), vmID: VMID{VMID: 153, Range: &begins}, active: true, want: &VMIDCheck{VMID: 153, Outcome: OutcomeSilent},
		},
		"Fixed": {reason: "A person chose the VMID.", vm: aCheck(says(silent, 3)), vmID: VMID{VMID: 153}, want: &VMIDCheck{VMID: 153, Outcome: OutcomeSilent}},
		"OfProxmox": {
			reason: "Proxmox is to choose another one.", vm: aCheck(says(unreadable, 3)), vmID: VMID{Before: 153}, want: &VMIDCheck{VMID: 153, Outcome: OutcomeUnclear},
		},
		"OfProxmoxDenied": {reason: "It is another team's.", vm: aCheck(says(denied, 3)), vmID: VMID{Before: 153}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := Request{
				Machine: &machine.Machine{Identity: id, Lifecycle: v1alpha1.Lifecycle{Lost: tc.lost}}, Intent: "intent", VMID: tc.vmID,
				Owner: Owner{Composite: "dns01", Namespace: "infra", ProviderConfigRef: proxmox.ProviderConfigRef{Name: "home"}},
				Roles: Roles{Active: FirstVM}, Observed: proxmox.State{VMs: vms{}},
			}

			if tc.active {
				old := made()
				old.Spec.ForProvider.VMID = new(int64(100))
				r.Roles, r.Observed.VMs[FirstVM] = Roles{Active: FirstVM, Candidate: "vm-0123456789"}, old
			}

			r.Observed.VMs[r.Roles.Described()] = tc.vm

			q := vmidQuestionOf(&r, tc.vm, StateChecking)
			if diff := cmp.Diff(tc.want, q.checkVMID()); diff != "" {
				t.Errorf("%s\ncheckVMID(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTheVMIDOfBeforeIsRemembered while the range is searched, and where the claim is edited meanwhile.
func TestTheVMIDOfBeforeIsRemembered(t *testing.T) {
	ids := machine.Range{From: 100, To: 199}
	q := vmidQuestion{identity: machine.Identity{Kind: "Machine", Name: "dns01"}, intent: "a", wanted: VMID{VMID: 150, Range: &ids, Before: 150}, vm: aCheck()}

	for _, intent := range []string{"a", "a", "b"} {
		q.intent = intent
		q.vm.Metadata.Annotations[proxmox.SearchedFromAnnotation] = q.mark(q.wanted.VMID)
		q.wanted = VMID{VMID: 151, Range: &ids}

		if want, got := strconv.Itoa(150), strconv.FormatInt(q.before(), 10); want != got {
			t.Errorf("before: want %s, got %s", want, got)
		}
	}
}
