package message

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNearest(t *testing.T) {
	cases := map[string]struct {
		reason string
		there  []string
		name   string
		want   []string
	}{
		"Typo": {
			reason: "The name that was meant comes first, the others by distance and then by alphabet.",
			there:  []string{"micro", "small", "medium", "large"}, name: "smal",
			want: []string{"small", "large", "micro", "medium"},
		},
		"Case": {
			reason: "A wrong case is no distance.",
			there:  []string{"Home", "abroad"}, name: "HOME",
			want: []string{"Home", "abroad"},
		},
		"Empty": {reason: "There may be no names at all.", name: "x", want: nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := map[string]bool{}
			for _, n := range tc.there {
				m[n] = true
			}

			if diff := cmp.Diff(tc.want, Nearest(m, tc.name)); diff != "" {
				t.Errorf("%s\nNearest(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestThereAre(t *testing.T) {
	many := make([]string, 0, 12)
	for i := range 12 {
		many = append(many, "n"+strconv.Itoa(i))
	}

	cases := map[string]struct {
		reason string
		names  []string
		want   string
	}{
		"None":    {reason: "An empty list is said to be empty.", want: "there are none"},
		"Some":    {reason: "The order is kept.", names: []string{"b", "a"}, want: "there are: b, a"},
		"Many":    {reason: "A long list is cut, and its length is said.", names: many, want: "there are: n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 2 more"},
		"Hostile": {reason: "A name with a line end is shown in quotes.", names: []string{"a\nb"}, want: `there are: "a\nb"`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, ThereAre(tc.names)); diff != "" {
				t.Errorf("%s\nThereAre(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSortNearestHuge(t *testing.T) {
	// A megabyte against a megabyte would take a terabyte of steps.
	huge := strings.Repeat("x", 1<<20)
	if diff := cmp.Diff([]string{huge, "a"}, SortNearest([]string{"a", huge}, huge)); diff != "" {
		t.Errorf("Names are compared by their beginnings.\nSortNearest(...): -want, +got:\n%s", diff)
	}
}
