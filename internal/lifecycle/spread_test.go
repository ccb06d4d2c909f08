package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestSpreadNamesItsOwnNamespace: all servers of a cluster count, and of those in other namespaces nobody is told the names.
func TestSpreadNamesItsOwnNamespace(t *testing.T) {
	at := func(name, namespace, node string) proxmox.ObservedVM {
		return pooledVM(name, func(vm *proxmox.ObservedVM) {
			vm.Metadata.Labels[proxmox.NamespaceLabel] = namespace
			vm.Spec.ForProvider.NodeName, vm.Status.AtProvider.NodeName = node, node
		})
	}

	all := Neighbours{VMs: []proxmox.ObservedVM{
		at("a", "infra", "n1"), at("b", "payments", "n1"), at("c", "shop", "n1"), at("d", "payments", "n2"), at("self", "infra", "n2"),
	}}

	got := Owner{Composite: "self", ClaimNamespace: "infra"}.Spread(all, FirstVM, proxmox.State{})

	want := map[string][]string{"n1": {"a", AnotherClaim, AnotherClaim}, "n2": {AnotherClaim}}
	if diff := cmp.Diff(want, got.Others); diff != "" {
		t.Errorf("Spread(...): -want, +got:\n%s", diff)
	}
}
