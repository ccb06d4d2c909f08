package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestExamples lets the function and the provider make every machine of every example, in every way to install the
// project, until nothing changes any more.
func TestExamples(t *testing.T) {
	for _, s := range stories(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			needTerraform(t)

			replay := &Replay{}
			vms := 0

			for _, api := range []API{APIClaims, APILegacy, APINamespaced} {
				vms += s.settle(t, api, replay)
			}

			if vms != 3*len(s.claims) {
				t.Errorf("want a VM for each of %d claims in three flavours, got %d", len(s.claims), vms)
			}

			t.Logf("%d resources had the same text in another flavour", replay.Hits)
		})
	}
}

// settle makes all claims of a story in one cluster, one after the other, and counts the VMs.
func (s story) settle(t *testing.T, api API, replay *Replay) int {
	t.Helper()

	f := startFunction(t)
	b := startBench(t, clusters()[s.name], s.nodes()...)
	vms := 0

	if err := b.ServePlugin(t.Context(), needTerraform(t).Served); err != nil {
		t.Fatal(err)
	}

	for _, claim := range s.claims {
		c := &Control{Function: f, Bench: b, Composite: CompositeOf(claim, api), Required: s.required, Replay: replay}

		var err error
		if c.Input, err = Input(repository, api, c.Composite.GetKind()); err != nil {
			t.Fatal(err)
		}

		rounds, err := c.Settle(t.Context())
		if err != nil {
			t.Errorf("%s, %s: %v", api, claim.GetName(), err)

			continue
		}

		if last := rounds[len(rounds)-1]; !last.Ready {
			t.Errorf("%s, %s is not ready: %v", api, claim.GetName(), c.Composite.Object["status"])
		}

		for name, d := range c.composed {
			// The Usage that protects a claim is Crossplane's.
			if fl, err := d.resource.Flavour(); d.managed() && (err != nil || fl != api.flavour()) {
				t.Errorf("%s, %s: %s is of flavour %s: %v", api, claim.GetName(), name, fl, err)
			}

			switch d.resource.Kind {
			case KindFile:
				checkSnippet(t, b, d)
			case KindVM:
				vms++

				checkVM(t, b, d, claim)
			}
		}
	}

	return vms
}

// checkSnippet holds that the node has the text that was meant, and that nobody else there can read it.
func checkSnippet(t *testing.T, b *Bench, d *composed) {
	t.Helper()

	if d.workspace == nil { // Replayed: it is in the cluster of another flavour.
		return
	}

	id, _ := d.outcome.Attributes["id"].(string)
	store, path, _ := strings.Cut(id, ":")
	file := filepath.Join(b.Simulator.Dir, store, path)

	got, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)

		return
	}

	if diff := cmp.Diff(literal(stringAt(d.resource.Spec.ForProvider, "sourceRaw", "data")), string(got)); diff != "" {
		t.Errorf("%s on the node: -want, +got:\n%s", id, diff)
	}

	if i, err := os.Stat(file); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("%s: want mode 0600, got %v: %v", id, i.Mode(), err)
	}
}

// checkVM holds that the VM runs, or not, as its claim says, and that nothing of it waits for a restart.
func checkVM(t *testing.T, b *Bench, d *composed, claim unstructured.Unstructured) {
	t.Helper()

	if d.workspace == nil {
		return
	}

	state, err := b.Simulator.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	want := "running"
	if power, _, _ := unstructured.NestedString(claim.Object, "spec", "power"); power == "Stopped" {
		want = "stopped"
	}

	id, _ := d.outcome.Attributes["id"].(string)

	vm, ok := state.VMs[id]
	if !ok || vm.Status != want || len(vm.Pending) > 0 {
		t.Errorf("VM %s: want it %s, got %q, pending: %v", id, want, vm.Status, vm.Pending)
	}
}
