package lint

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTexts: every text of a document is walked with its path, and nothing else is.
func TestTexts(t *testing.T) {
	cases := map[string]struct {
		reason   string
		document any
		want     map[string]string
	}{
		"Nothing": {"A document without content has no texts.", nil, map[string]string{}},
		"Text":    {"A document may be a text.", "a", map[string]string{"": "a"}},
		"Figures": {"Figures and truth values are no texts.", map[string]any{"a": 1.5, "b": true, "c": nil}, map[string]string{}},
		"Deep": {
			"Keys and places in lists are the path.",
			map[string]any{"a": []any{"x", map[string]any{"b": "y", "c.d": "z"}, []any{"u", ""}}, "e": "v"},
			map[string]string{"a[0]": "x", "a[1].b": "y", "a[1].c.d": "z", "a[2][0]": "u", "a[2][1]": "", "e": "v"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := map[string]string{}
			for path, text := range texts(tc.document) {
				got[joined(path)] = text
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}

	for range texts(cases["Deep"].document) {
		break // Whoever has found what was sought goes on with nothing.
	}
}
