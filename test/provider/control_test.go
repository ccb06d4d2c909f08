package provider

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A fake answers in place of the function.
type fake func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse

func (f fake) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest, _ ...grpc.CallOption) (*fnv1.RunFunctionResponse, error) {
	return f(req), nil
}

// desire is an answer that wants VMs with these descriptions, by composed name.
func desire(t *testing.T, descriptions map[string]string) *fnv1.RunFunctionResponse {
	t.Helper()

	out := map[string]*fnv1.Resource{}

	for name, d := range descriptions {
		s, err := structpb.NewStruct(map[string]any{
			"apiVersion": "virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1", "kind": KindVM,
			"spec": map[string]any{"forProvider": map[string]any{"description": d}},
		})
		if err != nil {
			t.Fatal(err)
		}

		out[name] = &fnv1.Resource{Resource: s, Ready: fnv1.Ready_READY_TRUE}
	}

	return &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: out}}
}

// TestSettle holds that what would be a fault on a cluster is a fault here. Terraform is not run: all that the fakes want was
// made before.
func TestSettle(t *testing.T) {
	type want struct {
		rounds []Round
		err    string
	}

	calls := 0
	cases := map[string]struct {
		reason   string
		function fake
		want     want
	}{
		"Rests": {
			reason: "A second look that changes nothing is the end.",
			function: func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				return desire(t, map[string]string{"vm": "0"})
			},
			want: want{rounds: []Round{{Changed: []string{"vm"}, Ready: true}, {Ready: true}}},
		},
		"SeesWhatWasMade": {
			reason: "What was made is shown to the function, with its external name and its status.",
			function: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				vm := unstructured.Unstructured{Object: req.GetObserved().GetResources()["vm"].GetResource().AsMap()}
				id, _, _ := unstructured.NestedString(vm.Object, "status", "atProvider", "id")

				if vm.GetAnnotations()[annotationExternalName] == "100" && id == "100" {
					return desire(t, map[string]string{"vm": "1"})
				}

				return desire(t, map[string]string{"vm": "0"})
			},
			want: want{rounds: []Round{{Changed: []string{"vm"}, Ready: true}, {Changed: []string{"vm"}, Ready: true}, {Ready: true}}},
		},
		"Drops": {
			reason: "Crossplane deletes what is left out.",
			function: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				if len(req.GetObserved().GetResources()) > 0 {
					return desire(t, map[string]string{"other": "0"})
				}

				return desire(t, map[string]string{"vm": "0"})
			},
			want: want{rounds: []Round{{Changed: []string{"vm"}, Ready: true}}, err: "vm is no longer desired"},
		},
		"DropsWhatIsNotTheProviders": {
			reason: "A Usage comes and goes; nothing of the machine goes with it.",
			function: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				rsp := desire(t, map[string]string{"vm": "0"})

				if len(req.GetObserved().GetResources()) == 0 {
					u, err := structpb.NewStruct(map[string]any{"apiVersion": "protection.crossplane.io/v1beta1", "kind": "Usage"})
					if err != nil {
						t.Fatal(err)
					}

					rsp.Desired.Resources["protects-claim"] = &fnv1.Resource{Resource: u, Ready: fnv1.Ready_READY_TRUE}
				}

				return rsp
			},
			want: want{rounds: []Round{
				{Changed: []string{"protects-claim", "vm"}, Ready: true}, {Dropped: []string{"protects-claim"}, Ready: true}, {Ready: true},
			}},
		},
		"NeverRests": {
			reason: "A function that wants something else at each look keeps the provider busy for ever.",
			function: func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				calls++

				return desire(t, map[string]string{"vm": fmt.Sprint(calls % maxRounds)})
			},
			want: want{err: "does not come to rest"},
		},
		"Refuses": {
			reason: "A fatal result is not passed over.",
			function: func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				return &fnv1.RunFunctionResponse{Results: []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: "spec.image: no such image"}}}
			},
			want: want{err: "the function refuses: spec.image: no such image"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &Control{Function: &Function{client: tc.function}, Replay: everything(t)}
			c.Composite.Object = map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "XMachine"}
			c.Input = map[string]any{"apiVersion": "machine.fn.homelab.io/v1beta1", "kind": "Input"}

			rounds, err := c.Settle(t.Context())
			if tc.want.err == "" && err != nil || tc.want.err != "" && (err == nil || !strings.Contains(err.Error(), tc.want.err)) {
				t.Errorf("\n%s\nSettle(): want error with %q, got: %v", tc.reason, tc.want.err, err)
			}

			if diff := cmp.Diff(tc.want.rounds, rounds); diff != "" && tc.want.rounds != nil {
				t.Errorf("\n%s\nSettle(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// everything remembers all VMs that the fakes may want.
func everything(t *testing.T) *Replay {
	t.Helper()

	p := &Replay{}

	for i := range maxRounds {
		r := Resource{Kind: KindVM, Spec: Spec{ForProvider: map[string]any{"description": fmt.Sprint(i)}}}
		if err := p.add(r, Outcome{Attributes: map[string]any{"id": "100"}}); err != nil {
			t.Fatal(err)
		}
	}

	return p
}

// TestAnswers holds that the function gets the objects that it asks for, and no others.
func TestAnswers(t *testing.T) {
	ask := func(namespace string) *fnv1.Requirements {
		return &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{
			"token": {ApiVersion: "v1", Kind: "Secret", Namespace: &namespace, Match: &fnv1.ResourceSelector_MatchName{MatchName: "join"}},
		}}
	}
	secret := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "join", "namespace": "infra"},
		"stringData": map[string]any{"token": "abc"},
	}}
	c := &Control{Required: []unstructured.Unstructured{secret}}

	got, err := c.answer(ask("infra"))
	if err != nil {
		t.Fatal(err)
	}

	data, _, _ := unstructured.NestedStringMap(got["token"].GetItems()[0].GetResource().AsMap(), "data")
	if diff := cmp.Diff(map[string]string{"token": "YWJj"}, data); diff != "" {
		t.Errorf("a Secret as the API server keeps it: -want, +got:\n%s", diff)
	}

	got, err = c.answer(ask("other"))
	if err != nil || len(got["token"].GetItems()) != 0 {
		t.Errorf("a Secret of another namespace was given: %v, %v", got, err)
	}
}

