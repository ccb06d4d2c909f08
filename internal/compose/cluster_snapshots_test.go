package compose

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
)

// TestClusterSnapshots: who is asked for snapshots of etcd, and what the status says of them.
func TestClusterSnapshots(t *testing.T) {
	served := &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
		"metadata": map[string]any{"name": cluster.SnapshotDefinition},
		"spec":     map[string]any{"versions": []any{map[string]any{"name": "v1", "served": true}}},
		"status":   map[string]any{"conditions": []any{map[string]any{"type": "Established", "status": "True"}}},
	})}}}
	taken := &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
		"metadata": map[string]any{"name": "local-a"}, "spec": map[string]any{"snapshotName": "a", "location": "file:///s/a"},
		"status": map[string]any{"creationTime": "2026-11-22T06:00:00Z", "readyToUse": true},
	})}}}

	type want struct {
		asks   []string
		status map[string]any
		reason string
	}

	cases := map[string]struct {
		reason  string
		entry   map[string]any
		answers map[string]*fnv1.Resources
		had     bool
		// stranger has no server that is known to be a Node of the cluster.
		stranger bool
		want     want
	}{
		"NotObserved": {reason: "Without rights Crossplane would not answer at all.", entry: map[string]any{"observe": "Here"}},
		"AsksForTheKind": {
			reason: "Crossplane could not fetch what is not served.", entry: map[string]any{"observe": "Here", "observeSnapshots": true},
			want: want{asks: []string{snapshotKindRequirement}},
		},
		"NotServed": {
			reason: "No K3s, or an old one.", entry: map[string]any{"observe": "Here", "observeSnapshots": true},
			answers: map[string]*fnv1.Resources{snapshotKindRequirement: {}},
			want:    want{asks: []string{snapshotKindRequirement}, reason: cluster.ReasonNoSnapshot},
		},
		"Asks": {
			reason: "The kind is served, and nothing else waits for the answer.", entry: map[string]any{"observe": "Here", "observeSnapshots": true},
			answers: map[string]*fnv1.Resources{snapshotKindRequirement: served},
			want:    want{asks: []string{snapshotKindRequirement, snapshotsRequirement}},
		},
		"Taken": {
			reason: "The newest one.", entry: map[string]any{"observe": "Here", "observeSnapshots": true},
			answers: map[string]*fnv1.Resources{snapshotKindRequirement: served, snapshotsRequirement: taken},
			want: want{
				asks: []string{snapshotKindRequirement, snapshotsRequirement}, reason: cluster.ReasonSnapshotTaken,
				status: map[string]any{"newest": "a", "time": "2026-11-22T06:00:00Z", "location": "file:///s/a", "count": 1.0},
			},
		},
		"Stranger": {
			reason: "Anybody can write the cluster's name into a claim.", entry: map[string]any{"observe": "Here", "observeSnapshots": true}, stranger: true,
			answers: map[string]*fnv1.Resources{snapshotKindRequirement: served, snapshotsRequirement: taken},
		},
		"StrangerByNow": {
			reason: "What was said does not stay.", entry: map[string]any{"observe": "Here", "observeSnapshots": true}, stranger: true, had: true,
			answers: map[string]*fnv1.Resources{snapshotKindRequirement: served, snapshotsRequirement: taken}, want: want{reason: cluster.ReasonNotObserved},
		},
		"NoMore": {reason: "What was said does not stay.", entry: map[string]any{"observe": "Here"}, had: true, want: want{reason: cluster.ReasonNotObserved}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := clusterRequest(t)
			composite := req.GetObserved().GetComposite().GetResource()
			composite.GetFields()["spec"].GetStructValue().GetFields()["cluster"] = content(t, map[string]any{"c": "home"}).GetFields()["c"]

			if !tc.stranger {
				req.Observed.Resources = map[string]*fnv1.Resource{"server-0": {Resource: &structpb.Struct{Fields: content(t, map[string]any{
					"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode", "metadata": map[string]any{"name": "home-server-0", "namespace": "clusters", "annotations": map[string]any{cluster.TemplateAnnotation: "t"}},
					"spec":   map[string]any{"k3s": map[string]any{"role": "server"}},
					"status": map[string]any{"kubernetes": map[string]any{"name": "home-server-0", "version": "v1.33.6+k3s1"}},
				}).GetFields()}}}
			}

			if tc.had {
				composite.GetFields()["status"] = content(t, map[string]any{"s": map[string]any{"conditions": []any{
					map[string]any{"type": cluster.TypeSnapshotsTaken, "status": "True", "reason": cluster.ReasonSnapshotTaken},
				}}}).GetFields()["s"]
			}

			data := req.GetRequiredResources()[catalogRequirement].GetItems()[0].GetResource().GetFields()["data"].GetStructValue()
			data.GetFields()["clusters"] = content(t, map[string]any{"c": map[string]any{"home": tc.entry}}).GetFields()["c"]

			maps.Copy(req.GetRequiredResources(), tc.answers)

			// There is nothing of what else it asks for.
			for name := range Answer(req).GetRequirements().GetResources() {
				if req.GetRequiredResources()[name] == nil && name != snapshotKindRequirement && name != snapshotsRequirement {
					req.RequiredResources[name] = &fnv1.Resources{}
				}
			}

			rsp := Answer(req)

			var got want

			for _, name := range []string{snapshotKindRequirement, snapshotsRequirement} {
				if rsp.GetRequirements().GetResources()[name] != nil {
					got.asks = append(got.asks, name)
				}
			}

			seen := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()
			if s := seen["snapshots"].GetStructValue(); s != nil {
				got.status = s.AsMap()
			}

			for _, c := range rsp.GetConditions() {
				if c.GetType() == cluster.TypeSnapshotsTaken {
					got.reason = c.GetReason()
				}
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if rsp.GetDesired().GetResources()["server-0"] == nil {
				t.Errorf("%s\nno server is created: %v", tc.reason, rsp.GetResults())
			}
		})
	}
}
