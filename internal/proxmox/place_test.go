package proxmox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
)

// TestObservePlace: what it reads is what ObserveVM reads, and nothing else.
func TestObservePlace(t *testing.T) {
	for name, object := range map[string]map[string]any{
		"Moved": {
			"apiVersion": "virtualenvironmentvm.proxmoxbpg.m.crossplane.io/v1alpha1", "kind": VMKind,
			"metadata": map[string]any{"name": "web-vm", "namespace": "infra", "labels": map[string]any{MachineLabel: "web", NamespaceLabel: "infra"}},
			"spec": map[string]any{
				"managementPolicies": []any{"*"}, "providerConfigRef": map[string]any{"name": "default", "kind": "ClusterProviderConfig"},
				"forProvider": map[string]any{"nodeName": "pve1", "cpu": []any{map[string]any{"cores": 2.0}}},
			},
			"status": map[string]any{"atProvider": map[string]any{"nodeName": "pve2", "started": true}},
		},
		"New": {"apiVersion": "virtualenvironmentvm.proxmoxbpg.m.crossplane.io/v1alpha1", "kind": VMKind, "metadata": map[string]any{"name": "web-vm"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := structpb.NewStruct(object)
			if err != nil {
				t.Fatal(err)
			}

			want, err := ObserveVM(s)
			if err != nil {
				t.Fatal(err)
			}

			node, at := want.Spec.ForProvider.NodeName, want.Status.AtProvider.NodeName
			want.Spec.ForProvider, want.Status.AtProvider, want.Status.Conditions = VMParameters{NodeName: node}, VMObservation{}, nil
			want.Status.AtProvider.NodeName = at

			got, err := ObservePlace(s)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("ObservePlace(): %v; -want, +got:\n%s", err, diff)
			}
		})
	}
}
