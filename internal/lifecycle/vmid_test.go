package lifecycle

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const rangePath = "data.sites.home.vmIds"

// A vmidCase is a machine whose described VM is to have a VMID.
type vmidCase struct {
	claimed  int64 // spec.proxmox.vmId; 0: none.
	adopt    int64 // spec.adopt.vmId; 0: none.
	template int64 // 0: none.
	ids      *machine.Range
	own      int64  // VMID of the described VM; 0: none.
	taken    bool   // Whether the described VM is checked for own, and another VM has it.
	adopting bool   // Whether the described VM is adopted, or to be.
	active   int64  // VMID of the VM that the described one is to replace; 0: none is replaced.
	notes    string // Of the VM that has own, where it is taken.
}

// pick a VMID, and the next one where the check found it taken.
func (c vmidCase) pick(t *testing.T, id machine.Identity) (VMID, string) {
	t.Helper()

	m := &machine.Machine{Identity: id, Placement: machine.Placement{VMID: c.claimed, VMIDRange: c.ids, VMIDRangePath: rangePath}}
	if c.adopt != 0 {
		m.Adopt = &v1alpha1.Adopt{VMID: c.adopt}
	}

	if c.template != 0 {
		m.Boot.Template = &machine.Template{VMID: c.template}
	}

	r := Request{Machine: m, Intent: "intent", Roles: Roles{Active: FirstVM}, Observed: proxmox.State{VMs: vms{}}}

	if c.active != 0 {
		old := made()
		old.Spec.ForProvider.VMID = new(c.active)
		r.Observed.VMs[FirstVM] = old
		r.Roles.Candidate = "vm-0123456789"
	}

	if c.own != 0 {
		r.Observed.VMs[r.Roles.Described()] = c.described(vmidQuestion{identity: m.Identity, intent: r.Intent, wanted: VMID{Range: c.ids}})
	}

	var fault string

	picked, err := PickVMID(m, r.Roles, r.Observed.VMs, 0)
	if err == nil && c.taken {
		r.VMID = picked
		picked, err = Advance(r)
	}

	if err != nil {
		fault = err.Field
	}

	return picked, fault
}

// described VM with its own VMID, as far as it has come.
func (c vmidCase) described(q vmidQuestion) proxmox.ObservedVM {
	vm := made()
	vm.Spec.ForProvider.VMID, vm.Spec.ForProvider.NodeName = new(c.own), "pve"

	switch {
	case c.taken && !c.adopting:
		vm.Spec.ManagementPolicies = proxmox.ObserveOnly()
		vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = proxmox.ImportName("pve", c.own)
		vm.Metadata.Annotations[proxmox.SearchedFromAnnotation] = fmt.Sprintf("%d/%s", c.first(), q.searchID())
		vm.Status.AtProvider.ID, vm.Status.AtProvider.Description = strconv.FormatInt(c.own, 10), c.notes
		vm.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "True"}}
	case c.adopting && c.adopt != 0:
		vm.Spec.ManagementPolicies = proxmox.ObserveOnly()
	case c.adopting:
		vm.Metadata.Annotations[proxmox.AdoptedAnnotation] = "true"
	}

	return vm
}

// first VMID of the search: one that is not met again.
func (c vmidCase) first() int64 { return 1 }

