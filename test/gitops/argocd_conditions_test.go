package gitops

import (
	"path/filepath"
	"regexp"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A documented condition is a row of docs/conditions.md.
type documented struct{ typ, reason, status string }

// documentedConditions are all rows, in their order.
func documentedConditions(t *testing.T) []documented {
	t.Helper()

	var (
		heading = regexp.MustCompile(`^## (\w+)$`)
		row     = regexp.MustCompile("^\\| `(\\w+)` \\| (True|False|Unknown) \\|")

		out []documented
		typ string
	)

	for _, line := range regexp.MustCompile("\n").Split(read(t, filepath.Join(repository, "docs/conditions.md")), -1) {
		if m := heading.FindStringSubmatch(line); m != nil {
			typ = m[1]
		}

		if m := row.FindStringSubmatch(line); m != nil && typ != "" {
			out = append(out, documented{typ, m[1], m[2]})
		}
	}

	if len(out) < 100 {
		t.Fatalf("docs/conditions.md has %d rows", len(out))
	}

	return out
}

// says sets a condition, which the object may have already, as the function and Crossplane write it: with a message, a time, and the generation.
func (d documented) says(_ *testing.T, o *unstructured.Unstructured) {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	said := map[string]any{}

	for _, c := range list {
		if m, ok := c.(map[string]any); ok && m["type"] == "Ready" {
			for _, k := range []string{"observedGeneration", "lastTransitionTime"} {
				said[k] = m[k]
			}
		}
	}

	said["type"], said["reason"], said["status"], said["message"] = d.typ, d.reason, d.status, "A message."

	for i, c := range list {
		if m, ok := c.(map[string]any); ok && m["type"] == d.typ {
			list[i] = said
			said = nil

			break
		}
	}

	if said != nil {
		list = append(list, said)
	}

	_ = unstructured.SetNestedSlice(o.Object, list, "status", "conditions")
}

// TestArgoCDConditions: of a claim in any state that docs/conditions.md has, the script says what the expressions for Flux say, and fails for none.
func TestArgoCDConditions(t *testing.T) {
	health := script(t)
	own := []documented{
		{"Ready", "Creating", "False"}, {"Ready", "", "Unknown"}, {"Synced", "ReconcileError", "False"}, {"Synced", "ReconcilePaused", "False"}, {"Synced", "", "Unknown"},
	}
	states := map[string][]change{
		"creating": nil, "healthy": nil, "reboot-pending": nil, "refused": nil,
		"failed": {set("Failed", "status", "phase")},
		"edited": {committed(set("medium", "spec", "class"))},
		"passed": {committed(set("medium", "spec", "class")), passedOn},
		"empty":  {set([]any{}, "status", "conditions")},
		"bare":   {without("status", "appliedSpec")},
	}

	said := map[string]int{}

	for _, cluster := range []string{"claims", "namespaced"} {
		flux := evaluator(t, cluster, "machines-1", recorded(t, cluster, "healthy"))

		for state, changes := range states {
			for _, d := range append(own, documentedConditions(t)...) {
				from := state
				if changes != nil {
					from = "healthy"
				}

				o := recorded(t, cluster, from)
				for _, c := range append(changes, d.says) {
					c(t, o)
				}

				got, want := luaHealth(t, health, o), argocd[evaluated(t, flux, o)]
				said[got]++

				if got != want {
					t.Errorf("%s, %s, with %v: Argo CD says %s, and Flux %s", state, cluster, d, got, want)
				}

				if d.typ == "SpecValid" && d.status == "False" && got == "Healthy" {
					t.Errorf("%s, %s: a refused spec is healthy", state, cluster)
				}
			}
		}
	}

	for _, health := range argocd {
		if said[health] < 20 {
			t.Errorf("%s is said %d times: the states have lost it", health, said[health])
		}
	}
}
