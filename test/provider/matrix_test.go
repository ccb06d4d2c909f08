package provider

import (
	"encoding/json"
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

// anew is what is asked of the provider for a new machine of this claim; nil if the claim is refused.
func (r *row) anew(t *testing.T) map[string]any {
	t.Helper()

	c := *r.c
	c.Composite = *r.c.Composite.DeepCopy()
	delete(c.Composite.Object, "status")

	c.composed = nil

	rsp, err := c.call(t.Context())
	if err != nil {
		return nil
	}

	u := unstructured.Unstructured{Object: rsp.GetDesired().GetResources()["vm"].GetResource().AsMap()}
	p, _, _ := unstructured.NestedMap(u.Object, "spec", "forProvider")

	return p
}

// cell makes one edit, looks at what becomes of it, and takes it back.
func (r *row) cell(t *testing.T, e matrixEdit) {
	t.Helper()

	defer r.restore(t)

	since := r.seq(t)

	spec, _, err := unstructured.NestedMap(r.c.Composite.Object, "spec")
	if err != nil {
		t.Fatal(err)
	}

	r.c.Composite.Object["spec"] = mergePatch(spec, plain(t, e.Patch))
	r.c.Blind = r.known(t)

	if refused := r.turn(t, "the edit"); refused {
		r.count["refused"]++

		if w := r.writes(t, since); w != "" {
			t.Errorf("a claim that is refused writes:\n%s", w)
		}

		return
	}

	r.harmless(t, e, r.writes(t, since))

	if r.c.Blind {
		r.count["judged"]++
	} else {
		r.waits(t)
	}

	changed := !reflect.DeepEqual(r.base.composed["vm"].resource.Spec, r.c.composed["vm"].resource.Spec)
	if changed {
		r.count["changes"]++
	} else {
		r.count["same"]++
	}

	if changed && r.thorough {
		r.restarts(t)
	}

	if word(r.c.Conditions["ReplacementRequired"].GetStatus()) == "True" {
		r.prove(t)
	}

	// And back.
	since = r.seq(t)
	r.c.Composite.Object["spec"] = r.base.composite.DeepCopy().Object["spec"]
	r.c.Blind = !r.thorough

	if r.turn(t, "the way back") {
		t.Error("the claim of before is refused")
	}

	r.back(t, e)

	if r.c.Blind {
		return
	}

	r.harmless(t, e, r.writes(t, since))
	r.waits(t)
}

// restore makes the row what it was, whatever a cell made of it.
func (r *row) restore(t *testing.T) {
	t.Helper()

	r.c.Blind = false

	if err := r.c.Restore(t.Context(), r.base); err != nil {
		t.Fatal(err)
	}
}

// turn lets the machine come to rest, and tells whether the claim is refused.
func (r *row) turn(t *testing.T, what string) (refused bool) {
	t.Helper()

	_, err := r.c.Settle(t.Context())
	if err != nil && strings.Contains(err.Error(), "the function refuses") {
		return true
	}

	if err != nil && strings.Contains(err.Error(), transient) {
		_, err = r.c.Settle(t.Context())
	}

	if err != nil {
		t.Errorf("%s: %v", what, err)
	}

	return false
}

// harmless holds that nothing was requested that a running VM must not see.
func (r *row) harmless(t *testing.T, e matrixEdit, writes string) {
	t.Helper()

	for line := range strings.Lines(writes) {
		for _, bad := range alarms() {
			if strings.Contains(line, bad) && !slices.ContainsFunc(e.May, func(ok string) bool { return strings.Contains(line, ok) }) {
				t.Errorf("unwanted request: %s", line)
			}
		}
	}
}

// waits holds that the machine says that something waits for a power cycle where Proxmox says so, and only there.
func (r *row) waits(t *testing.T) {
	t.Helper()

	says, _, _ := unstructured.NestedStringSlice(r.c.Composite.Object, "status", "pendingReboot")
	says = slices.DeleteFunc(says, func(c string) bool { return strings.Contains(c, "cache: ") }) // Not modelled by the simulator.

	pending := r.mine(t).Pending

	// Only the API tells of options that wait to be gone.
	if len(says) > 0 && len(pending) == 0 {
		id, _ := r.c.composed["vm"].outcome.Attributes["id"].(string)

		var err error
		if pending, err = r.Simulator.PendingDeletes(t.Context(), r.mine(t).Node, id); err != nil {
			t.Fatal(err)
		}
	}

	if (len(says) > 0) != (len(pending) > 0) {
		t.Errorf("Proxmox says that these wait: %v, and the machine: %v", pending, says)
	}
}

// known says whether the plugin has judged before what the function makes of the claim as it is now: the same change of the
// same parameters, on another kind of machine. It notes the change as judged.
func (r *row) known(t *testing.T) bool {
	t.Helper()

	c := *r.c
	c.Composite = *r.c.Composite.DeepCopy()

	rsp, err := c.call(t.Context())
	if err != nil || r.thorough {
		return false
	}

	u := unstructured.Unstructured{Object: rsp.GetDesired().GetResources()["vm"].GetResource().AsMap()}
	is, _, _ := unstructured.NestedMap(u.Object, "spec", "forProvider")
	was := r.base.composed["vm"].resource.Spec.ForProvider
	delta := map[string]any{}

	for k := range merged(was, is) {
		if !reflect.DeepEqual(was[k], is[k]) {
			delta[k] = []any{was[k], is[k]}
		}
	}

	// Power and moves are more than parameters.
	if len(delta) == 0 || delta["started"] != nil || delta["nodeName"] != nil {
		return false
	}

	b, err := json.Marshal(delta)
	if err != nil {
		t.Fatal(err)
	}

	_, known := r.judged.LoadOrStore(string(b), true)

	return known
}

// restarts holds that a restart of the provider before the VM has a status changes nothing.
func (r *row) restarts(t *testing.T) {
	t.Helper()

	d := r.c.composed["vm"]

	drift, err := r.Restart(t.Context(), d.workspace, d.resource.ExternalName(), nil)
	if err != nil || drift != "" {
		t.Errorf("after a restart of the provider: %v\n%s", err, drift)
	}
}

// back holds that a VM whose claim is as before is as before, or says what it kept.
func (r *row) back(t *testing.T, e matrixEdit) {
	t.Helper()

	was, is := r.base.composed["vm"].resource.Spec.ForProvider, r.c.composed["vm"].resource.Spec.ForProvider
	held := word(r.c.Conditions["ReplacementRequired"].GetStatus()) == "True"

	for _, k := range slices.Sorted(maps.Keys(merged(was, is))) {
		// A provider that does nothing does not carry out a migration either.
		if k == "migrate" && r.c.Blind || slices.Contains(e.Keeps, k) {
			continue
		}

		if !reflect.DeepEqual(was[k], is[k]) && !held {
			t.Errorf("after the way back, without a word, %s was %v and is %v", k, was[k], is[k])
		}
	}
}

func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	maps.Copy(out, b)

	return out
}

