package strict

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSplitList: a comma in braces ends a value.
func TestSplitList(t *testing.T) {
	const list = "spec.names: Invalid value: must be a list: "

	cases := map[string]struct {
		reason, document string
		want             []string
	}{
		"Two":     {"The second item became a field without a value.", `{"names": "1.1.1.1", "8.8.8.8": null}`, []string{list + "in braces, a comma ends the value: write [1.1.1.1, 8.8.8.8]"}},
		"Three":   {"The order of the others is lost.", `{"names": "a1", "b2": null, "c3": null}`, []string{list + "in braces, a comma ends the value: write brackets around all items, names: [...]"}},
		"Alone":   {"Nothing was torn off.", `{"names": "a1"}`, []string{list + "write [a1], not a1"}},
		"Valued":  {"What has a value is no item.", `{"names": "a1", "b2": 1}`, []string{list + "write [a1], not a1", "spec.b2: Forbidden: unknown field; there are: "}},
		"Typo":    {"A misspelt field without a value is one.", `{"names": "a1", "enries": null}`, []string{list + "write [a1], not a1", "spec.enries: Forbidden: unknown field; did you mean spec.entries?"}},
		"List":    {"A list in brackets is whole.", `{"names": ["a1"], "b2": null}`, []string{"spec.b2: Forbidden: unknown field; there are: "}},
		"NoWord":  {"What may be anything is not repeated.", `{"names": "a{1}", "b2": null}`, []string{list + "in braces, a comma ends the value: write brackets around all items, names: [...]"}},
		"Several": {"Nobody knows whose item it was.", `{"names": "a1", "items": "x", "b2": null}`, []string{"spec.items: Invalid value: must be a list", list + "write [a1], not a1", "spec.b2: Forbidden: unknown field; there are: "}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, got := decodeJSON(t, tc.document, nil)
			for i, fault := range got {
				if i < len(tc.want) && len(fault) > len(tc.want[i]) {
					got[i] = fault[:len(tc.want[i])]
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
