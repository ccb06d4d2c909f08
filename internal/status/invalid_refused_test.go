package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestRefused(t *testing.T) {
	class, count := field.Invalid(field.NewPath("spec", "class"), "smal", "there is no class of that name"), field.Required(field.NewPath("spec", "network"), "set one")

	cases := map[string]struct {
		reason        string
		errs          field.ErrorList
		whole, inLine string
	}{
		"Nothing": {reason: "Nothing is refused, and nothing is said."},
		"One": {
			reason: "It stands on the same line.", errs: field.ErrorList{class},
			whole:  `This part of the cluster's claim is refused, and the rest takes effect: spec.class: "smal": there is no class of that name.`,
			inLine: `This part of the cluster's claim is refused, and the rest takes effect: spec.class: "smal": there is no class of that name.`,
		},
		"OneTwice": {
			reason: "Two nodes have one fault: a person corrects it once.", errs: field.ErrorList{class, class},
			whole:  `This part of the cluster's claim is refused, and the rest takes effect: spec.class: "smal": there is no class of that name.`,
			inLine: `This part of the cluster's claim is refused, and the rest takes effect: spec.class: "smal": there is no class of that name.`,
		},
		"Two": {
			reason: "Among other sentences there is no room for lines.", errs: field.ErrorList{class, count},
			whole: "These parts of the cluster's claim are refused, and the rest takes effect:\n" +
				"  spec.class: \"smal\": there is no class of that name\n  spec.network: is missing: set one",
			inLine: "2 parts of the cluster's claim are refused, and the rest takes effect: condition SpecValid names them.",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff([]string{tc.whole, tc.inLine}, []string{OfCluster.Refused(tc.errs), OfCluster.RefusedInOneLine(tc.errs)}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