// prove sends what the claim wants, and the function holds back, to the plugin.
func (r *row) prove(t *testing.T) {
	t.Helper()

	wanted := r.anew(t)
	raw := maps.Clone(r.c.composed["vm"].resource.Spec.ForProvider)
	sent := map[string]any{}

	for k := range merged(r.fresh, wanted) {
		if reflect.DeepEqual(r.fresh[k], wanted[k]) || reflect.DeepEqual(raw[k], wanted[k]) {
			continue
		}

		sent[k] = wanted[k]
		raw[k] = wanted[k]

		if _, ok := wanted[k]; !ok {
			delete(raw, k)
		}
	}

	key, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}

	if r.proven[string(key)] {
		return
	}

	r.proven[string(key)] = true
	what := r.verdictOf(t, raw)
	r.proofs[what]++

	if what == "goes through" {
		t.Errorf("the plugin does without harm what is held back (%s): %s", key, r.c.Conditions["ReplacementRequired"].GetMessage())
	}
}

// verdictOf is what becomes of a VM if the plugin is given these parameters. The row is as before then, but for its condition.
func (r *row) verdictOf(t *testing.T, forProvider map[string]any) string {
	t.Helper()

	before, err := r.c.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	d := r.c.composed["vm"]
	res := d.resource
	res.Spec.ForProvider = forProvider
	res.Spec.ManagementPolicies = []string{"Observe", "Create", "Update"}

	if err := r.Update(d.workspace, res); err != nil {
		t.Fatal(err)
	}

	was := r.mine(t)
	o, failure := r.quick(t.Context(), d.workspace)
	is := r.mine(t)

	if err := r.c.Restore(t.Context(), before); err != nil {
		t.Fatal(err)
	}

	lines := requestLines(o.ApplyWrites)
	verdict, _ := verdict(o, failure)

	switch {
	case verdict != "converges":
		return verdict
	case strings.Contains(lines, "delete=scsi"):
		return "detaches a disk"
	case strings.Contains(lines, "efidisk0=") || strings.Contains(lines, "bios=") || strings.Contains(lines, "machine="):
		return "changes what the guest boots from"
	case strings.Contains(lines, "/migrate"):
		return "migrates"
	case reflect.DeepEqual(was.Config, is.Config):
		return "has no effect"
	}

	return "goes through"
}
