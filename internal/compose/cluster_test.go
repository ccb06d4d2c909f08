package compose

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

func content(t testing.TB, of map[string]any) *structpb.Struct {
	t.Helper()

	s, err := structpb.NewStruct(of)
	if err != nil {
		t.Fatal(err)
	}

	return s
}

// clusterRequest is a call for a cluster of three servers and an agent that has no nodes yet.
func clusterRequest(t testing.TB) *fnv1.RunFunctionRequest {
	t.Helper()

	return &fnv1.RunFunctionRequest{
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: content(t, map[string]any{
			"apiVersion": "homelab.io/v1alpha1", "kind": claim.KindK3sCluster,
			"metadata": map[string]any{"name": "home", "namespace": "clusters", "uid": "own", "labels": map[string]any{"team": "a", "crossplane.io/composite": "home"}},
			"spec": map[string]any{
				"version": "v1.33.6+k3s1", "endpoint": "https://192.168.4.210:6443",
				"token":   map[string]any{"secretRef": map[string]any{"name": "token", "key": "token"}, "allowPlaintext": true, "trustOnFirstUse": true},
				"servers": map[string]any{"count": 3.0, "class": "medium"},
				"agents":  []any{map[string]any{"name": "worker", "count": 1.0}},
			},
		})}},
		RequiredResources: map[string]*fnv1.Resources{
			catalogRequirement: {Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
				"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "machine-catalog"},
				"data": map[string]any{
					"defaults": map[string]any{"site": "home"}, "sites": map[string]any{"home": map[string]any{"nodes": map[string]any{"pve1": map[string]any{}}}},
				},
			})}}},
			memberRequirement + "server-0": {},
		},
	}
}

func TestCluster(t *testing.T) {
	cases := map[string]struct {
		reason  string
		edit    func(*fnv1.RunFunctionRequest)
		nodes   []string
		message string
	}{
		"Birth": {
			reason: "The first server comes alone.",
			nodes:  []string{"server-0"}, message: "server-0 is being created: it starts the cluster; 0 of 4 nodes are done.",
		},
		"NotAnswered": {
			reason: "Whether the name is free is not known yet.",
			edit:   func(r *fnv1.RunFunctionRequest) { delete(r.GetRequiredResources(), memberRequirement+"server-0") },
		},
		"Taken": {
			reason: "A K3sNode of that name is somebody else's, and Crossplane would write over it.",
			edit: func(r *fnv1.RunFunctionRequest) {
				r.RequiredResources[memberRequirement+"server-0"] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
					"kind": "K3sNode", "metadata": map[string]any{"name": "home-server-0", "namespace": "clusters"},
				})}}}
			},
			message: "server-0 is not created: K3sNode home-server-0 exists already, and is not this cluster's.",
		},
		"PoolNamedAsUsages": {
			reason: "What is a node is told by its kind.",
			edit: func(r *fnv1.RunFunctionRequest) {
				r.Observed.Resources = map[string]*fnv1.Resource{"protects-0": {Resource: content(t, map[string]any{
					"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode", "metadata": map[string]any{"name": "home-protects-0", "namespace": "clusters"},
					"spec": map[string]any{"k3s": map[string]any{"role": "agent"}},
				})}}
				r.RequiredResources[clusterVMsRequirement] = &fnv1.Resources{}
			},
			nodes:   []string{"protects-0", "server-0"},
			message: "server-0 is being created: it starts the cluster; 0 of 4 nodes are done.",
		},
		"OwnAndNotSeenYet": {
			reason: "What the call before created may not be among the observed resources yet.",
			edit: func(r *fnv1.RunFunctionRequest) {
				r.RequiredResources[memberRequirement+"server-0"] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
					"kind": "K3sNode", "metadata": map[string]any{
						"name": "home-server-0", "namespace": "clusters", "ownerReferences": []any{map[string]any{"controller": true, "uid": "own"}},
					},
				})}}}
			},
			nodes: []string{"server-0"}, message: "server-0 is being created: it starts the cluster; 0 of 4 nodes are done.",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := clusterRequest(t)
			if tc.edit != nil {
				tc.edit(req)
			}

			rsp := Answer(req)

			for _, r := range rsp.GetResults() {
				if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
					t.Fatal(r.GetMessage())
				}
			}

			if diff := cmp.Diff(tc.nodes, slices.Sorted(maps.Keys(rsp.GetDesired().GetResources()))); diff != "" {
				t.Errorf("%s\nnodes: -want, +got:\n%s", tc.reason, diff)
			}

			rollout := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()["rollout"].GetStructValue()
			if got := rollout.GetFields()["message"].GetStringValue(); got != tc.message {
				t.Errorf("%s\nthe status says %q; want %q", tc.reason, got, tc.message)
			}

			for _, r := range rsp.GetDesired().GetResources() {
				if labels := metadataOf(r.GetResource())["labels"].GetStructValue().AsMap(); labels["team"] != "a" || strings.Contains(strings.Join(slices.Collect(maps.Keys(labels)), " "), "crossplane") {
					t.Errorf("the labels of a node are %v; want those that a person wrote", labels)
				}
			}
		})
	}
}

