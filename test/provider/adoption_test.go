package provider

import (
	"strings"
	"testing"
)

// TestFoundImage holds that an image that is on the node already is neither downloaded again nor fought over: its external
// name is set from the first render on.
func TestFoundImage(t *testing.T) {
	t.Parallel()

	image := readFixture(t, "k3s-server.yaml")[2]
	b := startBench(t, Cluster{Volumes: []string{image.ExternalName()}}, image)

	w, err := b.Open(t.Context(), image)
	if err != nil {
		t.Fatal(err)
	}

	o, err := b.Reconcile(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}

	if !o.Found || o.Applied || o.Drift != "" || len(o.PlanWrites) > 0 {
		t.Errorf("want it found and left alone, got found: %t, applied: %t, writes: %v, drift:\n%s", o.Found, o.Applied, o.PlanWrites, o.Drift)
	}
}

// TestTakenNumber holds why the function looks after VM numbers: the provider takes over a VM that has the number already,
// and changes it, without a word.
func TestTakenNumber(t *testing.T) {
	t.Parallel()

	vm := readFixture(t, "iso-install.yaml")[0]
	foreign := template(Nodes([]Resource{vm})[0])
	b := startBench(t, Cluster{Volumes: []string{"local:iso/nixos-minimal-25.05.iso"}}, vm)

	if err := b.Simulator.AddVM(t.Context(), 160, foreign.Node, foreign.Config); err != nil {
		t.Fatal(err)
	}

	w, err := b.Open(t.Context(), vm)
	if err != nil {
		t.Fatal(err)
	}

	o, err := b.Reconcile(t.Context(), w)
	if !o.Found || !o.Applied {
		t.Errorf("want the foreign VM found and changed, got found: %t, applied: %t: %v", o.Found, o.Applied, err)
	}

	if lines := requestLines(o.ApplyWrites); !strings.Contains(lines, "PUT /nodes/pve/qemu/160/config") || strings.Contains(lines, "POST /nodes/pve/qemu ") {
		t.Errorf("want the foreign VM's configuration written, got:\n%s", lines)
	}
}
