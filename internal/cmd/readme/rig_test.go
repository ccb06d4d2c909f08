package main

import (
	"context"
	"encoding/json"
	"maps"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1" //nolint:depguard // A test calls the function as Crossplane does.
)

// A response is the function's answer to one call.
type response = fnv1.RunFunctionResponse

// A rig is the function of this repository, running, with a catalogue.
type rig struct {
	client  fnv1.FunctionRunnerServiceClient
	catalog map[string]any
}

// A living machine is a composite with what a provider made of it.
type living struct {
	rig       rig
	composite map[string]any
	observed  map[string]map[string]any // By composed resource name.
}

func newRig(t *testing.T, catalogue string) rig {
	t.Helper()

	binary := filepath.Join(t.TempDir(), "function")

	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("..", "..", "..")

	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cannot build the function: %v\n%s", err, out)
	}

	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	address := l.Addr().String()
	_ = l.Close()

	cmd := exec.CommandContext(context.Background(), binary, "--insecure", "--address", address)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})

	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.WaitForReady(true)))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = conn.Close() })

	return rig{client: fnv1.NewFunctionRunnerServiceClient(conn), catalog: fromYAML(t, catalogue)}
}

// make a machine of a claim, the way Crossplane and a provider do.
func (r rig) make(t *testing.T, claim string) *living {
	t.Helper()

	m := &living{rig: r, composite: fromYAML(t, claim), observed: map[string]map[string]any{}}

	for range 5 {
		rsp := m.run(t, m.composite)
		if msg := fatal(rsp); msg != "" {
			t.Fatalf("the claim is wrong: %s", msg)
		}

		m.apply(rsp)
	}

	if vm := m.observed["vm"]; vm == nil || len(object(vm["status"])) < 2 {
		t.Fatalf("no VM was made: %v", vm)
	}

	return m
}

// run the function on a composite, with what is observed, and have it explain itself.
func (m *living) run(t *testing.T, composite map[string]any) *response {
	t.Helper()

	req := &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "test"},
		Input:    toStruct(t, map[string]any{"apiVersion": "machine.fn.homelab.io/v1beta1", "kind": "Input", "explain": true}),
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: toStruct(t, composite)}, Resources: map[string]*fnv1.Resource{}},
		RequiredResources: map[string]*fnv1.Resources{
			"machine-catalog": {Items: []*fnv1.Resource{{Resource: toStruct(t, m.rig.catalog)}}},
			"k3s-token":       {}, "vm-id": {}, "k3s-servers": {},
		},
	}

	for name, o := range m.observed {
		req.Observed.Resources[name] = &fnv1.Resource{Resource: toStruct(t, o)}
	}

	rsp, err := m.rig.client.RunFunction(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}

	return rsp
}

// apply what the function wants, and let the provider make it.
func (m *living) apply(rsp *response) {
	next := map[string]map[string]any{}

	for name, r := range rsp.GetDesired().GetResources() {
		d := r.GetResource().AsMap()
		p := object(object(d["spec"])["forProvider"])
		policies, _ := object(d["spec"])["managementPolicies"].([]any)
		annotations := object(object(d["metadata"])["annotations"])

		at := maps.Clone(p)
		at["id"] = "101"

		if vmID, ok := p["vmId"].(float64); ok {
			at["id"] = strconv.Itoa(int(vmID))
		}

		if annotations["crossplane.io/external-name"] == nil {
			annotations["crossplane.io/external-name"] = at["id"]
		}

		object(d["metadata"])["annotations"] = annotations

		if d["status"] = wellStatus(at); slices.Equal(policies, []any{"Observe"}) {
			d["status"] = map[string]any{"conditions": []any{
				map[string]any{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": "observe failed: external resource does not exist"},
			}}
		}

		next[name] = d
	}

	m.observed = next
	m.composite["status"] = object(rsp.GetDesired().GetComposite().GetResource().AsMap()["status"])
}

func wellStatus(at map[string]any) map[string]any {
	return map[string]any{"atProvider": at, "conditions": []any{
		map[string]any{"type": "Ready", "status": "True", "reason": "Available"},
		map[string]any{"type": "Synced", "status": "True", "reason": "ReconcileSuccess"},
	}}
}

// fatal is the message of a fatal result; empty without one.
func fatal(rsp *response) string {
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return r.GetMessage()
		}
	}

	return ""
}

// object is a JSON object; an empty one where there is none.
func object(v any) map[string]any {
	m, ok := v.(map[string]any)
	if !ok {
		return map[string]any{}
	}

	return m
}

// clone is an independent copy of a JSON object.
func clone(t *testing.T, m map[string]any) map[string]any {
	t.Helper()

	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}

	return fromYAML(t, string(b))
}

func toStruct(t *testing.T, m map[string]any) *structpb.Struct {
	t.Helper()

	s, err := structpb.NewStruct(clone(t, m))
	if err != nil {
		t.Fatal(err)
	}

	return s
}

func fromYAML(t *testing.T, text string) map[string]any {
	t.Helper()

	m := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}

	return m
}

// list reads a list.
func list(text string) []any {
	var out []any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		panic(err)
	}

	return out
}
