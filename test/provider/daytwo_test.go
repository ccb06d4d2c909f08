package provider

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// A life is testdata/daytwo/machine.yaml.
type life struct {
	Catalogue map[string]any `json:"catalogue"`
	Claim     map[string]any `json:"claim"`
	Steps     []lifeStep     `json:"steps"`
}

type lifeStep struct {
	Name   string         `json:"name"`
	Reason string         `json:"reason"`
	Patch  map[string]any `json:"patch"`
	// Transient is what the first turn fails with where the second heals it.
	Transient string   `json:"transient"`
	Writes    []string `json:"writes"`
	May       []string `json:"may"`
	// Silent steps make no request that writes.
	Silent bool `json:"silent"`
}

// TestDayTwo changes the claim of a running machine and looks at what the provider does to the VM.
func TestDayTwo(t *testing.T) {
	t.Parallel()
	needTerraform(t)

	b, err := os.ReadFile(filepath.Join("testdata", "daytwo", "machine.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	l := life{}
	if err := yaml.UnmarshalStrict(b, &l); err != nil {
		t.Fatal(err)
	}

	c := l.control(t)
	if _, err := c.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}

	for _, s := range l.Steps {
		s.run(t, c)
	}

	l.end(t, c)
}

// end deletes the machine: with its disks, but without disks that only carry its number.
func (l life) end(t *testing.T, c *Control) {
	t.Helper()

	foreign := Volume{ID: "local-lvm:vm-160-disk-99", Content: "images", Format: "raw", Size: 1 << 30, Virtual: 1 << 30}
	if err := c.Bench.Simulator.AddVolume(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}

	before, err := c.Bench.Simulator.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	if err := c.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}

	after, err := c.Bench.Simulator.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	if len(after.VMs) != 0 {
		t.Errorf("want no VM to be left, got: %v", after.VMs)
	}

	if _, ok := after.Volumes["local:import/debian-13.qcow2"]; !ok {
		t.Error("the image that others use was deleted")
	}

	writes, err := c.Bench.Simulator.Writes(t.Context(), before.Seq)
	if err != nil {
		t.Fatal(err)
	}

	if want := "destroy-unreferenced-disks=0 purge=1"; !strings.Contains(requestLines(writes), want) {
		t.Errorf("want %q, got:\n%s", want, requestLines(writes))
	}
}

func (l life) control(t *testing.T) *Control {
	t.Helper()

	claim := unstructured.Unstructured{Object: l.Claim}
	bench := startBench(t, Cluster{
		Volumes: []string{"local:import/debian-13.qcow2", "local:import/other.qcow2"},
		Pools:   []string{"infra"},
	}, onNode("pve"), onNode("pve2"))

	in, err := Input(repository, APIClaims, "X"+claim.GetKind())
	if err != nil {
		t.Fatal(err)
	}

	return &Control{
		Function: startFunction(t), Bench: bench, Composite: CompositeOf(claim, APIClaims), Input: in,
		Required: []unstructured.Unstructured{{Object: l.Catalogue}},
	}
}

// alarms are requests that a running VM is never to see.
func alarms() []string {
	return []string{"/status/", "delete=scsi", "delete=net", "delete=efidisk", "/migrate", "/move_disk", "DELETE /nodes"}
}

func (s lifeStep) run(t *testing.T, c *Control) {
	t.Helper()

	spec, _, err := unstructured.NestedMap(c.Composite.Object, "spec")
	if err != nil {
		t.Fatal(err)
	}

	was, _, _ := unstructured.NestedMap(c.Composite.Object, "spec") // It is there, see above.
	c.Composite.Object["spec"] = mergePatch(spec, plain(t, s.Patch))

	before, err := c.Bench.Simulator.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	_, err = c.Settle(t.Context())
	if s.Transient != "" {
		if err == nil || !strings.Contains(strings.Join(strings.Fields(err.Error()), " "), s.Transient) {
			t.Errorf("%s: %s\nwant a first turn that fails with %q, got: %v", s.Name, s.Reason, s.Transient, err)
		}

		_, err = c.Settle(t.Context())
	}

	if err != nil {
		t.Errorf("%s: %s\n%v", s.Name, s.Reason, err)

		// Back to where the other steps begin.
		c.Composite.Object["spec"] = was
		if _, err := c.Settle(t.Context()); err != nil {
			t.Fatalf("%s cannot be taken back: %v", s.Name, err)
		}

		return
	}

	writes, err := c.Bench.Simulator.Writes(t.Context(), before.Seq)
	if err != nil {
		t.Fatal(err)
	}

	s.check(t, requestLines(writes))
}

func (s lifeStep) check(t *testing.T, lines string) {
	t.Helper()

	for _, want := range s.Writes {
		if !strings.Contains(lines, want) {
			t.Errorf("%s: %s\nwant a request with %q, got:\n%s", s.Name, s.Reason, want, lines)
		}
	}

	for line := range strings.Lines(lines) {
		for _, bad := range alarms() {
			if strings.Contains(line, bad) && !slices.ContainsFunc(s.May, func(ok string) bool { return strings.Contains(line, ok) }) {
				t.Errorf("%s: %s\nunwanted request: %s", s.Name, s.Reason, line)
			}
		}
	}

	if s.Silent && lines != "" {
		t.Errorf("%s: %s\nwant no request that writes, got:\n%s", s.Name, s.Reason, lines)
	}
}

// plain turns numbers into those that JSON gives to the function.
func plain(t *testing.T, m map[string]any) map[string]any {
	t.Helper()

	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}

	out := map[string]any{}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}

	return out
}

// mergePatch applies a JSON merge patch (RFC 7396).
func mergePatch(to, patch map[string]any) map[string]any {
	for k, v := range patch {
		switch v := v.(type) {
		case nil:
			delete(to, k)
		case map[string]any:
			old, _ := to[k].(map[string]any)
			if old == nil {
				old = map[string]any{}
			}

			to[k] = mergePatch(old, v)
		default:
			to[k] = v
		}
	}

	return to
}
