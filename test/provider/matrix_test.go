package provider

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// A matrix is testdata/matrix: kinds of machines, and edits of their claims.
type matrix struct {
	Catalogue map[string]any        `json:"catalogue"`
	Kinds     map[string]matrixKind `json:"kinds"`

	edits map[string]matrixEdit
	// judged are changes of parameters that the plugin has judged, on a kind of machine that is no clone. What is the same on
	// another one is taken for well there.
	judged *sync.Map
}

type matrixKind struct {
	Kind string         `json:"kind"`
	Spec map[string]any `json:"spec"`
	// May are requests that its edits may cause.
	May []string `json:"may"`
	// Thorough kinds are looked at after a restart of the provider, too, and go the way back with the plugin. What an edit
	// does is the same on most kinds.
	Thorough bool `json:"thorough"`
}

type matrixEdit struct {
	Patch map[string]any `json:"patch"`
	// Kinds names the kinds of machines on which it is tried; empty for all.
	Kinds []string `json:"kinds"`
	// May are requests that it may cause.
	May []string `json:"may"`
	// Keeps are parameters that stay as the edit made them when it is taken back, without a word.
	Keeps []string `json:"keeps"`
}

func readMatrix(t *testing.T) matrix {
	t.Helper()

	m := matrix{edits: map[string]matrixEdit{}, judged: &sync.Map{}}

	for file, into := range map[string]any{"kinds.yaml": &m, "edits.yaml": &m.edits} {
		b, err := os.ReadFile(filepath.Join("testdata", "matrix", file))
		if err != nil {
			t.Fatal(err)
		}

		if err := yaml.UnmarshalStrict(b, into); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}

	return m
}

// cells are the edits that change a kind of machine, with the spec that each makes.
func (m matrix) cells(t *testing.T, kind string) map[string]map[string]any {
	t.Helper()

	out := map[string]map[string]any{}
	base := plain(t, m.Kinds[kind].Spec)

	for name, e := range m.edits {
		if len(e.Kinds) > 0 && !slices.Contains(e.Kinds, kind) {
			continue
		}

		if spec := mergePatch(plain(t, base), plain(t, e.Patch)); !reflect.DeepEqual(base, spec) {
			out[name] = spec
		}
	}

	return out
}

// TestMatrix edits claims of every kind of machine in every way, and looks at what the plugin makes of it. No edit may
// destroy, replace, restart or wedge a VM by surprise; what is said to be impossible, or to wait, is shown to be so.
func TestMatrix(t *testing.T) {
	m := readMatrix(t)

	for _, kind := range slices.Sorted(maps.Keys(m.Kinds)) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()

			r := m.settle(t, kind)
			cells := m.cells(t, kind)

			for _, name := range slices.Sorted(maps.Keys(cells)) {
				e := m.edits[name]
				e.May = append(e.May, m.Kinds[kind].May...)

				t.Run(name, func(t *testing.T) { r.cell(t, e) })
			}

			t.Logf("%d cells: %v; held back and shown to be: %v", len(cells), r.count, r.proofs)
		})
	}
}

// A row is one kind of machine, settled, and edited again and again.
type row struct {
	*lab

	c    *Control
	base Snapshot
	// fresh is what a new machine of the base's claim would be.
	fresh map[string]any
	// proven are changes that were shown to be impossible.
	proven map[string]bool
	proofs map[string]int
	count  map[string]int
	// thorough as its kind.
	thorough bool
	judged   *sync.Map
}

// lab has what the claims of the matrix name.
func (m matrix) lab(t *testing.T) *lab {
	t.Helper()

	l := newLab(t)
	l.catalogue.Object = m.Catalogue
	l.serveHA(t)

	for _, id := range []string{"local:snippets/hand.yaml", "local:snippets/hand-meta.yaml", "local:snippets/other.yaml", "local:import/nixos.qcow2"} {
		if err := l.Simulator.AddVolume(t.Context(), fileVolume(id)); err != nil {
			t.Fatal(err)
		}
	}

	return l
}

func (m matrix) settle(t *testing.T, kind string) *row {
	t.Helper()

	l := m.lab(t)
	c := l.of(t, kind, m.Kinds[kind].Spec)
	l.settle(t, c)

	r := &row{lab: l, c: c, proven: map[string]bool{}, proofs: map[string]int{}, count: map[string]int{}, thorough: m.Kinds[kind].Thorough, judged: m.judged}
	want(t, c, "ReplacementRequired", "False", "NotRequired")

	var err error
	if r.base, err = c.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}

	if vm := r.mine(t); vm.Status != "running" || len(vm.Pending) > 0 {
		t.Fatalf("want it to run, and nothing to wait, got: %s, %v", vm.Status, vm.Pending)
	}

	r.fresh = r.anew(t)

	return r
}

// joinToken is a cluster's token but for its password.
var joinToken = "K10" + strings.Repeat("ab", 32) + "::server:"

// joinSecret is the Secret with a token that a claim names.
func joinSecret() unstructured.Unstructured {
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "join", "namespace": "lab"},
		"stringData": map[string]any{"word": joinToken + "def", "other": joinToken + "ghi"},
	}}
}

// mine is the machine's VM in the cluster.
func (r *row) mine(t *testing.T) VM {
	t.Helper()

	id, _ := r.c.composed["vm"].outcome.Attributes["id"].(string)

	return r.state(t).VMs[id]
}
