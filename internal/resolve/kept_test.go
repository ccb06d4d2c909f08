package resolve

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
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

// TestClassOfALostCatalogue: a class of the catalogue may have the name of a built-in one. Where the catalogue is gone, or cannot be read whole, nobody knows which of
// them a living machine has: a disk that grew never becomes small again.
func TestClassOfALostCatalogue(t *testing.T) {
	const spec = `{proxmox: {node: pve}, class: small, image: ubuntu-24.04}`

	lost := catalog.BuiltIn()
	lost.Absent = "EnvironmentConfig machine-catalog was not found"

	unreadable := aCatalog(t, `{}`)
	unreadable.Faults = map[catalog.Part]field.ErrorList{"": {field.Invalid(field.NewPath("data").Child("clases"), "", "unknown field")}}

	built := catalog.BuiltIn().Classes["small"]
	ours := catalog.Class{}
	ours.Cores, ours.Memory, ours.Disk = 1, "1Gi", "10Gi"

	cases := map[string]struct {
		reason    string
		catalogue catalog.Catalog
		has       *catalog.Class // Of the living VM; nil for none.
		cores     int64
		disk      int64
		kept      bool
		never     []string // The defaults that no catalogue ever gave.
	}{
		"Lost":       {"It keeps what it has.", lost, &ours, 1, 0, true, nil},
		"Unreadable": {"So it does where the classes may be behind a key that nobody knows.", unreadable, &ours, 1, 0, true, nil},
		"NeverHad":   {"Its VM has what is built in.", lost, &built, built.Cores, 30, false, nil},
		"NeverThere": {"Nor was there ever a catalogue that could be lost: this one was edited.", lost, &ours, built.Cores, 30, false, defaults()},
		"NoVM":       {"There is nothing to keep.", lost, nil, built.Cores, 30, false, nil},
		"There":      {"A catalogue without the class says that it is the built-in one.", aCatalog(t, `{}`), &ours, built.Cores, 30, false, nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			existing := Existing{}

			if tc.has != nil {
				applied := aClaim(t, kindMachine, spec)
				existing = Existing{Node: "pve", Has: &Entries{Class: *tc.has, Image: catalog.BuiltIn().Images["ubuntu-24.04"]}, Applied: &applied, BuiltIn: tc.never}
				existing.Has.Class.CPUType = defaultCPUType
			}

			m, errs := Claim(aClaim(t, kindMachine, spec), tc.catalogue, existing)
			if len(errs) > 0 {
				t.Fatalf("%s\n%v", tc.reason, errs.ToAggregate())
			}

			if m.Cores != tc.cores || tc.disk != 0 && m.Boot.DiskGiB != tc.disk || m.Keeps(machine.PartSize) != tc.kept {
				t.Errorf("%s\n%d cores, a disk of %d GiB, kept: %t", tc.reason, m.Cores, m.Boot.DiskGiB, m.Keeps(machine.PartSize))
			}
		})
	}
}
