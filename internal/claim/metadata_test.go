package claim

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestRemarks(t *testing.T) {
	const no = "metadata.annotations[crossplane.io/external-name] has no effect: it is for managed resources, and a claim's are named by the function. "

	of := func(kind string, annotations map[string]any) map[string]any {
		return map[string]any{"kind": kind, "metadata": map[string]any{"name": "web", "annotations": annotations}}
	}
	annotated := map[string]any{proxmox.ExternalNameAnnotation: "pve1/108"}

	cases := map[string]struct {
		reason    string
		composite map[string]any
		want      []string
	}{
		"Nothing": {reason: "A claim of nothing.", composite: map[string]any{}},
		"Plain":   {reason: "Other annotations are other programs'.", composite: of(KindMachine, map[string]any{"note": "x"})},
		"Empty":   {reason: "Crossplane takes an empty one for none.", composite: of(KindMachine, map[string]any{proxmox.ExternalNameAnnotation: ""})},
		"NoText":  {reason: "The API server refuses it.", composite: of(KindMachine, map[string]any{proxmox.ExternalNameAnnotation: 108})},
		"Machine": {
			reason: "People know it from imports.", composite: of(KindMachine, annotated),
			want: []string{no + "To say the VMID, set spec.proxmox.vmId; to take over a VM or container that exists, spec.adopt.vmId."},
		},
		"Cluster": {
			reason: "It has no VM itself.", composite: of("X"+KindK3sCluster, annotated),
			want: []string{no + "To say a node's VMID, set spec.nodes[].vmId; to take over a VM that exists, spec.nodes[].adoptVm.vmId."},
		},
		"Site": {
			reason: "Nothing of it is adopted.", composite: of(KindProxmoxSite, annotated),
			want: []string{no + "What exists in Proxmox, and the claim did not create, stays as it is."},
		},
		"NodeOfCluster": {reason: "Its metadata are the function's.", composite: map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": KindK3sNode, "metadata": map[string]any{
			"annotations":     annotated,
			"ownerReferences": []any{map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": KindK3sCluster, "controller": true}},
		}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Remarks(tc.composite)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
