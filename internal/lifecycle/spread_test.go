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

			if diff := cmp.Diff(resolve.Spread{Others: tc.others, Strangers: tc.strangers, Later: map[string]int{}}, got); diff != "" {
				t.Errorf("%s\nSpreadOfServers(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSpreadOfThoseThatMoveOn: of those that are not created yet, who chose later makes way, and who is on one node with an earlier one moves on.
func TestSpreadOfThoseThatMoveOn(t *testing.T) {
	const first, second, third, fourth = "01", "02", "08", "09" // The machine itself chose between the second and the third.

	check := func(name, second, node string) proxmox.ObservedVM { return aCheckOf("Machine", name, second, node) }

	cases := map[string]struct {
		reason string
		chosen string // The node that the machine itself chose; empty for none.
		all    Neighbours
		later  map[string]int
		moving resolve.Moving
	}{
		"Alone":     {"Nobody is there.", "n1", Neighbours{}, map[string]int{}, resolve.Moving{}},
		"Later":     {"One has a node of its own.", "n1", Neighbours{VMs: []proxmox.ObservedVM{check("a", first, "n1"), check("b", third, "n2")}}, map[string]int{"n2": 1}, resolve.Moving{}},
		"Before":    {"Of three on one node, the second moves on, too.", "n1", Neighbours{VMs: []proxmox.ObservedVM{check("a", first, "n1"), check("b", second, "n1")}}, map[string]int{}, resolve.Moving{Earlier: 1}},
		"After":     {"So does the last one, which makes way for both.", "n1", Neighbours{VMs: []proxmox.ObservedVM{check("a", first, "n1"), check("b", third, "n1")}}, map[string]int{"n1": 1}, resolve.Moving{Later: 1}},
		"ForItself": {"Who makes way for the machine alone moves on, if it stays or not.", "n1", Neighbours{VMs: []proxmox.ObservedVM{check("a", third, "n1")}}, map[string]int{"n1": 1}, resolve.Moving{Later: 1}},
		"Elsewhere": {
			"Two meet on another node.", "n1",
			Neighbours{VMs: []proxmox.ObservedVM{check("a", first, "n1"), check("b", third, "n2"), check("c", fourth, "n2")}},
			map[string]int{"n2": 2},
			resolve.Moving{Later: 1},
		},
		"There": {
			"What is there never moves, and who would meet it does.", "n1",
			Neighbours{VMs: []proxmox.ObservedVM{aVMOf("Machine", "a", fourth, "n2"), check("b", second, "n2"), check("c", third, "n3")}},
			map[string]int{"n3": 1},
			resolve.Moving{Earlier: 1},
		},
		"None": {"Who has chosen nothing meets nobody with this call.", "", Neighbours{VMs: []proxmox.ObservedVM{check("a", first, "n1"), check("b", third, "n1")}}, map[string]int{}, resolve.Moving{}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			own := proxmox.State{}
			if tc.chosen != "" {
				own.VMs = map[string]proxmox.ObservedVM{"check": aCheckOf("Machine", "self", "05", tc.chosen)}
			}

			got := Owner{Composite: "self", Kind: "Machine", ClaimNamespace: "infra"}.Spread(tc.all, "check", own)
			want := resolve.Spread{Others: got.Others, Later: tc.later, Moving: tc.moving, Chosen: tc.chosen}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\nSpread(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