// TestClusterApplied: what a GitOps tool compares with the spec is written when the rollout is complete, and stays until then.
func TestClusterApplied(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  v1alpha1.RolloutState
		before map[string]any
		want   string
	}{
		"Complete": {"Every node is as the claim describes it.", v1alpha1.RolloutComplete, map[string]any{"version": "v1.32.0+k3s1"}, "v1.33.6+k3s1"},
		"Born":     {"Nothing has arrived before.", v1alpha1.RolloutProgressing, nil, ""},
		"UnderWay": {"What arrived is the spec before.", v1alpha1.RolloutProgressing, map[string]any{"version": "v1.32.0+k3s1"}, "v1.32.0+k3s1"},
		"Paused":   {"A rollout that is paused has not arrived.", v1alpha1.RolloutPaused, map[string]any{"version": "v1.32.0+k3s1"}, "v1.32.0+k3s1"},
		"Blocked":  {"Neither has one that is blocked.", v1alpha1.RolloutBlocked, map[string]any{"version": "v1.32.0+k3s1"}, "v1.32.0+k3s1"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := clusterRequest(t)
			if tc.before != nil {
				req.GetObserved().GetComposite().GetResource().Fields["status"] = structpb.NewStructValue(content(t, map[string]any{"appliedSpec": tc.before}))
			}

			composite := req.GetObserved().GetComposite().GetResource().AsMap()
			c := clusterCall{call: &call{req: req, composite: composite, rsp: &fnv1.RunFunctionResponse{
				Desired: &fnv1.State{Composite: &fnv1.Resource{Resource: content(t, map[string]any{})}},
			}}}

			if err := c.writeStatus(v1alpha1.K3sClusterStatus{Rollout: &v1alpha1.RolloutStatus{State: tc.state}}); err != nil {
				t.Fatal(err)
			}

			status := c.call.rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()
			if got := status["appliedSpec"].GetStructValue().GetFields()["version"].GetStringValue(); got != tc.want {
				t.Errorf("%s appliedSpec has version %q, want %q", tc.reason, got, tc.want)
			}

			if got := status["rollout"].GetStructValue().GetFields()["state"].GetStringValue(); got != string(tc.state) {
				t.Errorf("%s the rollout is %q", tc.reason, got)
			}
		})
	}
}

