package compose

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestPreviousContainer: what was written is read again, without the times of its conditions, and a status that cannot be read is none.
func TestPreviousContainer(t *testing.T) {
	written := v1alpha1.ContainerStatus{
		Conditions: []metav1.Condition{{Type: "MachineReady", Status: metav1.ConditionTrue, Reason: "Ready", Message: "It runs."}},
		Phase:      "Ready", VMID: new(int64(153)), Node: "pve", Placement: &v1alpha1.PlacementStatus{Node: "pve"}, PrimaryAddress: "10.0.0.1", Addresses: []string{"10.0.0.1"},
		Class: "small", Size: &v1alpha1.ResolvedSize{Cores: 2, MemoryMiB: 512, DiskGiB: 8}, Image: "debian", Hostname: "dns", Power: v1alpha1.PowerRunning,
		PendingReboot: []string{"cores"}, Refused: []string{"disk"}, Replacement: &v1alpha1.ReplacementStatus{}, Left: []string{"container 152 on node pve"},
		Plan: &v1alpha1.PlanStatus{}, Rollout: &v1alpha1.WaveStatus{State: v1alpha1.WaveFinished}, Adoption: &v1alpha1.AdoptionStatus{VMID: 153},
		AppliedSpec: v1alpha1.AppliedSpec{"class": "small"},
	}

	content, err := json.Marshal(map[string]any{"status": written})
	if err != nil {
		t.Fatal(err)
	}

	for name, tc := range map[string]struct {
		reason  string
		content string
		want    v1alpha1.ContainerStatus
	}{
		"Written": {reason: "Each field has a type that is read.", content: string(content), want: written},
		"None":    {reason: "A new container has none.", content: `{}`},
		"Time": {
			reason:  "A time that is none was not written by Crossplane.",
			content: `{"status": {"node": "pve", "conditions": [{"type": "Ready", "lastTransitionTime": "yesterday"}]}}`,
		},
		"Type": {reason: "Nor was a text in place of a number.", content: `{"status": {"node": "pve", "vmId": "153"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			composite := &structpb.Struct{}
			if err := protojson.Unmarshal([]byte(tc.content), composite); err != nil {
				t.Fatal(err)
			}

			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: composite}}}
			if diff := cmp.Diff(tc.want, containerCall{&call{req: req}}.previousContainer()); diff != "" {
				t.Errorf("%s\npreviousContainer(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
