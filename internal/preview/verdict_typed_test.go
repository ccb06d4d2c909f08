package preview

import (
	"bytes"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestPlanOfANode: the plan of a node of a cluster names the fields of the cluster's claim, and gives the reasons of the fields that a node has.
func TestPlanOfANode(t *testing.T) {
	plan := func() MachinePlan {
		return MachinePlan{
			Kind: "K3sNode", Name: "home-server-1", State: StateRefused, Notes: []string{"keeps spec.proxmox.node"},
			Steps: []PlanStep{{Resource: "VM 161", Action: "update", Notes: []string{"set spec.lifecycle.force"}, Changes: []PlanChange{
				{Effect: EffectRefused, Field: "spec.proxmox.vmId", From: "161", To: "162"}, {Effect: EffectRefused, Field: "spec.proxmox.node", From: "pve1", To: "pve2"},
			}}},
		}
	}

	node := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode", "spec": map[string]any{"k3s": map[string]any{"role": "server"}},
		"metadata": map[string]any{"name": "home-server-1", "annotations": map[string]any{annotationResourceName: "server-1"}},
	}}
	ofCluster := *node.DeepCopy()
	ofCluster.Object["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "K3sCluster", "controller": true}}

	for name, tc := range map[string]struct {
		reason string
		of     unstructured.Unstructured
		want   []string
	}{
		"OfCluster": {"A person types the entry of the node.", ofCluster, []string{
			"keeps spec.nodes[server-1].proxmoxNode", "set spec.nodes[server-1].lifecycle.force", "spec.nodes[server-1].vmId: 161 to 162",
			"only spec.nodes[server-1].lifecycle.replace changes it", "unless spec.servers.template.proxmox.migrate: true moves it",
		}},
		"OfItsOwn": {"The claim of a node has its own fields.", node, []string{
			"keeps spec.proxmox.node", "set spec.lifecycle.force", "spec.proxmox.vmId: 161 to 162", "only spec.lifecycle.replace changes it",
			"unless spec.proxmox.migrate: true moves it",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := (Plan{Machines: []MachinePlan{plan().typed(Claim{Object: tc.of})}}).Write(&out, "text", false); err != nil {
				t.Fatal(err)
			}

			for _, want := range tc.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%s\nwant %q in\n%s", tc.reason, want, out.String())
				}
			}
		})
	}
}
