package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// said is a result as the command line prints one.
func said(reason, message string) string {
	return "---\napiVersion: render.crossplane.io/v1beta1\nkind: Result\nmessage: '" + message + "'\nreason: " + reason + "\nseverity: Normal\n"
}

func TestTakePlan(t *testing.T) {
	const vm = "---\nkind: EnvironmentVM\nspec:\n  data: |\n    kind: Result\n    reason: Plan\n"

	type want struct {
		rest string
		plan string
	}

	cases := map[string]struct {
		reason string
		stream string
		events bool
		want   want
	}{
		"PlanAndEvents": {
			reason: "The plan is taken out in the function's order, and the rest stays as it is.",
			stream: vm + said("Plan", `Pipeline step "m": vm: change`) + said("Plan", `Pipeline step "m": vm: needs reboot: spec.size.cores: 2 to 4`) +
				said("RebootPending", `Pipeline step "m": later`) + said("ComposeResources", "done") + said("Plan", `Pipeline step "m": image: keep`),
			events: true,
			want: want{
				rest: vm + said("RebootPending", `Pipeline step "m": later`) + said("ComposeResources", "done"),
				plan: "# The plan:\n#   vm: change\n#     needs reboot: spec.size.cores: 2 to 4\n#   image: keep\n",
			},
		},
		"NoEvents": {
			reason: "Where nobody knows what was reported before, what is news is not known either.",
			stream: vm + said("VMCreated", `Pipeline step "m": The VM was made.`) + said("ComposeResources", "done"),
			want:   want{rest: vm + said("ComposeResources", "done")},
		},
		"SomebodyElsesPlan": {
			reason: "What is not the function's word is no plan.",
			stream: vm + said("Plan", "vm: keep"),
			events: true,
			want:   want{rest: vm + said("Plan", "vm: keep")},
		},
		"SaidTwice": {
			reason: "A change that is being written is not told again as one that waits.",
			stream: said("Plan", `Pipeline step "m": vm: change`) + said("Plan", `Pipeline step "m": vm: needs reboot: spec.size.cores: 2 to 4`) +
				said("Plan", `Pipeline step "m": vm: waits for a reboot: spec.size.cores: 2 to 4`) +
				said("Plan", `Pipeline step "m": vm: waits for a reboot: spec.size.memory: 1 to 2`),
			want: want{
				rest: "",
				plan: "# The plan:\n#   vm: change\n#     needs reboot: spec.size.cores: 2 to 4\n#     waits for a reboot: spec.size.memory: 1 to 2\n",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rest, p := takePlan([]byte(tc.stream), tc.events)

			got := want{rest: string(rest), plan: p.String()}
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

func TestExplained(t *testing.T) {
	const blocked = "kind: XK3sNode\n    reason: ReplacementBlocked\n"

	cases := map[string]struct {
		reason string
		stage  stage
		output string
		lines  []string
		want   string
		not    string
	}{
		"Nothing":          {reason: "What was not explained is printed as it is.", output: "a\n", want: "a\n"},
		"ChecksAndCreates": {reason: "That a number is free is an assumption.", output: "a\n", lines: []string{"vm: check", "then: vm: create"}, want: "assumes that the VMID is free"},
		"OnlyChecks":       {reason: "What becomes of a VM that is to be adopted is not known here.", output: "a\n", lines: []string{"vm: check"}, want: "depends on the result of the VMID check"},
		"Given":            {reason: "What a provider found was given.", stage: stage{given: true}, output: "a\n", lines: []string{"vm: check"}, want: "a\n# The plan:\n#   vm: check\n"},
		"Alone": {
			reason: "Nobody is told that there are no other servers where none were given.",
			stage:  stage{given: true}, output: blocked, lines: []string{"vm: keep"}, want: "The preview has no VMs of other machines",
		},
		"NoNodes": {
			reason: "Nobody is told that there is no Node where none were given.",
			stage:  stage{given: true}, output: "a\n", lines: []string{"Node a: wait"}, want: "The preview has no Kubernetes Nodes",
		},
		"Nodes": {
			reason: "Of Nodes that were given the plan says all.",
			stage:  stage{given: true, nodes: []unstructured.Unstructured{{}}}, output: "a\n", lines: []string{"Node a: wait"}, want: "a\n# The plan:\n#   Node a: wait\n",
			not: "Kubernetes Nodes",
		},
		"Objects": {
			reason: "Nor of Nodes that provider-kubernetes read.",
			stage:  stage{given: true, observed: []unstructured.Unstructured{{Object: map[string]any{"kind": "Object"}}}}, output: "a\n", lines: []string{"Node a: wait"},
			want: "a\n# The plan:\n#   Node a: wait\n", not: "Kubernetes Nodes",
		},
		"NoNode": {
			reason: "A machine whose Node nobody reads needs none.",
			stage:  stage{given: true}, output: "a\n", lines: []string{"vm: keep"}, want: "a\n# The plan:\n#   vm: keep\n", not: "Kubernetes Nodes",
		},
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

			got := string(tc.stage.explained([]byte(tc.output), p))
			if !strings.HasPrefix(got, tc.output) || !strings.Contains(got, tc.want) || len(tc.lines) == 0 && got != tc.want || tc.stage.given && strings.Contains(got, "asks no Proxmox") {
				t.Errorf("\n%s\nexplained(...): want %q in\n%s", tc.reason, tc.want, got)
			}

			if tc.not != "" && strings.Contains(got, tc.not) {
				t.Errorf("\n%s\nexplained(...): want no %q in\n%s", tc.reason, tc.not, got)
			}
		})
	}
}
