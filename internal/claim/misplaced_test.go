package claim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMisplaced: what of Crossplane's belongs elsewhere without claims.
func TestMisplaced(t *testing.T) {
	const without = "unknown field; where the project is installed without claims, "

	cases := map[string]struct {
		reason string
		spec   map[string]any
		want   []MisplacedField
	}{
		"None":  {"A spec of ours.", map[string]any{"class": "small", "crossplane": map[string]any{"compositionRef": map[string]any{"name": "a"}}}, nil},
		"Moved": {"It has another place.", map[string]any{"compositionSelector": map[string]any{}}, []MisplacedField{{"compositionSelector", without + "write spec.crossplane.compositionSelector"}}},
		"Gone": {
			"It has no place at all, and all are told.",
			map[string]any{"writeConnectionSecretToRef": nil, "resourceRefs": map[string]any{}},
			[]MisplacedField{
				{"writeConnectionSecretToRef", without + "Crossplane makes no Secret for it: remove it. What others need of a guest is in status"},
				{"resourceRefs", without + "Crossplane writes what belongs to it below spec.crossplane by itself: remove it"},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Misplaced(tc.spec)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