// TestAnswersByLabel holds that the function gets the managed resources of other machines by their labels, and its own.
func TestAnswersByLabel(t *testing.T) {
	vm := func(composite, id string) *Control {
		c := &Control{Composite: unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": composite}}}}

		manifest := map[string]any{
			"apiVersion": "virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1", "kind": KindVM,
			"metadata": map[string]any{"labels": map[string]any{"homelab.io/vm-id": id}},
		}
		if _, _, err := c.write("vm", manifest); err != nil {
			t.Fatal(err)
		}

		return c
	}

	c := vm("own", "160")
	c.Neighbours = []*Control{vm("same", "160"), vm("other", "161")}

	got, err := c.answer(&fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"vm-id": {
		ApiVersion: "virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1", Kind: KindVM,
		Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: map[string]string{"homelab.io/vm-id": "160"}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}

	var names []string

	for _, item := range got["vm-id"].GetItems() {
		u := unstructured.Unstructured{Object: item.GetResource().AsMap()}
		names = append(names, u.GetLabels()["crossplane.io/composite"])
	}

	if diff := cmp.Diff([]string{"own", "same"}, names); diff != "" {
		t.Errorf("composites of the VMs: -want, +got:\n%s", diff)
	}
}

// TestGenerations holds that the API server counts what is written into a spec, and nothing else.
func TestGenerations(t *testing.T) {
	c := &Control{}
	at := func(description, tokens string) {
		manifest := map[string]any{
			"apiVersion": "virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1", "kind": KindVM,
			"metadata": map[string]any{"annotations": map[string]any{"homelab.io/reboot-tokens": tokens}},
			"spec":     map[string]any{"forProvider": map[string]any{"description": description}},
		}
		if _, _, err := c.write("vm", manifest); err != nil {
			t.Fatal(err)
		}
	}

	var got []int64

	for _, w := range [][2]string{{"a", ""}, {"a", ""}, {"a", "one"}, {"b", "one"}, {"b", "two"}} {
		at(w[0], w[1])

		u := unstructured.Unstructured{Object: c.composed["vm"].observed()}
		got = append(got, u.GetGeneration())
	}

	if diff := cmp.Diff([]int64{1, 1, 1, 2, 2}, got); diff != "" {
		t.Errorf("generations: -want, +got:\n%s", diff)
	}
}

func TestCompositeOf(t *testing.T) {
	claim := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": map[string]any{"name": "dns01", "namespace": "infra"},
		"spec": map[string]any{"class": "small"},
	}}

	xr, namespaced := CompositeOf(claim, APIClaims), CompositeOf(claim, APINamespaced)

	if xr.GetUID() != namespaced.GetUID() || len(xr.GetUID()) != 36 {
		t.Errorf("want one identity, got %s and %s", xr.GetUID(), namespaced.GetUID())
	}

	got := []string{xr.GetKind(), xr.GetNamespace(), namespaced.GetKind(), namespaced.GetNamespace(), namespaced.GetName()}
	if diff := cmp.Diff([]string{"XMachine", "", "Machine", "infra", "dns01"}, got); diff != "" {
		t.Errorf("CompositeOf(): -want, +got:\n%s", diff)
	}

	ref, _, _ := unstructured.NestedStringMap(xr.Object, "spec", "claimRef")
	if diff := cmp.Diff(map[string]string{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "name": "dns01", "namespace": "infra"}, ref); diff != "" {
		t.Errorf("claimRef: -want, +got:\n%s", diff)
	}
}
