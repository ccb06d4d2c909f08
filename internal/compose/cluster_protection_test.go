package compose

import (
	"maps"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// TestAClusterThatCouldNotGo is kept from deletion while its VMs would wait for the Nodes of an API that goes with them.
func TestAClusterThatCouldNotGo(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   map[string]any
		entry  map[string]any
		says   string // The reason of the Usage; empty without one.
	}{
		"NodesLeave": {
			reason: "The last VMs would wait for an API that nobody serves any more.", says: "First remove observe and providerConfig",
			spec: map[string]any{"deletionPolicy": "Delete", "deletionProtection": false}, entry: map[string]any{"observe": "Here", "providerConfig": "home"},
		},
		"Protected": {
			reason: "A person's word comes first.", says: "this cluster is protected",
			spec: map[string]any{"deletionPolicy": "Delete"}, entry: map[string]any{"observe": "Here", "providerConfig": "home"},
		},
		"Orphan": {
			reason: "The VMs run on, and no Node goes.",
			spec:   map[string]any{"deletionPolicy": "Orphan"}, entry: map[string]any{"observe": "Here", "providerConfig": "home"},
		},
		"NodesStay": {
			reason: "No VM waits for its Node.",
			spec:   map[string]any{"deletionPolicy": "Delete", "deletionProtection": false}, entry: map[string]any{"observe": "Here"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := clusterRequest(t)
			composite := req.GetObserved().GetComposite().GetResource().AsMap()
			spec, _ := composite["spec"].(map[string]any)
			spec["cluster"] = "home"
			delete(spec, "endpoint")

			maps.Copy(spec, tc.spec)

			req.Observed.Composite.Resource = content(t, composite)

			catalogue := req.GetRequiredResources()[catalogRequirement].GetItems()[0].GetResource().AsMap()
			data, _ := catalogue["data"].(map[string]any)
			tc.entry["server"] = "https://192.168.4.210:6443"
			data["clusters"] = map[string]any{"home": tc.entry}
			req.RequiredResources[catalogRequirement] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(t, catalogue)}}}

			rsp := Answer(req)
			if rsp.GetDesired().GetResources()["server-0"] == nil {
				t.Fatalf("no node: %v", rsp.GetResults())
			}

			usage, _ := rsp.GetDesired().GetResources()["protects-claim"].GetResource().AsMap()["spec"].(map[string]any)
			if usage == nil {
				usage, _ = rsp.GetDesired().GetResources()["protects-composite"].GetResource().AsMap()["spec"].(map[string]any)
			}

			got, _ := usage["reason"].(string)
			if tc.says == "" && got != "" || !strings.Contains(got, tc.says) {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.says, got)
			}
		})
	}
}
