package provider

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// A convergenceCase is one of testdata/convergence/cases.yaml.
type convergenceCase struct {
	Reason   string            `json:"reason"`
	Base     string            `json:"base"`
	Template map[string]string `json:"template"`
	Steps    []convergenceStep `json:"steps"`
}

type convergenceStep struct {
	Set    map[string]any `json:"set"`
	Want   string         `json:"want"`
	Says   []string       `json:"says"`
	Writes []string       `json:"writes"`
	Never  []string       `json:"never"`
}

type convergenceCases struct {
	Base  map[string]any             `json:"base"`
	Clone map[string]any             `json:"clone"`
	Cases map[string]convergenceCase `json:"cases"`
}

// TestConvergence holds what the renderer relies on: which forms the provider can store, and why others are avoided.
// Where a newer plugin makes one of these cases fail, the renderer may become simpler, or must become more careful.
func TestConvergence(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "convergence", "cases.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	all := convergenceCases{}
	if err := yaml.UnmarshalStrict(b, &all); err != nil {
		t.Fatal(err)
	}

	for _, name := range slices.Sorted(maps.Keys(all.Cases)) {
		tc := all.Cases[name]
		base := all.Base

		if tc.Base == "clone" {
			base = overlay(all.Base, all.Clone)
		}

		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.run(t, base)
		})
	}
}

func (tc convergenceCase) run(t *testing.T, base map[string]any) {
	t.Helper()

	tpl := template("pve")
	maps.Copy(tpl.Config, tc.Template)

	r := Resource{
		APIVersion: "virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1", Kind: KindVM,
		Metadata: Metadata{Name: "probe", Annotations: map[string]string{annotationExternalName: "200"}},
	}
	// The bench looks at all steps for the datastores that they use.
	var versions []Resource

	for _, s := range tc.Steps {
		base = overlay(base, s.Set)
		r.Spec.ForProvider = base
		versions = append(versions, r)
	}

	bench := startBench(t, Cluster{
		Volumes:   []string{"local:import/a.qcow2", "local:iso/x.iso", "local:snippets/a.yaml"},
		Templates: map[int]Template{9000: tpl},
		Pools:     []string{"infra"},
	}, versions...)

	w, err := bench.Open(t.Context(), versions[0])
	if err != nil {
		t.Fatal(err)
	}

	for i, s := range tc.Steps {
		if err := bench.Update(w, versions[i]); err != nil {
			t.Fatal(err)
		}

		o, err := bench.Reconcile(t.Context(), w)
		got, words := verdict(o, err)

		if got == "converges" {
			got, words = afterRestart(t, bench, w)
		}

		s.check(t, fmt.Sprintf("%s\nstep %d", tc.Reason, i+1), got, words, o.ApplyWrites)
	}
}

// verdict is the word of the cases for an outcome, and what Terraform said.
func verdict(o Outcome, err error) (string, string) {
	switch {
	case err == nil && o.Drift == "":
		return "converges", ""
	case err == nil:
		return "loops", o.Drift
	case errors.Is(err, ErrInvalid):
		return "invalid", err.Error()
	case strings.Contains(err.Error(), "Instance cannot be destroyed"):
		return "replaced", err.Error()
	}

	return "fails", err.Error()
}

// afterRestart looks again after the provider was restarted before the VM had a status.
func afterRestart(t *testing.T, b *Bench, w *Workspace) (string, string) {
	t.Helper()

	drift, err := b.Restart(t.Context(), w, w.Resource.ExternalName(), nil)

	return verdict(Outcome{Drift: drift}, err)
}

func (s convergenceStep) check(t *testing.T, what, got, words string, writes []Request) {
	t.Helper()

	if got != s.Want {
		t.Fatalf("\n%s: want that it %s, but it %s:\n%s", what, s.Want, got, words)
	}

	// Terraform wraps its messages and aligns its plans.
	flat := strings.Join(strings.Fields(words), " ")

	for _, want := range s.Says {
		if !strings.Contains(flat, strings.Join(strings.Fields(want), " ")) {
			t.Errorf("\n%s: want %q in:\n%s", what, want, words)
		}
	}

	lines := requestLines(writes)

	for _, want := range s.Writes {
		if !strings.Contains(lines, want) {
			t.Errorf("\n%s: want a request with %q, got:\n%s", what, want, lines)
		}
	}

	for _, bad := range s.Never {
		if strings.Contains(lines, bad) {
			t.Errorf("\n%s: want no request with %q, got:\n%s", what, bad, lines)
		}
	}
}

// requestLines are requests in words, parameters sorted.
func requestLines(rs []Request) string {
	var b strings.Builder

	for _, r := range rs {
		b.WriteString(r.Method + " " + r.Path)

		for _, k := range slices.Sorted(maps.Keys(r.Params)) {
			b.WriteString(" " + k + "=" + strings.Join(r.Params[k], ","))
		}

		b.WriteString("\n")
	}

	return b.String()
}

// overlay sets keys over those of base; null takes one away.
func overlay(base, set map[string]any) map[string]any {
	out := maps.Clone(base)

	for k, v := range set {
		if v == nil {
			delete(out, k)

			continue
		}

		out[k] = v
	}

	return out
}
