package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/testing/protocmp"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestRunFunction holds whole responses, which are in testdata. What the function makes of a life is told in test/behaviour.
func TestRunFunction(t *testing.T) {
	cases := map[string]struct {
		reason string
		req    func(m *world.Machine) *fnv1.RunFunctionRequest
		answer world.Function // Of a story that is not compose.Answer.
		busy   bool           // Whether all slots are taken, and the caller gave up.
		code   codes.Code
	}{
		"AsksForTheCatalogue": {
			reason: "Crossplane has fetched nothing yet, so nothing is rendered.",
			req: func(m *world.Machine) *fnv1.RunFunctionRequest {
				req := m.Request()
				req.RequiredResources = nil

				return req
			},
		},
		"NewMachine": {
			reason: "The VMID is checked before the VM can be created.",
			req:    (*world.Machine).Request,
		},
		"LivingMachine": {
			reason: "Nothing is to be done.",
			req: func(m *world.Machine) *fnv1.RunFunctionRequest {
				m.Settle()

				return m.Request()
			},
		},
		"LivingMachineWhileCrossplaneLooks": {
			reason: "To leave the VM out of one answer is to delete it.",
			req: func(m *world.Machine) *fnv1.RunFunctionRequest {
				m.Settle()

				req := m.Request()
				req.RequiredResources = nil

				return req
			},
		},
		"FaultsInTheClaim": {
			reason: "One fatal result has all faults, and Crossplane leaves what exists as it is.",
			req: func(m *world.Machine) *fnv1.RunFunctionRequest {
				m.Settle()
				world.Merge(m.Spec(), world.FromYAML(t, "{class: smal, proxmox: {vlan: 5000}, colour: red}"))

				return m.Request()
			},
		},
		"AfterOtherSteps": {
			reason: "The function adds to a pipeline, it does not own it.",
			req: func(m *world.Machine) *fnv1.RunFunctionRequest {
				req := m.Request()
				req.Desired = &fnv1.State{
					Composite: &fnv1.Resource{Resource: world.Struct(t, map[string]any{"status": map[string]any{"other": "kept"}})},
					Resources: map[string]*fnv1.Resource{"other": {Resource: world.Struct(t, map[string]any{"apiVersion": "v1", "kind": "ConfigMap"})}},
				}

				return req
			},
		},
		"FaultOfThisProgram": {
			reason: "A panic is a fatal result of one composite, not the end of the process; the log alone says where.",
			req:    (*world.Machine).Request,
			answer: func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				panic("a fault of this program, with a token")
			},
		},
		"NobodyWaits": {
			reason: "A call whose context ends before it had its turn does no work.",
			req:    (*world.Machine).Request,
			answer: func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				t.Error("the call was answered")
				return nil
			},
			busy: true, code: codes.Canceled,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			claim := world.NewClaim("Machine", "infra", "web", world.FromYAML(t, "{class: micro, image: 'local:iso/debian.iso', proxmox: {node: pve, vmId: 170}}"))
			req := tc.req(fake.NewCluster(t, compose.Answer).Add(world.NewMachine(claim, world.Installations[2])))

			f := NewFunction(logging.NewNopLogger())
			f.answer = fake.Compared(f.answer)

			if tc.answer != nil {
				f.answer = tc.answer
			}

			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()

			if tc.busy {
				for range cap(f.slots) {
					f.slots <- struct{}{}
				}

				cancel()
			}

			rsp, err := f.RunFunction(ctx, req)
			if twice := fake.SaidTwice(world.Fatal(rsp)); twice != "" {
				t.Errorf("the error says %q twice: %s", twice, world.Fatal(rsp))
			}

			if status.Code(err) != tc.code {
				t.Fatalf("%s\nRunFunction(): want code %s, got error %v", tc.reason, tc.code, err)
			}

			if diff := cmp.Diff(golden(t, name, rsp), rsp, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// golden response of a case; nil where there is none, as got is.
func golden(t *testing.T, name string, got *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	t.Helper()

	if got == nil {
		return nil
	}

	file := filepath.Join("testdata", name+".yaml")

	if *update {
		b, err := protojson.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}

		y, err := yaml.JSONToYAML(b)
		if err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(file, y, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	y, err := os.ReadFile(file) //nolint:gosec // Our own test data.
	if err != nil {
		t.Fatalf("%v (run `go test . -update`)", err)
	}

	b, err := yaml.YAMLToJSON(y)
	if err != nil {
		t.Fatal(err)
	}

	want := &fnv1.RunFunctionResponse{}
	if err := protojson.Unmarshal(b, want); err != nil {
		t.Fatalf("%s: %v", file, err)
	}

	return want
}
