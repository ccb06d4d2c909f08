package status

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestInvalid(t *testing.T) {
	spec := field.NewPath("spec")
	vlan := field.Invalid(spec.Child("proxmox", "vlan"), 5000, "must be between 1 and 4094")
	class := field.NotFound(spec.Child("class"), "hueg")
	url := field.Required(field.NewPath("images").Key("nixos"), "an image needs one of url, volume, template and iso")

	cases := map[string]struct {
		reason string
		errs   field.ErrorList
		want   Condition
	}{
		"Claim": {
			"All faults are named, in the order of the fatal result.",
			field.ErrorList{class, vlan},
			Condition{
				"SpecValid", "False", "ValidationFailed", "The machine does not change until these 2 faults are corrected:\n" +
					"  spec.class: \"hueg\": does not exist\n  spec.proxmox.vlan: 5000: must be between 1 and 4094",
			},
		},
		"Catalogue": {
			"A fault that is not in the claim is not the claim's author's.",
			field.ErrorList{url},
			Condition{
				"SpecValid", "False", "ConfigurationError", "The machine does not change until this is corrected: " +
					"images[nixos]: is missing: an image needs one of url, volume, template and iso",
			},
		},
		"Both": {"The claim's author has something to do.", field.ErrorList{url, class}, Condition{"SpecValid", "False", "ValidationFailed", "The machine does not change until these 2 faults are corrected:\n" +
			"  images[nixos]: is missing: an image needs one of url, volume, template and iso\n  spec.class: \"hueg\": does not exist"}},
		"Forged": {
			"A line end in a path or a message begins no line of its own.",
			field.ErrorList{field.Forbidden(field.NewPath("spec\n  metadata"), "a\n  spec.b: fine")},
			Condition{"SpecValid", "False", "ConfigurationError", "The machine does not change until this is corrected: " + `spec\n  metadata: a\n  spec.b: fine`},
		},
		"Metadata": {"A name is part of the claim.", field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), "1web", "x")}, Condition{"SpecValid", "False", "ValidationFailed", "The machine does not change until this is corrected: metadata.name: \"1web\": x"}},
		"Twice":    {"The same fault is told once.", field.ErrorList{class, class}, Condition{"SpecValid", "False", "ValidationFailed", "The machine does not change until this is corrected: spec.class: \"hueg\": does not exist"}},
		"NoRoom": {
			"Nothing is wrong with a claim for which no node has room.", noRoom(),
			Condition{"SpecValid", "False", "InsufficientCapacity", "No VM is created until a node has room for it: the machine needs 8 GiB of memory, and no node " +
				"of site 'home' has room for it: pve1 has 3 GiB left of 56 GiB, pve2 has 5 GiB left of 24 GiB"},
		},
		"NoRoomAndMore": {
			"Beside another fault it is one of several.", append(noRoom(), class),
			Condition{"SpecValid", "False", "ValidationFailed", "The machine does not change until these 2 faults are corrected:\n" +
				"  spec.proxmox.node: the machine needs 8 GiB of memory, and no node of site 'home' has room for it: pve1 has 3 GiB left of 56 GiB, pve2 has 5 GiB left of 24 GiB\n" +
				"  spec.class: \"hueg\": does not exist"},
		},
		"None": {"Without a fault to name, the rest is still said.", nil, Condition{"SpecValid", "False", "ConfigurationError", "The spec is invalid; the machine does not change."}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, OfMachine.Invalid(tc.errs)); diff != "" {
				t.Errorf("%s\nInvalid(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestInvalidIsBounded(t *testing.T) {
	var errs field.ErrorList
	for i := range 1000 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "tags").Index(i), strings.Repeat("ü", 10000), "is too long"))
	}

	got := OfMachine.Invalid(errs).Message
	if limit := 4096; len(got) > limit {
		t.Errorf("the message of a condition may have %d bytes; this one has %d", limit, len(got))
	}

	if !strings.HasSuffix(got, "\n  and 980 more") {
		t.Errorf("the message does not say how many faults are left out: %s", got[len(got)-100:])
	}
}

func TestFailed(t *testing.T) {
	want := Condition{
		"SpecValid", "False", "ConfigurationError",
		"The machine does not change until this is corrected: EnvironmentConfig machine-catalog is invalid: data: sites: must be a map",
	}
	if diff := cmp.Diff(want, OfMachine.Failed(fmt.Errorf("EnvironmentConfig machine-catalog is invalid: %w", errors.New("data: sites: must be a map")))); diff != "" {
		t.Errorf("Failed(...): -want, +got:\n%s", diff)
	}

	if got := OfMachine.Failed(nil).Message; got != "The spec is invalid; the machine does not change." {
		t.Errorf("Failed(nil): %s", got)
	}
}
