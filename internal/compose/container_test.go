package compose

import (
	"flag"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
)

var update = flag.Bool("update", false, "write the golden files")

// containerRequest is a call for a container that does not exist yet, of which both checks found nothing, and whose template is on the node.
func containerRequest(t testing.TB) *fnv1.RunFunctionRequest {
	t.Helper()

	return &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: content(t, map[string]any{
			"apiVersion": "homelab.io/v1alpha1", "kind": "Container", "metadata": map[string]any{"name": "dns01", "namespace": "infra", "uid": "own"},
			"spec": map[string]any{
				"class": "micro", "image": "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", "network": map[string]any{"ip": "192.168.4.53/24"},
				"disks": []any{map[string]any{"path": "/srv/data", "size": "2Gi"}}, "notes": "the ${HOME} of DNS",
				"proxmox": map[string]any{"node": "pve", "vmId": 153.0},
			},
		})}, Resources: map[string]*fnv1.Resource{}},
		RequiredResources: map[string]*fnv1.Resources{catalogRequirement: {}, sameVMIDRequirement: {}, sameVMIDContainers: {}},
	}
}

// checked adds what the function desired as it is observed when the provider found nothing.
func checked(t testing.TB, req *fnv1.RunFunctionRequest) {
	t.Helper()

	for name, r := range Answer(containerRequest(t)).GetDesired().GetResources() {
		object := r.GetResource().AsMap()
		if !strings.HasPrefix(name, "vmid-") {
			continue
		}

		object["status"] = map[string]any{"conditions": []any{map[string]any{
			"type": "Synced", "status": "False", "reason": "ReconcileError", "message": "observe failed: external resource does not exist",
		}}}
		req.Observed.Resources[name] = &fnv1.Resource{Resource: content(t, object)}
	}
}

// TestContainer compares whole answers with golden files (go test ./internal/compose -run TestContainer -update).
func TestContainer(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*fnv1.RunFunctionRequest)
	}{
		"Asks":     {"The function asks for the catalogue first.", func(r *fnv1.RunFunctionRequest) { r.RequiredResources = nil }},
		"AsksVMID": {"Then for the VMs and the containers with the VMID.", func(r *fnv1.RunFunctionRequest) { delete(r.GetRequiredResources(), sameVMIDContainers) }},
		"Checks":   {"Then the provider looks for both.", func(*fnv1.RunFunctionRequest) {}},
		"Creates":  {"Nothing has the VMID.", func(r *fnv1.RunFunctionRequest) { checked(t, r) }},
		"Legacy": {"An old provider cannot start a container.", func(r *fnv1.RunFunctionRequest) {
			r.Observed.Composite.Resource.Fields["kind"] = content(t, map[string]any{"k": "XContainer"}).GetFields()["k"]
			delete(r.GetObserved().GetComposite().GetResource().GetFields()["metadata"].GetStructValue().GetFields(), "namespace")
			r.Input = content(t, map[string]any{"apiVersion": "machine.fn.homelab.io/v1beta1", "kind": "Input", "providerAPI": "legacy"})
		}},
		"Faults": {"All faults at once, in the order of the fields.", func(r *fnv1.RunFunctionRequest) {
			spec := r.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue()
			spec.Fields["devices"] = content(t, map[string]any{"d": []any{"/dev/dri"}}).GetFields()["d"]
			spec.Fields["class"] = content(t, map[string]any{"c": "huge"}).GetFields()["c"]
			delete(spec.GetFields(), "image")
		}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := containerRequest(t)
			tc.edit(req)

			goldenAnswer(t, tc.reason, filepath.Join("testdata", "container", name+".yaml"), Answer(req))
		})
	}
}

// TestContainerRetained: while Crossplane still fetches, everything that exists stays as it was written.
func TestContainerRetained(t *testing.T) {
	req := containerRequest(t)
	checked(t, req)
	checkRetained(t, req)
}

// checkRetained checks that whatever was written stays so while Crossplane still fetches what a claim asks for.
func checkRetained(t *testing.T, req *fnv1.RunFunctionRequest) {
	t.Helper()

	maps.Copy(req.GetObserved().GetResources(), Answer(req).GetDesired().GetResources())

	req.RequiredResources = nil
	desired := Answer(req).GetDesired().GetResources()

	for name, want := range req.GetObserved().GetResources() {
		want := want.GetResource()
		delete(want.GetFields(), "status")

		if diff := cmp.Diff(want, desired[name].GetResource(), protocmp.Transform()); diff != "" {
			t.Errorf("%s: -was written, +retained:\n%s", name, diff)
		}
	}
}

// TestContainerLosesCatalogue: a container that has its class from a catalogue's defaults does not get another one when the catalogue is gone.
func TestContainerLosesCatalogue(t *testing.T) {
	req := containerRequest(t)
	checked(t, req)
	delete(req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue().GetFields(), "class")
	req.RequiredResources[catalogRequirement] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "machine-catalog"},
		"data": map[string]any{"defaults": map[string]any{"class": "micro"}},
	})}}}

	answer := Answer(req)

	made := answer.GetDesired().GetResources()[replacement.First]
	if made == nil {
		t.Fatalf("no container: %v", answer.GetResults())
	}

	req.Observed.Resources[replacement.First] = made

	if desired := Answer(req).GetDesired().GetResources(); desired[replacement.First] == nil {
		t.Error("no container, although the catalogue is there")
	}

	req.RequiredResources[catalogRequirement] = &fnv1.Resources{}

	answer = Answer(req)
	if r := answer.GetResults(); len(r) == 0 || r[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL || !strings.Contains(r[0].GetMessage(), "EnvironmentConfig machine-catalog was not found") {
		t.Errorf("want a fault of the catalogue: %v", r)
	}
}