func TestClusterFaults(t *testing.T) {
	spec := map[string]any{
		"version": "v1.33.6+k3s1", "endpoint": "https://192.168.4.210:6443",
		"token": map[string]any{"secretRef": map[string]any{"name": "token", "key": "token"}, "allowPlaintext": true, "trustOnFirstUse": true},
		"servers": map[string]any{
			"count": 3.0, "class": "none", "template": map[string]any{"hostname": "a", "zzz": 1.0, "k3s": map[string]any{"init": true, "version": "v1"}},
		},
		"agents": []any{map[string]any{"name": "worker", "count": 2.0, "image": "none", "template": map[string]any{"network": map[string]any{"ip": "192.168.4.7/24", "gateway": "192.168.4.1"}}}},
		"nodes":  []any{map[string]any{"name": "server-9"}},
	}

	req := clusterRequest(t)
	req.Observed.Composite.Resource.Fields["spec"] = structpb.NewStructValue(content(t, spec))

	want := []string{
		"the cluster does not change until these 8 faults are corrected:",
		`spec.servers.class: "none": there is no class of that name`,
		"spec.servers.template.hostname: the names of the nodes are those of cluster and pool",
		"spec.servers.template.k3s.init: the first server starts the cluster by itself",
		"spec.servers.template.k3s.version: write spec.version",
		"spec.servers.template.zzz: unknown field",
		`spec.agents[0].image: "none": there is no image of that name`,
		"spec.agents[0].template.network.ip: an address belongs to a single machine: write spec.nodes[].ip",
		`spec.nodes[0].name: "server-9": is no node of this cluster`,
	}

	// Once is no proof of an order.
	for range 20 {
		results := Answer(req).GetResults()
		if len(results) != 1 || results[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL {
			t.Fatalf("got %v; want one fatal result", results)
		}

		got := strings.Split(results[0].GetMessage(), "\n")
		if len(got) != len(want) {
			t.Fatalf("all faults come at once, each once, in the order of docs/api.md: want %q, got %q", want, got)
		}

		for i := range want {
			if !strings.HasPrefix(strings.TrimSpace(got[i]), want[i]) {
				t.Fatalf("line %d is %q; want %q", i, got[i], want[i])
			}
		}
	}
}

// TestClusterOnOldCrossplane: Crossplane 1.20 hands no Secret to a function. The claim says so before there is any node.
func TestClusterOnOldCrossplane(t *testing.T) {
	const cannot = "this Crossplane (before 2.0) cannot hand a Secret to a function."

	secret := map[string]any{"secretRef": map[string]any{"name": "token", "key": "token"}, "allowPlaintext": true}
	file := map[string]any{"file": "/etc/rancher/k3s/token", "trustOnFirstUse": true}

	cases := map[string]struct {
		reason string
		spec   map[string]any
		want   []string
	}{
		"Token": {
			reason: "No node could have its token.",
			spec:   map[string]any{"token": map[string]any{"secretRef": secret["secretRef"], "allowPlaintext": true, "trustOnFirstUse": true}},
			want:   []string{"spec.token.secretRef: " + cannot},
		},
		"JoinToken": {
			reason: "The first server could begin, and nobody could ever join it.",
			spec:   map[string]any{"token": file, "joinToken": secret},
			want:   []string{"spec.joinToken.secretRef: " + cannot},
		},
		"Files": {
			reason: "Secrets of a pool's nodes are Secrets, too.",
			spec: map[string]any{"token": file, "agents": []any{map[string]any{"name": "worker", "count": 1.0, "template": map[string]any{
				"bootstrap": map[string]any{"secrets": []any{map[string]any{
					"path": "/etc/ca.crt", "secretRef": map[string]any{"name": "tls", "key": "ca.crt"}, "allowPlaintext": true,
				}}},
			}}}},
			want: []string{"spec.agents[0].template.bootstrap.secrets: " + cannot},
		},
		"File": {reason: "A snippet on the node writes the token.", spec: map[string]any{"token": file}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := clusterRequest(t)
			fields := req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue().GetFields()
			maps.Copy(fields, content(t, tc.spec).GetFields())

			req.ExtraResources, req.RequiredResources = req.GetRequiredResources(), nil

			var got []string

			for _, r := range Answer(req).GetResults() {
				if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
					got = append(got, r.GetMessage())
				}
			}

			if len(got) != len(tc.want) {
				t.Fatalf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}

			for i := range got {
				if !strings.Contains(got[i], tc.want[i]) || strings.Count(got[i], cannot) != 1 {
					t.Errorf("%s\nwant %q once, got %q", tc.reason, tc.want[i], got[i])
				}
			}
		})
	}
}

// TestClusterNamesNobody: a setting of a node that the pool's count does not have is a slip in a new claim, and waits for a larger count where nodes exist.
func TestClusterNamesNobody(t *testing.T) {
	const nobody = `spec.nodes[0].name: "worker-3": has no effect: the pool's count has no such node; did you mean worker-0? There are: worker-0, server-0, server-1, server-2`

	req := clusterRequest(t)
	req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue().Fields["nodes"] = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{
		structpb.NewStructValue(content(t, map[string]any{"name": "worker-3", "ip": "192.168.4.60/24"})),
	}})

	results := Answer(req).GetResults()
	if len(results) != 1 || results[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL || !strings.HasSuffix(results[0].GetMessage(), nobody) {
		t.Errorf("a new claim: got %v; want it refused: %s", results, nobody)
	}

	req.Observed.Resources = map[string]*fnv1.Resource{"server-0": {Resource: content(t, map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode", "metadata": map[string]any{"name": "home-server-0", "namespace": "clusters"},
		"spec": map[string]any{"k3s": map[string]any{"role": "server"}},
	})}}
	req.RequiredResources[clusterVMsRequirement] = &fnv1.Resources{}

	for _, r := range Answer(req).GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			t.Errorf("a cluster that lives is refused: %s", r.GetMessage())
		}
	}
}
