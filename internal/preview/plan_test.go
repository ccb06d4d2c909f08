package preview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// said is a result of a reason.
func said(reason, message string) Result {
	return Result{APIVersion: resultAPIVersion, Kind: resultKind, Message: message, Reason: reason, Severity: "Normal"}
}

func TestTakePlan(t *testing.T) {
	type want struct {
		rest []Result
		plan string
	}

	cases := map[string]struct {
		reason  string
		results []Result
		events  bool
		want    want
	}{
		"PlanAndEvents": {
			reason: "The plan is taken out in the function's order, and the rest comes in the order of its text.",
			results: []Result{
				said("Plan", `Pipeline step "m": vm: change`), said("Plan", `Pipeline step "m": vm: needs reboot: spec.size.cores: 2 to 4`),
				said("ComposeResources", "done"), said("RebootPending", `Pipeline step "m": later`), said("Plan", `Pipeline step "m": image: keep`),
			},
			events: true,
			want: want{
				rest: []Result{said("RebootPending", `Pipeline step "m": later`), said("ComposeResources", "done")},
				plan: "# The plan:\n#   vm: change\n#     needs reboot: spec.size.cores: 2 to 4\n#   image: keep\n",
			},
		},
		"NoEvents": {
			reason:  "Where nobody knows what was reported before, what is news is not known either.",
			results: []Result{said("VMCreated", `Pipeline step "m": The VM was made.`), said("ComposeResources", "done")},
			want:    want{rest: []Result{said("ComposeResources", "done")}},
		},
		"SomebodyElsesPlan": {
			reason:  "What is not the function's word is no plan.",
			results: []Result{said("Plan", "vm: keep")},
			events:  true,
			want:    want{rest: []Result{said("Plan", "vm: keep")}},
		},
		"SaidTwice": {
			reason: "A change that is being written is not told again as one that waits.",
			results: []Result{
				said("Plan", `Pipeline step "m": vm: change`), said("Plan", `Pipeline step "m": vm: needs reboot: spec.size.cores: 2 to 4`),
				said("Plan", `Pipeline step "m": vm: waits for a reboot: spec.size.cores: 2 to 4`),
				said("Plan", `Pipeline step "m": vm: waits for a reboot: spec.size.memory: 1 to 2`),
			},
			want: want{
				plan: "# The plan:\n#   vm: change\n#     needs reboot: spec.size.cores: 2 to 4\n#     waits for a reboot: spec.size.memory: 1 to 2\n",
			},
		},
		"Swapped": {
			reason:  "Crossplane tells of composed resources in the order of a map.",
			results: []Result{said("ComposeResources", "b"), said("ComposeResources", "a")},
			want:    want{rest: []Result{said("ComposeResources", "a"), said("ComposeResources", "b")}},
		},
		"None": {reason: "Nothing is nothing."},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rest, p := takePlan(tc.results, tc.events)

			got := want{rest: rest, plan: p.String()}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\ntakePlan(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPlanThen(t *testing.T) {
	cases := map[string]struct {
		reason string
		turns  [][]string
		want   string
	}{
		"LookThenCreate": {
			reason: "What is done in one turn after the other is told in that order, and that a file is kept then is not told.",
			turns:  [][]string{{"image: create", "vm: check"}, {"image: keep", "vm: create"}},
			want:   "# The plan:\n#   image: create\n#   vm: check, then create\n",
		},
		"Later": {
			reason: "What is asked for later is there, too.",
			turns:  [][]string{{"file: create"}, {"file: keep", "vm: create"}},
			want:   "# The plan:\n#   file: create\n#   vm: create\n",
		},
		"SameAgain": {
			reason: "What goes on is told once.",
			turns:  [][]string{{"vm: check"}, {"vm: check"}},
			want:   "# The plan:\n#   vm: check\n",
		},
		"None": {reason: "Without a word there is no plan.", turns: [][]string{{}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var all plan

			for _, lines := range tc.turns {
				var p plan
				for _, l := range lines {
					p = p.add(l)
				}

				all = all.then(p)
			}

			if diff := cmp.Diff(tc.want, all.String()); diff != "" {
				t.Errorf("\n%s\nthen(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRemarks(t *testing.T) {
	blocked := object(t, "{kind: XK3sNode, status: {conditions: [{type: ReplacementRequired, reason: ReplacementBlocked}]}}")

	cases := map[string]struct {
		reason    string
		stage     stage
		composite unstructured.Unstructured
		lines     []string
		want      string // Part of the only remark; empty where there is to be none.
	}{
		"Nothing":          {reason: "What was not explained needs no remark."},
		"ChecksAndCreates": {reason: "That a number is free is an assumption.", lines: []string{"vm: check", "then: vm: create"}, want: "assumes that the VMID is free"},
		"OnlyChecks":       {reason: "What becomes of a VM that is to be adopted is not known here.", lines: []string{"vm: check"}, want: "depends on the result of the VMID check"},
		"Given":            {reason: "What a provider found was given.", stage: stage{given: true}, lines: []string{"vm: check"}},
		"Alone": {
			reason: "Nobody is told that there are no other servers where none were given.",
			stage:  stage{given: true}, composite: blocked, lines: []string{"vm: keep"}, want: "The preview has no VMs of other machines",
		},
		"NoNodes": {
			reason: "Nobody is told that there is no Node where none were given.",
			stage:  stage{given: true}, lines: []string{"Node a: wait"}, want: "The preview has no Kubernetes Nodes",
		},
		"Nodes": {
			reason: "Of Nodes that were given the plan says all.",
			stage:  stage{given: true, nodes: []unstructured.Unstructured{{}}}, lines: []string{"Node a: wait"},
		},
		"Objects": {
			reason: "Nor of Nodes that provider-kubernetes read.",
			stage:  stage{given: true, observed: []unstructured.Unstructured{{Object: map[string]any{"kind": "Object"}}}}, lines: []string{"Node a: wait"},
		},
		"Placed": {
			reason:    "A choice of a node depends on machines that are not here.",
			composite: object(t, "{kind: XMachine, status: {placement: {node: pve1, reason: pve1 has room.}}}"), lines: []string{"vm: create"},
			want: "The node is chosen beside the machines of this preview alone",
		},
		"PlacedBefore": {
			reason: "Of a machine with a VM, nothing is chosen.", stage: stage{given: true},
			composite: object(t, "{kind: XMachine, status: {placement: {node: pve1, reason: pve1 has room.}}}"), lines: []string{"vm: keep"},
		},
		"NoNode": {reason: "A machine whose Node nobody reads needs none.", stage: stage{given: true}, lines: []string{"vm: keep"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var p plan

			for _, l := range tc.lines {
				if next, later := strings.CutPrefix(l, "then: "); later {
					p = p.then(plan{}.add(next))
				} else {
					p = p.add(l)
				}
			}

			got := tc.stage.remarks(Turn{Composite: tc.composite}, p)
			if tc.want == "" && len(got) > 0 || tc.want != "" && (len(got) != 1 || !strings.Contains(got[0], tc.want)) {
				t.Errorf("\n%s\nremarks(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
