package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
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

// TestSpreadOfServers: who only writes a cluster's name into a claim stands apart from its servers, and where the catalogue says who serves it, counts for nothing.
func TestSpreadOfServers(t *testing.T) {
	at := func(name, namespace, node string) proxmox.ObservedVM {
		return pooledVM(name, func(vm *proxmox.ObservedVM) {
			vm.Metadata.Labels[proxmox.NamespaceLabel] = namespace
			vm.Spec.ForProvider.NodeName, vm.Status.AtProvider.NodeName = node, node
		})
	}

	all := Neighbours{VMs: []proxmox.ObservedVM{at("a", "infra", "n1"), at("b", "shop", "n2"), at("c", "team-b", "n2"), at("d", "", "n3")}}

	cases := map[string]struct {
		reason            string
		named             []string
		others, strangers map[string][]string
	}{
		"Silent": {
			reason: "Servers in other namespaces may be honest ones, and come second.",
			others: map[string][]string{"n1": {"a"}, "n3": {AnotherClaim}}, strangers: map[string][]string{"n2": {AnotherClaim, AnotherClaim}},
		},
		"Named": {
			reason: "The catalogue says who they are.", named: []string{"sh*"},
			others: map[string][]string{"n1": {"a"}, "n2": {AnotherClaim}, "n3": {AnotherClaim}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Owner{Composite: "self", ClaimNamespace: "infra"}.SpreadOfServers(all, Kin{Namespace: "infra", Named: tc.named}, FirstVM, proxmox.State{})

			if diff := cmp.Diff(resolve.Spread{Others: tc.others, Strangers: tc.strangers}, got); diff != "" {
				t.Errorf("%s\nSpreadOfServers(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
