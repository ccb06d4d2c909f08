package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

func TestNumberOfALivingVM(t *testing.T) {
	thousand := &machine.Range{From: 1000, To: 1002}

	type want struct {
		VMID  int64
		Range *machine.Range
		Fault string // Of the only fault; empty: none.
	}

	cases := map[string]struct {
		reason   string
		spec     string
		vmIDs    string
		existing Existing
		want     want
	}{
		"Own": {
			reason: "A VM keeps its number, also one outside of the range.",
			spec:   `{proxmox: {site: home}}`, vmIDs: `{from: 1000, to: 1002}`, existing: Existing{VMID: 555},
			want: want{VMID: 555, Range: thousand},
		},
		"Taken": {
			reason: "A number that another VM has makes way for the next one.",
			spec:   `{proxmox: {site: home}}`, vmIDs: `{from: 1000, to: 1002}`, existing: Existing{VMID: 1000, VMIDTaken: true},
			want: want{VMID: 1001, Range: thousand},
		},
		"TakenLast": {
			reason: "Behind the last number comes the first.",
			spec:   `{proxmox: {site: home}}`, vmIDs: `{from: 1000, to: 1002}`, existing: Existing{VMID: 1002, VMIDTaken: true},
			want: want{VMID: 1000, Range: thousand},
		},
		"TakenOnly": {
			reason: "A range of one begins again with it.",
			spec:   `{proxmox: {site: home}}`, vmIDs: `{from: 1000, to: 1000}`, existing: Existing{VMID: 1000, VMIDTaken: true},
			want: want{VMID: 1000, Range: &machine.Range{From: 1000, To: 1000}},
		},
		"TakenBesideTemplate": {
			reason: "The next number is not the template's.",
			spec:   `{proxmox: {site: home}, image: 1001}`, vmIDs: `{from: 1000, to: 1002}`, existing: Existing{VMID: 1000, VMIDTaken: true},
			want: want{VMID: 1002, Range: thousand},
		},
		"TakenWithoutRange": {
			reason: "Without a range any more, Proxmox takes the next free number.",
			spec:   `{proxmox: {site: home}}`, vmIDs: `null`, existing: Existing{VMID: 1000, VMIDTaken: true},
			want: want{},
		},
		"TakenOfClaim": {
			reason: "A number that the claim says is never changed.",
			spec:   `{proxmox: {site: home, vmId: 1000}}`, vmIDs: `{from: 1000, to: 1002}`, existing: Existing{VMID: 1000, VMIDTaken: true},
			want: want{VMID: 1000},
		},
		"TakenOfAdopted": {
			reason: "A VM that is taken over has its number, of course.",
			spec:   `{proxmox: {site: home}, adopt: {vmId: 1000}}`, vmIDs: `{from: 1000, to: 1002}`, existing: Existing{VMID: 1000, VMIDTaken: true, Adopting: true},
			want: want{VMID: 1000},
		},
		"Adopting": {
			reason: "Until it is taken over, another VM can be named.",
			spec:   `{proxmox: {site: home}, adopt: {vmId: 109}}`, vmIDs: `{from: 1000, to: 1002}`, existing: Existing{VMID: 108, Adopting: true},
			want: want{VMID: 109},
		},
		"AdoptedBefore": {
			reason: "Once taken over, the claim need not name it any more.",
			spec:   `{proxmox: {site: home}}`, vmIDs: `{from: 1000, to: 1002}`, existing: Existing{VMID: 108, VMIDTaken: true, Adopting: true},
			want: want{VMID: 108},
		},
		"AdoptWithoutEffect": {
			reason: "A machine that was made has its own VM.",
			spec:   `{proxmox: {site: home}, adopt: {vmId: 109}}`, vmIDs: `{from: 1000, to: 1002}`, existing: Existing{VMID: 555},
			want: want{VMID: 555, Range: thousand},
		},
		"AdoptTemplate": {
			reason: "Taking over its own template would end in starting or destroying it.",
			spec:   `{proxmox: {site: home}, image: 9000, adopt: {vmId: 9000}}`, vmIDs: `null`, existing: Existing{Adopting: true},
			want: want{Fault: "spec.adopt.vmId"},
		},
		"Replaced": {
			reason: "A new VM never gets the old one's number.",
			spec:   `{proxmox: {site: home}}`, vmIDs: `{from: 1000, to: 1001}`, existing: Existing{FormerVMID: 1000},
			want: want{VMID: 1001, Range: &machine.Range{From: 1000, To: 1001}},
		},
		"ReplacedOther": {
			reason: "Whichever number that is.",
			spec:   `{proxmox: {site: home}}`, vmIDs: `{from: 1000, to: 1001}`, existing: Existing{FormerVMID: 1001},
			want: want{VMID: 1000, Range: &machine.Range{From: 1000, To: 1001}},
		},
		"ReplacedTaken": {
			reason: "The next number is not the old one's either.",
			spec:   `{proxmox: {site: home}}`, vmIDs: `{from: 1000, to: 1002}`, existing: Existing{VMID: 1002, VMIDTaken: true, FormerVMID: 1000},
			want: want{VMID: 1001, Range: thousand},
		},
		"ReplacedBesideTemplate": {
			reason: "Of three numbers, two may be passed over.",
			spec:   `{proxmox: {site: home}, image: 1001}`, vmIDs: `{from: 1000, to: 1002}`, existing: Existing{VMID: 1002, VMIDTaken: true, FormerVMID: 1000},
			want: want{VMID: 1002, Range: thousand},
		},
		"ReplacedAlone": {
			reason: "A range of one has no second number.",
			spec:   `{proxmox: {site: home}}`, vmIDs: `{from: 1000, to: 1000}`, existing: Existing{FormerVMID: 1000},
			want: want{Fault: "data.sites.home.vmIds"},
		},
		"ReplacedConfused": {
			reason: "What is called the new VM's number and is the old one's is not the new one's.",
			spec:   `{proxmox: {site: home}}`, vmIDs: `{from: 1000, to: 1001}`, existing: Existing{VMID: 1000, FormerVMID: 1000},
			want: want{VMID: 1001, Range: &machine.Range{From: 1000, To: 1001}},
		},
		"TemplateAlone": {
			reason: "A clone cannot be its template.",
			spec:   `{proxmox: {site: home}, image: 1000}`, vmIDs: `{from: 1000, to: 1000}`,
			want: want{Fault: "data.sites.home.vmIds"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, kindMachine, tc.spec), aCatalog(t, `sites: {home: {nodes: {pve: {}}, vmIds: `+tc.vmIDs+`}}`), tc.existing)

			got := want{}
			if m != nil {
				got.VMID, got.Range = m.Placement.VMID, m.Placement.VMIDRange
			}

			for _, err := range errs {
				got.Fault += err.Field
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNumbersTakenOneByOne has every number of a range turn out to be taken: each is tried once, and then the first again.
func TestNumbersTakenOneByOne(t *testing.T) {
	const document = `sites: {home: {nodes: {pve: {}}, vmIds: {from: 1000, to: 1009}}}`

	const spec = `{proxmox: {site: home}, image: 1004}`

	s := Existing{FormerVMID: 1007}
	first := aMachine(t, kindMachine, spec, document, s).Placement
	tried := map[int64]bool{}

	for id := first.VMID; !tried[id]; {
		tried[id] = true
		s.VMID, s.VMIDTaken = id, true
		id = aMachine(t, kindMachine, spec, document, s).Placement.VMID

		if tried[id] && id != first.VMID {
			t.Errorf("Behind %d comes %d again, which is not the first one, %d", s.VMID, id, first.VMID)
		}
	}

	want := map[int64]bool{1000: true, 1001: true, 1002: true, 1003: true, 1005: true, 1006: true, 1008: true, 1009: true}
	if diff := cmp.Diff(want, tried); diff != "" {
		t.Errorf("Every number is tried but the template's and the former VM's: -want, +got:\n%s", diff)
	}
}
