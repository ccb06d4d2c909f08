package preview

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestWithMisplaced: a preview refuses what the API server does not know, beside what the function refuses.
func TestWithMisplaced(t *testing.T) {
	const said = "spec.compositionRef: unknown field; where the project is installed without claims, write spec.crossplane.compositionRef"

	broken := errors.New("broken")
	spec := map[string]any{"compositionRef": map[string]any{"name": "a"}}

	cases := map[string]struct {
		reason, api, version string
		spec                 map[string]any
		err                  error
		want                 string
	}{
		"Alone":   {"Nothing else is wrong.", "apiextensions.crossplane.io/v2", "", spec, nil, said},
		"Beside":  {"All faults at once.", "apiextensions.crossplane.io/v2", "", spec, &FatalError{Faults: []string{"spec.class: no"}}, "spec.class: no\n" + said},
		"Claims":  {"There it belongs.", definitionOfClaims, "", spec, nil, ""},
		"Cluster": {"An API server has taken it.", "apiextensions.crossplane.io/v2", "7", spec, nil, ""},
		"None":    {"Nothing is there.", "apiextensions.crossplane.io/v2", "", map[string]any{}, nil, ""},
		"Other":   {"Another error stays what it is.", "apiextensions.crossplane.io/v2", "", spec, broken, "broken"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := definition{}
			d.object.Object = map[string]any{"apiVersion": tc.api}

			of := Claim{Object: unstructured.Unstructured{Object: map[string]any{"spec": tc.spec}}}
			of.Object.SetResourceVersion(tc.version)

			got := ""
			if err := withMisplaced(of, d, tc.err); err != nil {
				got = err.Error()
			}

			if got != tc.want {
				t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
