package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLintOfLayers: lint follows the layers of the example, as render does, and has nothing to say of them.
func TestLintOfLayers(t *testing.T) {
	t.Setenv("PATH", "") // Nobody's kubectl-machine-lint.

	cases := map[string]struct{ path, want string }{
		"Claims":      {"clusters/claims", "no fault in 4 claims and 1 catalogue"},
		"Namespaced":  {"clusters/namespaced", "no fault in 4 claims and 1 catalogue"},
		"Crossplane1": {"clusters/crossplane-1", "no fault in 4 claims and 1 catalogue"},
		"K3sCluster":  {"clusters/k3s-cluster", "no fault in 1 claim and 1 catalogue"},
		"Layers":      {"layers", "no fault in 4 claims and 1 catalogue"},
		"Layer":       {"layers/machines-4.yaml", "no fault in 1 claim, with the catalogue in "},
		"All":         {".", "no fault in 5 claims and 1 catalogue"},
		"ArgoCD":      {"../argocd", "no fault in 2 claims and 1 catalogue"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, out, said := runAt(t, "", "lint", "-f", filepath.Join("../../example/flux", tc.path))
			if code != 0 || out != "" || !strings.Contains(said, tc.want) {
				t.Errorf("want %q, got %d:\n%s%s", tc.want, code, out, said)
			}
		})
	}
}

// TestLintOfExamples: who lints the folder of an example reads of no fault, and of no catalogue of another one.
func TestLintOfExamples(t *testing.T) {
	t.Setenv("PATH", "") // Nobody's kubectl-machine-lint.

	folders, err := filepath.Glob("../../example/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}

	for i, file := range folders {
		folders[i] = filepath.Dir(file)
	}

	linted := 0

	for _, folder := range slices.Compact(folders) {
		code, out, said := runAt(t, "", "lint", "-f", folder)
		if strings.Contains(said, "no claim and no catalogue in") {
			continue // What the claims of others are used for.
		}

		linted++

		// The Secrets of examples, which are no real ones, are there to be read.
		if code == 0 && !slices.ContainsFunc(strings.Split(strings.TrimSpace(out), "\n"), func(line string) bool {
			return !strings.Contains(line, "/secrets.yaml:") || !strings.Contains(line, ": warning: stringData: is in clear text")
		}) {
			out = ""
		}

		if code != 0 || out != "" || !strings.Contains(said, "no fault ") || strings.Contains(said, ", with the catalogue in ") {
			t.Errorf("lint of %s ends with %d:\n%s%s", folder, code, out, said)
		}
	}

	if linted < 12 {
		t.Errorf("only %d examples have claims", linted)
	}
}
