package resolve

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

// TestEditWithoutDefaults: a living VM whose catalogue never had a default is edited like one whose claim says what is built in: also
// an edit that is right, or wrong, with the built-in value alone gets its machine, or its faults.
func TestEditWithoutDefaults(t *testing.T) {
	const before = `{proxmox: {node: pve}}`

	cases := map[string]struct {
		reason string
		spec   string
		want   string // A piece of the faults; empty: none.
	}{
		"Right": {reason: "Nothing speaks against more memory.", spec: `{proxmox: {node: pve}, size: {memory: 8Gi}}`},
		"WrongForTheBuiltInImage": {
			reason: "The built-in image is no NixOS.", spec: `{proxmox: {node: pve}, nix: {flakeRef: "github:owner/repo"}}`,
			want: `spec.image: Invalid value: "ubuntu-24.04": nix needs a NixOS image`,
		},
		"Wrong": {reason: "A fault of the claim does not hide behind the catalogue.", spec: `{proxmox: {node: pve}, size: {memory: 8X}}`, want: "spec.size.memory"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			applied := aClaim(t, kindMachine, before)
			has := Entries{Class: catalog.BuiltIn().Classes["small"], Image: catalog.BuiltIn().Images["ubuntu-24.04"]}
			has.Class.CPUType = aMachine(t, kindMachine, before, `{}`, Existing{}).CPUType
			m, errs := Claim(aClaim(t, kindMachine, tc.spec), aCatalog(t, `{}`), Existing{Node: "pve", Has: &has, Applied: &applied})

			if (m == nil) != (tc.want != "") || (len(errs) > 0) != (tc.want != "") {
				t.Fatalf("%s\nClaim(...): want a machine or faults, got %v and %v", tc.reason, m, errs)
			}

			if len(errs) > 0 && !strings.Contains(errs.ToAggregate().Error(), tc.want) {
				t.Errorf("%s\nClaim(...): want %q, got %v", tc.reason, tc.want, errs)
			}
		})
	}
}
