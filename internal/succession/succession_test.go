package succession

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

const first = "container"

// line of the containers of a claim.
var line = Line{First: first, ID: machine.Identity{Kind: "Container", Name: "web", Namespace: "infra"}} //nolint:gochecknoglobals // Test data.

// A guest of the tests.
type guest struct {
	existence Existence
	Guest     Guest
}

func TestAssign(t *testing.T) {
	t.Parallel()

	a, b := line.NameFor("a"), line.NameFor("b")

	cases := map[string]struct {
		reason  string
		all     map[string]guest
		trigger string
		want    Roles
	}{
		"Nothing":    {reason: "The first one has seen the value that it is created with.", trigger: "a", want: Roles{Active: first, Triggers: []string{"a"}}},
		"Lives":      {reason: "Nobody asks.", all: map[string]guest{first: {Exists, Guest{}}}, want: Roles{Active: first}},
		"Asks":       {reason: "The candidate has a name of its own.", all: map[string]guest{first: {Exists, Guest{}}}, trigger: "a", want: Roles{Active: first, Candidate: a, Trigger: "a"}},
		"Making":     {reason: "It is not known whose it is: the trigger waits.", all: map[string]guest{first: {Making, Guest{}}}, trigger: "a", want: Roles{Active: first}},
		"Failed":     {reason: "There is nothing to replace.", all: map[string]guest{first: {Failed, Guest{}}}, trigger: "a", want: Roles{Active: first, Triggers: []string{"a"}}},
		"Seen":       {reason: "A value counts once.", all: map[string]guest{first: {Exists, Guest{Triggers: []string{"a"}}}}, trigger: "a", want: Roles{Active: first, Triggers: []string{"a"}}},
		"Candidate":  {reason: "The old one is the claim's until the new one runs.", all: map[string]guest{first: {Exists, Guest{}}, a: {Exists, Guest{Standing: Unproven, Triggers: []string{"a"}}}}, trigger: "a", want: Roles{Active: first, Candidate: a, Trigger: "a"}},
		"Proven":     {reason: "The new one is the claim's.", all: map[string]guest{first: {Exists, Guest{}}, a: {Exists, Guest{Triggers: []string{"a"}}}}, trigger: "a", want: Roles{Active: a, Triggers: []string{"a"}, Retired: []string{first}}},
		"TakenBack":  {reason: "The new one goes.", all: map[string]guest{first: {Exists, Guest{}}, a: {Exists, Guest{Standing: Unproven, Triggers: []string{"a"}}}}, want: Roles{Active: first, Retired: []string{a}}},
		"Another":    {reason: "For another trigger there is another candidate.", all: map[string]guest{first: {Exists, Guest{}}, a: {Making, Guest{Standing: Unproven, Triggers: []string{"a"}}}}, trigger: "b", want: Roles{Active: first, Candidate: b, Trigger: "b", Retired: []string{a}}},
		"OldOneGone": {reason: "The one that was to replace it is the claim's.", all: map[string]guest{a: {Exists, Guest{Standing: Unproven, Triggers: []string{"a"}}}}, trigger: "a", want: Roles{Active: a, Triggers: []string{"a"}}},
		"Lost":       {reason: "The name tells which trigger led to it.", all: map[string]guest{a: {Exists, Guest{}}}, trigger: "a", want: Roles{Active: a, Triggers: []string{"a"}}},
		"LostOld":    {reason: "Whoever lost its triggers may be the newer one, and stays.", all: map[string]guest{first: {Exists, Guest{Triggers: []string{"x"}}}, a: {Exists, Guest{}}}, want: Roles{Active: first, Triggers: []string{"x"}, Unknown: []string{a}}},
		"Foreign":    {reason: "A name that is none of the line's.", all: map[string]guest{first: {Exists, Guest{}}, "other": {Exists, Guest{Standing: Unproven}}}, want: Roles{Active: first, Unknown: []string{"other"}}},
		"NotGenuine": {reason: "Its name does not follow from its triggers.", all: map[string]guest{b: {Exists, Guest{Triggers: []string{"a", "b"}}}, a: {Exists, Guest{Triggers: []string{"x"}}}}, want: Roles{Active: b, Triggers: []string{"a", "b"}, Unknown: []string{a}}},
		"Strange":    {reason: "Triggers that do not follow each other tell no order.", all: map[string]guest{first: {Exists, Guest{Triggers: []string{"x"}}}, b: {Exists, Guest{Triggers: []string{"a", "b"}}}}, want: Roles{Active: b, Triggers: []string{"a", "b"}, Unknown: []string{first}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			guests := map[string]Guest{}
			for name, g := range tc.all {
				guests[name] = g.Guest
			}

			got := line.Assign(guests, func(name string) Existence { return tc.all[name].existence }, tc.trigger)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nAssign(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]bool{first: true, line.NameFor("a"): true, "container-x": false, "vmid-0123456789-container": false, "firewall-options-container": false, "containers": false, "": false} {
		if got := line.Names(name); got != want {
			t.Errorf("Names(%s): want %t, got %t", name, want, got)
		}
	}
}

func TestSuccessor(t *testing.T) {
	t.Parallel()

	got := Roles{Active: first, Candidate: "c", Trigger: "b", Triggers: []string{"a"}, Retired: []string{"old"}}.Successor()
	if diff := cmp.Diff(Roles{Active: "c", Triggers: []string{"a", "b"}}, got); diff != "" {
		t.Errorf("Successor(): -want, +got:\n%s", diff)
	}
}