func TestVMID(t *testing.T) {
	thousand := &machine.Range{From: 1000, To: 1002}

	type want struct {
		VMID  int64
		Range *machine.Range
		Fault string // Of the only fault; empty: none.
	}

	cases := map[string]struct {
		reason string
		in     vmidCase
		want   want
	}{
		"Own": {
			reason: "A VM keeps its number, also one outside of the range.",
			in:     vmidCase{ids: &machine.Range{From: 1000, To: 1002}, own: 555},
			want:   want{VMID: 555, Range: thousand},
		},
		"Taken": {
			reason: "A VMID that another VM has is skipped.",
			in:     vmidCase{ids: &machine.Range{From: 1000, To: 1002}, own: 1000, taken: true},
			want:   want{VMID: 1001, Range: thousand},
		},
		"TakenByOwn": {
			reason: "A VM that was made for the claim is not passed over.",
			in:     vmidCase{ids: thousand, own: 1000, taken: true, notes: me.Origin() + "), managed by Crossplane."}, want: want{VMID: 1000, Range: thousand},
		},
		"TakenByOwnBeside": {
			reason: "While a VM is replaced, one of before is a VM like any other.",
			in:     vmidCase{ids: thousand, own: 1000, active: 1002, taken: true, notes: me.Origin() + "), managed by Crossplane."},
			want:   want{VMID: 1001, Range: thousand},
		},
		"TakenLast": {
			reason: "Behind the last number comes the first.",
			in:     vmidCase{ids: &machine.Range{From: 1000, To: 1002}, own: 1002, taken: true},
			want:   want{VMID: 1000, Range: thousand},
		},
		"TakenOnly": {
			reason: "A range of one begins again with it.",
			in:     vmidCase{ids: &machine.Range{From: 1000, To: 1000}, own: 1000, taken: true},
			want:   want{VMID: 1000, Range: &machine.Range{From: 1000, To: 1000}},
		},
		"TakenBesideTemplate": {
			reason: "The next number is not the template's.",
			in:     vmidCase{template: 1001, ids: &machine.Range{From: 1000, To: 1002}, own: 1000, taken: true},
			want:   want{VMID: 1002, Range: thousand},
		},
		"TakenWithoutRange": {
			reason: "A range that has left the catalogue is not searched any more.",
			in:     vmidCase{own: 1000, taken: true},
			want:   want{VMID: 1000},
		},
		"TakenOfClaim": {
			reason: "A number that the claim says is never changed.",
			in:     vmidCase{claimed: 1000, ids: &machine.Range{From: 1000, To: 1002}, own: 1000, taken: true},
			want:   want{VMID: 1000},
		},
		"TakenOfAdopted": {
			reason: "A VM that is taken over has its number, of course.",
			in:     vmidCase{adopt: 1000, ids: &machine.Range{From: 1000, To: 1002}, own: 1000, taken: true, adopting: true},
			want:   want{VMID: 1000},
		},
		"Adopting": {
			reason: "Until it is taken over, another VM can be named.",
			in:     vmidCase{adopt: 109, ids: &machine.Range{From: 1000, To: 1002}, own: 108, adopting: true},
			want:   want{VMID: 109},
		},
		"AdoptedBefore": {
			reason: "Once taken over, the claim need not name it any more.",
			in:     vmidCase{ids: &machine.Range{From: 1000, To: 1002}, own: 108, taken: true, adopting: true},
			want:   want{VMID: 108},
		},
		"AdoptWithoutEffect": {
			reason: "A machine that was made has its own VM.",
			in:     vmidCase{adopt: 109, ids: &machine.Range{From: 1000, To: 1002}, own: 555},
			want:   want{VMID: 555, Range: thousand},
		},
		"Replaced": {
			reason: "A new VM never gets the old one's number.",
			in:     vmidCase{ids: &machine.Range{From: 1000, To: 1001}, active: 1000},
			want:   want{VMID: 1001, Range: &machine.Range{From: 1000, To: 1001}},
		},
		"ReplacedOther": {
			reason: "Whichever number that is.",
			in:     vmidCase{ids: &machine.Range{From: 1000, To: 1001}, active: 1001},
			want:   want{VMID: 1000, Range: &machine.Range{From: 1000, To: 1001}},
		},
		"ReplacedTaken": {
			reason: "The next number is not the old one's either.",
			in:     vmidCase{ids: &machine.Range{From: 1000, To: 1002}, own: 1002, taken: true, active: 1000},
			want:   want{VMID: 1001, Range: thousand},
		},
		"ReplacedBesideTemplate": {
			reason: "Of three numbers, two may be passed over.",
			in:     vmidCase{template: 1001, ids: &machine.Range{From: 1000, To: 1002}, own: 1002, taken: true, active: 1000},
			want:   want{VMID: 1002, Range: thousand},
		},
		"ReplacedAlone": {
			reason: "A range of one has no second number.",
			in:     vmidCase{ids: &machine.Range{From: 1000, To: 1000}, active: 1000},
			want:   want{Fault: "data.sites.home.vmIds"},
		},
		"ReplacedConfused": {
			reason: "What is called the new VM's number and is the old one's is not the new one's.",
			in:     vmidCase{ids: &machine.Range{From: 1000, To: 1001}, own: 1000, active: 1000},
			want:   want{VMID: 1001, Range: &machine.Range{From: 1000, To: 1001}},
		},
		"TemplateAlone": {
			reason: "A clone cannot be its template.",
			in:     vmidCase{template: 1000, ids: &machine.Range{From: 1000, To: 1000}},
			want:   want{Fault: "data.sites.home.vmIds"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			picked, fault := tc.in.pick(t, me)
			got := want{VMID: picked.VMID, Range: picked.Range, Fault: fault}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nVMID: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestVMIDsTakenOneByOne has every VMID of a range turn out to be taken: each is tried once, and the last one stays.
func TestVMIDsTakenOneByOne(t *testing.T) {
	c := vmidCase{ids: &machine.Range{From: 1000, To: 1009}, template: 1004, active: 1007}
	first, _ := c.pick(t, me)
	tried := map[int64]bool{}

	for id := first.VMID; !tried[id]; {
		tried[id] = true
		c.own, c.taken = id, true
		next, _ := c.pick(t, me)
		id = next.VMID

		if tried[id] && id != first.VMID {
			t.Errorf("Behind %d comes %d again, which is not the first one, %d", c.own, id, first.VMID)
		}
	}

	want := map[int64]bool{1000: true, 1001: true, 1002: true, 1003: true, 1005: true, 1006: true, 1008: true, 1009: true}
	if diff := cmp.Diff(want, tried); diff != "" {
		t.Errorf("Every VMID is tried but the template's and the active VM's: -want, +got:\n%s", diff)
	}
}

// TestVMIDsOfARange: machines spread over a range, each always at the same VMID.
func TestVMIDsOfARange(t *testing.T) {
	picked := func(c vmidCase, n int) map[int64]bool {
		out := map[int64]bool{}

		for i := range n {
			id := me
			id.Name = fmt.Sprintf("dns%02d", i)

			v, fault := c.pick(t, id)
			if fault != "" {
				t.Fatal(fault)
			}

			out[v.VMID] = true
		}

		return out
	}

	got := picked(vmidCase{ids: &machine.Range{From: 1000, To: 1009}}, 200)
	if len(got) != 10 || got[999] || got[1010] || !got[1000] || !got[1009] {
		t.Errorf("The whole range is used, and nothing else: %v", got)
	}

	if got := picked(vmidCase{ids: &machine.Range{From: 5000, To: 5000}}, 3); !got[5000] || len(got) != 1 {
		t.Errorf("A range of one is a range: %v", got)
	}

	if got := picked(vmidCase{ids: &machine.Range{From: 1000, To: 1009}, template: 1004}, 200); got[1004] || len(got) != 9 {
		t.Errorf("No clone gets its template's VMID: %v", got)
	}

	// A claim that comes back begins where it began before, so that it finds what was made for it. A preview has no UID.
	c := vmidCase{ids: &machine.Range{From: 1000, To: 999999}}
	a, b := me, me
	a.UID, b.UID, b.Name = "", "", "dns02"

	first, _ := c.pick(t, a)
	second, _ := c.pick(t, b)

	if again, _ := c.pick(t, me); again.VMID != first.VMID {
		t.Errorf("want %d with a UID, too, got %d", first.VMID, again.VMID)
	}

	if first.VMID == second.VMID {
		t.Errorf("Two claims get two VMIDs, but both got %d", first.VMID)
	}
}
