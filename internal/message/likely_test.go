package message

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLikely(t *testing.T) {
	known := []string{"node-label", "node-taint", "server", "tls-san"}

	cases := map[string]struct {
		reason string
		name   string
		want   []string
	}{
		"Misspelt": {reason: "A letter is missing.", name: "servr", want: []string{"server"}},
		"Part":     {reason: "People forget what stands in front.", name: "label", want: []string{"node-label"}},
		"Two":      {reason: "The nearest comes first.", name: "node-labet", want: []string{"node-label", "node-taint"}},
		"FarOff":   {reason: "A guess that helps nobody is none.", name: "zzz", want: []string{}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Likely(tc.name, known)); diff != "" {
				t.Errorf("%s\nLikely(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
