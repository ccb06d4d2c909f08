package provider

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A scripted function wants one VM, as its script says at the moment, and sees what Crossplane shows of it.
type scripted struct {
	manifest map[string]any
	seen     unstructured.Unstructured
}

func (s *scripted) control(t *testing.T, b *Bench) *Control {
	t.Helper()

	return &Control{
		Bench: b,
		Composite: unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "homelab.io/v1alpha1", "kind": "XMachine", "metadata": map[string]any{"name": "probe"},
		}},
		Input: map[string]any{"apiVersion": "machine.fn.homelab.io/v1beta1", "kind": "Input"},
		Function: &Function{client: fake(func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
			s.seen.Object = req.GetObserved().GetResources()["vm"].GetResource().AsMap()
			rsp := &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{}}}

			if s.manifest == nil {
				return rsp
			}

			m, err := structpb.NewStruct(s.manifest)
			if err != nil {
				t.Error(err)
			}

			rsp.Desired.Resources["vm"] = &fnv1.Resource{Resource: m}

			return rsp
		})},
	}
}

// want sets what the function wants.
func (s *scripted) want(annotations map[string]any, description string, policies ...any) {
	s.manifest = map[string]any{
		"apiVersion": "virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1", "kind": KindVM,
		"metadata": map[string]any{"annotations": annotations},
		"spec": map[string]any{
			"managementPolicies": policies,
			"forProvider": map[string]any{
				"nodeName": "pve", "vmId": 160.0, "name": "probe", "description": description, "started": true,
				"rebootAfterUpdate": false, "stopOnDestroy": true,
			},
		},
	}
}

// round makes a round, and another call in which the function sees what came of it.
func (s *scripted) round(t *testing.T, c *Control) Round {
	t.Helper()

	r, err := c.Round(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	if _, err := c.call(t.Context()); err != nil {
		t.Fatal(err)
	}

	return r
}

// condition of the VM, as the function sees it.
func (s *scripted) condition(typ string) string {
	for _, c := range s.seen.Object["status"].(map[string]any)["conditions"].([]any) { //nolint:forcetypeassert // It was written here.
		if m, _ := c.(map[string]any); m["type"] == typ {
			status, _ := m["status"].(string)
			reason, _ := m["reason"].(string)
			message, _ := m["message"].(string)

			return strings.TrimSpace(status + " " + reason + " " + message)
		}
	}

	return ""
}

func (s *scripted) at(t *testing.T, path ...string) string {
	t.Helper()

	v, _, err := unstructured.NestedString(s.seen.Object, append([]string{"status", "atProvider"}, path...)...)
	if err != nil {
		t.Fatal(err)
	}

	return v
}

// TestPolicies holds that the provider that is played here does with policies and pauses what the real one does. What the
// other tests say of the function is worth no more than that.
func TestPolicies(t *testing.T) {
	t.Parallel()

	l := newLab(t)
	s := &scripted{}
	c := s.control(t, l.Bench)
	c.MayDrop = true

	const name = annotationExternalName

	full := []any{"Observe", "Create", "Update", "Delete"}

	expect := func(what, typ, want string) {
		t.Helper()

		if got := s.condition(typ); !strings.HasPrefix(got, want) {
			t.Errorf("%s: want %s %q, got %q", what, typ, want, got)
		}
	}

	// Nothing is there: an import says so, and nothing is made.
	s.want(map[string]any{name: "pve/160"}, "one", "Observe")
	s.round(t, c)
	expect("look at nothing", "Synced", "False ReconcileError observe failed: external resource does not exist")

	if len(l.state(t).VMs) != 1 {
		t.Error("a look made a VM")
	}

	// Somebody has it: the status is that VM's, the name stays in the form of an import, and it is not deleted with the resource.
	l.foreign(t, 160, "pve2", nil)
	s.round(t, c)
	expect("look at a VM", "Synced", "True")

	if s.at(t, "nodeName") != "pve2" || s.at(t, "name") != "foreign" || s.seen.GetAnnotations()[name] != "pve/160" {
		t.Errorf("want the foreign VM in the status, got: %v", s.seen.Object)
	}

	s.manifest = nil
	s.round(t, c)

	if vm := l.vm(t, 160); vm.Status != "running" {
		t.Error("a VM was deleted that was only looked at")
	}

	// Create and nothing else: made, and followed no more.
	if err := l.Simulator.RemoveVM(t.Context(), 160); err != nil {
		t.Fatal(err)
	}

	s.want(map[string]any{name: "160"}, "one", "Observe", "Create")
	s.round(t, c)
	expect("created", "Ready", "True Available")

	s.want(map[string]any{name: "160"}, "two", "Observe", "Create")
	r := s.round(t, c)
	expect("not updated", "Synced", "True ReconcileSuccess")

	if vm := l.vm(t, 160); vm.Config["description"] != "one" || len(r.Failures) > 0 {
		t.Errorf("want it left alone, got %q, %v", vm.Config["description"], r.Failures)
	}

	// It goes on to be seen.
	l.touch(t, 160, Touch{Status: "stopped"})

	if _, err := c.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}

	if started, _ := c.composed["vm"].outcome.Attributes["started"].(bool); started || l.vm(t, 160).Status != "stopped" {
		t.Error("want it seen stopped, and not started")
	}

	// Paused: nothing is done, and it says so.
	s.want(map[string]any{name: "160", annotationPaused: "true"}, "three", full...)
	s.round(t, c)
	expect("paused", "Synced", "False ReconcilePaused")

	if vm := l.vm(t, 160); vm.Config["description"] != "one" {
		t.Error("what is paused was changed")
	}

	s.manifest = nil
	if _, err := c.Round(t.Context()); err == nil || !strings.Contains(err.Error(), errPaused.Error()) {
		t.Errorf("want what is paused not to be deleted, got: %v", err)
	}

	// Everything: changed, and destroyed.
	s.want(map[string]any{name: "160"}, "four", full...)
	s.round(t, c)

	if vm := l.vm(t, 160); vm.Config["description"] != "four" || vm.Status != "running" {
		t.Errorf("want it changed and started, got: %+v", vm)
	}

	s.manifest = nil
	s.round(t, c)

	if _, ok := l.state(t).VMs["160"]; ok {
		t.Error("want it destroyed")
	}
}
