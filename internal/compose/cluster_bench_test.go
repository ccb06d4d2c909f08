package compose

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
)

// readyNode is a node as Crossplane observes it when it is ready: with all that it was rendered with, and a status.
func readyNode(tb testing.TB, desired *structpb.Struct, i int) *fnv1.Resource {
	tb.Helper()

	o := desired.AsMap()
	metadata, _ := o["metadata"].(map[string]any)
	metadata["uid"], metadata["resourceVersion"], metadata["creationTimestamp"] = fmt.Sprint("uid-", i), "4711", "2026-11-23T00:00:00Z"
	metadata["ownerReferences"] = []any{map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": claim.KindK3sCluster, "name": "home", "uid": "own", "controller": true}}

	var conditions []any
	for _, c := range [][3]string{
		{"Synced", "ReconcileSuccess", ""},
		{"Ready", "Available", ""},
		{"SpecValid", "Valid", "The claim is valid."},
		{"MachineReady", "Running", "The machine runs."},
		{"BootstrapCurrent", "Current", ""},
		{"ProviderHealthy", "NoError", ""},
		{"NodeJoined", "Joined", "The Node is this VM."},
		{"NodeReady", "KubeletReady", ""},
		{cluster.TypeSpecObserved, cluster.ReasonSpecObserved, claim.Intent(o)},
	} {
		conditions = append(conditions, map[string]any{"type": c[0], "status": "True", "reason": c[1], "message": c[2], "lastTransitionTime": "2026-11-23T00:00:00Z"})
	}

	o["status"] = map[string]any{
		"conditions": conditions, "appliedSpec": claim.Written(o), "vmId": float64(4000 + i), "node": "pve1", "primaryAddress": fmt.Sprintf("192.168.4.%d", i),
		"addresses": []any{fmt.Sprintf("192.168.4.%d", i)}, "k3sVersion": "v1.33.6+k3s1", "phase": "Running", "class": "medium",
		"kubernetes": map[string]any{"name": metadata["name"], "version": "v1.33.6+k3s1", "ready": true, "joined": true},
	}

	s, err := structpb.NewStruct(o)
	if err != nil {
		tb.Fatal(err)
	}

	return &fnv1.Resource{Resource: s}
}

// settledCluster is the call for a cluster of which every node is as the claim describes it.
func settledCluster(tb testing.TB, agents int) *fnv1.RunFunctionRequest {
	tb.Helper()

	req := clusterRequest(tb)
	spec := req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue()
	spec.Fields["agents"] = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStructValue(content(tb, map[string]any{
		"name": "worker", "count": float64(agents), "class": "medium",
	}))}})
	req.Observed.Resources = map[string]*fnv1.Resource{}

	for range 20 {
		rsp := Answer(req)
		for _, r := range rsp.GetResults() {
			if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
				tb.Fatal(r.GetMessage())
			}
		}

		for name := range rsp.GetRequirements().GetResources() {
			if _, has := req.GetRequiredResources()[name]; !has {
				req.RequiredResources[name] = &fnv1.Resources{}
			}
		}

		for name, r := range rsp.GetDesired().GetResources() {
			req.Observed.Resources[name] = readyNode(tb, r.GetResource(), len(req.GetObserved().GetResources()))
		}

		req.Observed.Composite.Resource.Fields["status"] = rsp.GetDesired().GetComposite().GetResource().GetFields()["status"]
	}

	rollout := req.GetObserved().GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()["rollout"].GetStructValue()
	if got, want := rollout.GetFields()["done"].GetStringValue(), fmt.Sprintf("%d/%[1]d", agents+3); got != want {
		tb.Fatalf("the rollout has done %s of %s: %v", got, want, rollout)
	}

	// At rest nothing is asked for but the catalogue.
	req.RequiredResources = map[string]*fnv1.Resources{catalogRequirement: req.GetRequiredResources()[catalogRequirement]}

	return req
}

// TestClusterAtRest: the calls of the benchmark are those of a cluster at rest, which changes no node and asks for nothing but the catalogue.
func TestClusterAtRest(t *testing.T) {
	req := settledCluster(t, 2)
	rsp := Answer(req)

	for name, r := range rsp.GetDesired().GetResources() {
		before := req.GetObserved().GetResources()[name].GetResource().GetFields()["spec"]
		if got := r.GetResource().GetFields()["spec"]; got.String() != before.String() {
			t.Errorf("node %s changes:\n%s\n%s", name, before, got)
		}
	}

	if n := len(rsp.GetDesired().GetResources()); n != 5 || len(rsp.GetRequirements().GetResources()) != 1 {
		t.Errorf("%d nodes, and it asks for %v", n, rsp.GetRequirements().GetResources())
	}
}

// BenchmarkCluster is a whole call for a K3sCluster at rest, without gRPC: docs/performance.md.
func BenchmarkCluster(b *testing.B) {
	for _, nodes := range []int{5, 50} {
		b.Run(fmt.Sprintf("%dNodes", nodes), func(b *testing.B) {
			req := settledCluster(b, nodes-3)

			b.ReportAllocs()

			for b.Loop() {
				Answer(req)
			}
		})
	}
}
