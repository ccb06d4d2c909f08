package succession

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAsks(t *testing.T) {
	cases := map[string]struct {
		reason string
		token  string
		seen   []string
		asks   bool
		with   []string
	}{
		"NoWord":   {reason: "A claim without a word asks for nothing.", seen: []string{"a"}, with: []string{"a"}},
		"NeverAny": {reason: "Nor does one that never had any.", with: nil},
		"First":    {reason: "The first word asks.", token: "a", asks: true, with: []string{"a"}},
		"New":      {reason: "So does every further one.", token: "c", seen: []string{"a", "b"}, asks: true, with: []string{"a", "b", "c"}},
		"Last":     {reason: "The word that was followed last is still in the claim.", token: "b", seen: []string{"a", "b"}, with: []string{"a", "b"}},
		"Old":      {reason: "A revert in Git brings an old word back, and must repeat nothing.", token: "a", seen: []string{"a", "b"}, with: []string{"a", "b"}},
		"PartOf":   {reason: "A word that is a part of another is another word.", token: "2026", seen: []string{"2026-11-20"}, asks: true, with: []string{"2026-11-20", "2026"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Asks(tc.token, tc.seen); got != tc.asks {
				t.Errorf("%s\nAsks(): want %t, got %t", tc.reason, tc.asks, got)
			}

			if diff := cmp.Diff(tc.with, With(tc.seen, tc.token)); diff != "" {
				t.Errorf("%s\nWith(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWithSharesNothing: two VMs begin with the same words and go on with others.
func TestWithSharesNothing(t *testing.T) {
	seen := make([]string, 1, 8)
	seen[0] = "a"

	b, c := With(seen, "b"), With(seen, "c")
	if diff := cmp.Diff([][]string{{"a", "b"}, {"a", "c"}}, [][]string{b, c}); diff != "" {
		t.Errorf("With(): -want, +got:\n%s", diff)
	}
}
