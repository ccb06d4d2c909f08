package compose

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// TestMachine: the answer to a call for a machine that does not exist yet, once Crossplane has fetched what the call asks for, of which there is nothing.
func TestMachine(t *testing.T) {
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: content(t, map[string]any{
			"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": map[string]any{"name": "dns01", "namespace": "infra", "uid": "own"},
			"spec": map[string]any{
				"class": "own", "image": "debian-13", "bootstrap": map[string]any{"sshAuthorizedKeys": []any{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJGZzJv5Gb3eqlHRYVXfbYxwVSmCqrnM0ZNFHzr1oZNx me"}}, "network": map[string]any{"ip": "192.168.4.53/24", "gateway": "192.168.4.1"},
				"proxmox": map[string]any{"node": "pve", "vmId": 153.0},
			},
		})}, Resources: map[string]*fnv1.Resource{}},
		Input: content(t, map[string]any{
			"apiVersion": "machine.fn.homelab.io/v1beta1", "kind": "Input",
			"catalog": map[string]any{"inline": map[string]any{"classes": map[string]any{"own": map[string]any{"cores": 1, "memory": "1Gi", "disk": "10Gi"}}}},
		}),
		RequiredResources: map[string]*fnv1.Resources{},
	}

	first := Answer(req)
	if len(first.GetDesired().GetResources()) > 0 || len(first.GetRequirements().GetResources()) == 0 {
		t.Fatalf("want questions and nothing else, got %v", first)
	}

	answer := first

	for range 5 { // As Crossplane does.
		for name := range answer.GetRequirements().GetResources() {
			if req.GetRequiredResources()[name] == nil {
				req.RequiredResources[name] = &fnv1.Resources{}
			}
		}

		answer = Answer(req)
	}

	for _, r := range answer.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			t.Fatal(r.GetMessage())
		}
	}

	var kinds []string

	for name := range answer.GetDesired().GetResources() {
		kind, _, _ := strings.Cut(name, "-")
		kinds = append(kinds, kind)
	}

	slices.Sort(kinds)

	if diff := cmp.Diff([]string{"image", "vm"}, kinds); diff != "" {
		t.Errorf("desired: -want, +got:\n%s", diff)
	}

	if phase := answer.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()["phase"].GetStringValue(); phase == "" {
		t.Errorf("no phase in status: %v", answer.GetDesired().GetComposite())
	}
}
