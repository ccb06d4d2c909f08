package compose

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// TestFaultsHaveOneOrder: whoever compares the fatal result of the composite with the condition of the claim finds the same
// faults in the same places.
func TestFaultsHaveOneOrder(t *testing.T) {
	spec := field.NewPath("spec")
	errs := field.ErrorList{
		field.Forbidden(spec.Child("colour"), "unknown field"),
		field.Invalid(spec.Child("proxmox", "vlan"), 5000, "must be smaller"),
		field.Invalid(spec.Child("class"), "smal", "there is no class of that name"),
		field.Invalid(spec.Child("class"), "smal", "there is no class of that name"),
	}
	before := slices.Clone(errs)

	rsp := newResponse(&fnv1.RunFunctionRequest{})
	fail(rsp, invalid(errs))

	for _, text := range []string{rsp.GetResults()[0].GetMessage(), rsp.GetConditions()[0].GetMessage()} {
		last := -1

		for _, path := range []string{"spec.class: ", "spec.proxmox.vlan: ", "spec.colour: "} {
			at := strings.Index(text, path)
			if at <= last {
				t.Errorf("want %s behind the faults before it: %s", path, text)
			}

			if strings.Count(text, path) != 1 {
				t.Errorf("want %s once: %s", path, text)
			}

			last = at
		}
	}

	if !slices.Equal(before, errs) {
		t.Error("invalid() sorts its caller's list")
	}
}
