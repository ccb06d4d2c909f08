package replacement

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// id of the claim of the tests.
var id = machine.Identity{Kind: "Container", Name: "web", Namespace: "infra"} //nolint:gochecknoglobals // Test data.

func TestAssign(t *testing.T) {
	t.Parallel()

	a, b := nameFor(id, "a"), nameFor(id, "b")

	cases := map[string]struct {
		reason  string
		all     map[string]Container
		trigger string
		want    Roles
	}{
		"Nothing":    {reason: "The first one has seen the value that it is created with.", trigger: "a", want: Roles{Active: First, Triggers: []string{"a"}}},
		"Lives":      {reason: "Nobody asks.", all: map[string]Container{First: {Existence: Exists}}, want: Roles{Active: First}},
		"Asks":       {reason: "The candidate has a name of its own.", all: map[string]Container{First: {Existence: Exists}}, trigger: "a", want: Roles{Active: First, Candidate: a, Trigger: "a"}},
		"Making":     {reason: "It is not known whose it is: the trigger waits.", all: map[string]Container{First: {Existence: Making}}, trigger: "a", want: Roles{Active: First}},
		"Failed":     {reason: "There is nothing to replace.", all: map[string]Container{First: {Existence: Failed}}, trigger: "a", want: Roles{Active: First, Triggers: []string{"a"}}},
		"Seen":       {reason: "A value counts once.", all: map[string]Container{First: {Existence: Exists, Triggers: []string{"a"}}}, trigger: "a", want: Roles{Active: First, Triggers: []string{"a"}}},
		"Candidate":  {reason: "The old one is the claim's until the new one runs.", all: map[string]Container{First: {Existence: Exists}, a: {Existence: Exists, Standing: Unproven, Triggers: []string{"a"}}}, trigger: "a", want: Roles{Active: First, Candidate: a, Trigger: "a"}},
		"Proven":     {reason: "The new one is the claim's.", all: map[string]Container{First: {Existence: Exists}, a: {Existence: Exists, Triggers: []string{"a"}}}, trigger: "a", want: Roles{Active: a, Triggers: []string{"a"}, Retired: []string{First}}},
		"TakenBack":  {reason: "The new one goes.", all: map[string]Container{First: {Existence: Exists}, a: {Existence: Exists, Standing: Unproven, Triggers: []string{"a"}}}, want: Roles{Active: First, Retired: []string{a}}},
		"Another":    {reason: "For another trigger there is another candidate.", all: map[string]Container{First: {Existence: Exists}, a: {Existence: Making, Standing: Unproven, Triggers: []string{"a"}}}, trigger: "b", want: Roles{Active: First, Candidate: b, Trigger: "b", Retired: []string{a}}},
		"OldOneGone": {reason: "The one that was to replace it is the claim's.", all: map[string]Container{a: {Existence: Exists, Standing: Unproven, Triggers: []string{"a"}}}, trigger: "a", want: Roles{Active: a, Triggers: []string{"a"}}},
		"Lost":       {reason: "The name tells which trigger led to it.", all: map[string]Container{a: {Existence: Exists}}, trigger: "a", want: Roles{Active: a, Triggers: []string{"a"}}},
		"LostOld":    {reason: "Whoever lost its triggers may be the newer one, and stays.", all: map[string]Container{First: {Existence: Exists, Triggers: []string{"x"}}, a: {Existence: Exists}}, want: Roles{Active: First, Triggers: []string{"x"}, Unknown: []string{a}}},
		"Strange":    {reason: "Triggers that do not follow each other tell no order.", all: map[string]Container{First: {Existence: Exists, Triggers: []string{"x"}}, b: {Existence: Exists, Triggers: []string{"a", "b"}}}, want: Roles{Active: b, Triggers: []string{"a", "b"}, Unknown: []string{First}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if diff := cmp.Diff(tc.want, Assign(tc.all, id, tc.trigger)); diff != "" {
				t.Errorf("%s\nAssign(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]bool{First: true, nameFor(id, "a"): true, "container-x": false, "vmid-0123456789-container": false, "firewall-options-container": false} {
		if got := Names(name); got != want {
			t.Errorf("Names(%s): want %t, got %t", name, want, got)
		}
	}
}
