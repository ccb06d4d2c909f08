package behaviour

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAnotherStepHasAVM: what an earlier step of the pipeline composes of the provider's kinds stays as that step wants it, and is no VM of the machine. An
// earlier step that is the function itself changes nothing.
func TestAnotherStepHasAVM(t *testing.T) {
	for _, name := range []string{"extra", "vm-extra", "user-data-extra"} {
		t.Run(name, func(t *testing.T) {
			m, settled := living(t, "nixos/dns01")

			wanted := &fnv1.Resource{Resource: world.Struct(t, world.FromYAML(t, "{apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1, kind: EnvironmentVM, "+
				"spec: {forProvider: {nodeName: pve, name: of-another-step}}}"))}

			req := m.Request()
			req.Desired = &fnv1.State{Composite: &fnv1.Resource{}, Resources: map[string]*fnv1.Resource{name: wanted}}
			observed := proto.CloneOf(req.GetObserved().GetResources()["vm"])
			delete(observed.GetResource().GetFields()["metadata"].GetStructValue().GetFields()["labels"].GetStructValue().GetFields(), "homelab.io/machine")
			req.Observed.Resources[name] = observed

			want := proto.CloneOf(settled.GetDesired())
			want.Resources[name] = proto.CloneOf(wanted)

			if diff := cmp.Diff(want, m.ask(req).GetDesired(), protocmp.Transform()); diff != "" {
				t.Errorf("another step's: -want, +got:\n%s", diff)
			}
		})
	}

	t.Run("WritesIntoTheVM", func(t *testing.T) {
		m, settled := living(t, "nixos/dns01")
		req := m.Request()
		req.Desired = &fnv1.State{Composite: &fnv1.Resource{}, Resources: map[string]*fnv1.Resource{"vm": {Resource: world.Struct(t, world.FromYAML(t,
			"{apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1, kind: EnvironmentVM, metadata: {labels: {mine: x}}}"))}}}

		if diff := cmp.Diff(settled.GetDesired(), m.ask(req).GetDesired(), protocmp.Transform()); diff != "" {
			t.Errorf("the machine's VM: -want, +got:\n%s", diff)
		}
	})

	t.Run("Itself", func(t *testing.T) {
		m, settled := living(t, "nixos/dns01")
		req := m.Request()
		req.Desired = proto.CloneOf(settled.GetDesired())

		if diff := cmp.Diff(settled.GetDesired(), m.ask(req).GetDesired(), protocmp.Transform()); diff != "" {
			t.Errorf("the function twice: -want, +got:\n%s", diff)
		}
	})
}
