package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOrderResults(t *testing.T) {
	const (
		object = "---\napiVersion: v1\nkind: Thing\n"
		a      = "apiVersion: r\nkind: Result\nmessage: a\n"
		b      = "apiVersion: r\nkind: Result\nmessage: b\n"
	)

	cases := map[string]struct {
		reason string
		stream string
		want   string
	}{
		"Swapped": {reason: "Results come in the order of their text.", stream: object + "---\n" + b + "---\n" + a, want: object + "---\n" + a + "---\n" + b},
		"Ordered": {reason: "What is in order stays.", stream: object + "---\n" + a + "---\n" + b, want: object + "---\n" + a + "---\n" + b},
		"None":    {reason: "Resources are left in Crossplane's order.", stream: object + object, want: object + object},
		"Empty":   {reason: "Nothing is nothing."},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, string(orderResults([]byte(tc.stream)))); diff != "" {
				t.Errorf("%s\norderResults(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
