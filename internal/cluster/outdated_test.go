package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestChanges: in which fields a node differs from what the claim describes, so that it gets a turn.
func TestChanges(t *testing.T) {
	type spec = map[string]any

	cases := map[string]struct {
		reason     string
		has, wants spec
		template   string // Of the node; that of the claim is new.
		want       []string
	}{
		"Same":     {reason: "It is as described.", has: spec{"class": "medium"}, wants: spec{"class": "medium"}},
		"Other":    {reason: "A field differs.", has: spec{"class": "medium"}, wants: spec{"class": "large"}, template: "old", want: []string{"class"}},
		"Added":    {reason: "It is new.", has: spec{}, wants: spec{"class": "large"}, want: []string{"class"}},
		"Default":  {reason: "The API server adds it to every node, and nobody has asked for a turn.", has: spec{"power": "Running"}, template: "old"},
		"Stopped":  {reason: "That is no default: the claim said it before.", has: spec{"power": "Stopped"}, template: "old", want: []string{"power"}},
		"Dropped":  {reason: "Another template does not have it.", has: spec{"k3s": spec{"labels": "a", "role": "server"}}, wants: spec{"k3s": spec{"role": "server"}}, template: "old", want: []string{"k3s.labels"}},
		"Person's": {reason: "A person has added it to the node; the claim is as before.", has: spec{"notes": "mine"}, template: "new"},
		"AtOnce": {
			reason: "It takes effect without a turn.", template: "old",
			has:   spec{"lifecycle": spec{"replace": "a"}, "adopt": spec{"vmId": 100.0}, "deletionPolicy": "Orphan", "deletionProtection": true},
			wants: spec{"lifecycle": spec{"replace": "b"}, "deletionPolicy": "Delete", "deletionProtection": false},
		},
		"Founder": {
			reason: "It needs neither since it began the cluster.", template: "old", has: spec{"k3s": spec{"init": true, "token": "a"}},
			wants: spec{"k3s": spec{"init": false, "token": "b"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.template == "" {
				tc.template = "new"
			}

			if diff := cmp.Diff(tc.want, changes(Member{Spec: tc.wants, Template: "new"}, Child{Spec: tc.has, Template: tc.template}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
