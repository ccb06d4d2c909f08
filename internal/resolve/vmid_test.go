package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestVMID: what claim and site say of the VMID comes through as it is; package lifecycle picks it.
func TestVMID(t *testing.T) {
	type want struct {
		VMID  int64
		Range *machine.Range
		Path  string
		Fault string // Of the only fault; empty: none.
	}

	const path = "data.sites.home.vmIds"

	thousand := &machine.Range{From: 1000, To: 1002}

	cases := map[string]struct {
		reason   string
		spec     string
		vmIDs    string
		existing Existing
		want     want
	}{
		"Silent": {reason: "Neither claim nor site says anything.", spec: `{proxmox: {site: home}}`, vmIDs: `null`},
		"Range":  {reason: "The site has a range.", spec: `{proxmox: {site: home}}`, vmIDs: `{from: 1000, to: 1002}`, want: want{Range: thousand, Path: path}},
		"Claim":  {reason: "The claim says a VMID.", spec: `{proxmox: {site: home, vmId: 777}}`, vmIDs: `null`, want: want{VMID: 777}},
		"Both":   {reason: "The claim's VMID need not be in the range.", spec: `{proxmox: {site: home, vmId: 777}}`, vmIDs: `{from: 1000, to: 1002}`, want: want{VMID: 777, Range: thousand, Path: path}},
		"Template": {
			reason: "A clone cannot have its template's VMID.", spec: `{proxmox: {site: home, vmId: 9000}, image: 9000}`, vmIDs: `null`, want: want{Fault: "spec.proxmox.vmId"},
		},
		"AdoptTemplate": {
			reason: "Taking over its own template would end in starting or destroying it.",
			spec:   `{proxmox: {site: home}, image: 9000, adopt: {vmId: 9000}}`, vmIDs: `null`, existing: Existing{Adopting: true},
			want: want{Fault: "spec.adopt.vmId"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, kindMachine, tc.spec), aCatalog(t, `{images: {mine: {template: 9000}}, sites: {home: {nodes: {pve: {}}, vmIds: `+tc.vmIDs+`}}}`), tc.existing)

			got := want{}
			if m != nil {
				got.VMID, got.Range, got.Path = m.Placement.VMID, m.Placement.VMIDRange, m.Placement.VMIDRangePath
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
