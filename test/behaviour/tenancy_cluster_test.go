package behaviour

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAClusterGrowsPastItsTenant: a K3sCluster that exists and is edited beyond the rules of its tenant keeps what it has; what is within the rules goes on once
// the edit is taken back.
func TestAClusterGrowsPastItsTenant(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason, rule, edit, says string
		// catalogue edits the platform's catalogue.
		catalogue func(data map[string]any)
	}{
		"Agents":  {reason: "There is room for five machines.", rule: "quota: {machines: 5}", edit: "{agents: [{name: worker, count: 4, class: agent}]}", says: "tenant ours has no room"},
		"Pool":    {reason: "A second pool is more machines.", rule: "quota: {machines: 5}", edit: "{agents: [{name: worker, count: 2, class: agent}, {name: more, count: 1, class: agent}]}", says: "tenant ours has no room"},
		"Servers": {reason: "Servers count as agents do.", rule: "quota: {machines: 5}", edit: "{servers: {count: 5}}", says: "tenant ours has no room"},
		"Class":   {reason: "The class is not the tenant's.", rule: "classes: [server, agent]", edit: "{agents: [{name: worker, count: 2, class: agent-large}]}", says: "class"},
		"Limits":  {reason: "One machine has too many cores.", rule: "limits: {cores: 4}", edit: "{agents: [{name: worker, count: 2, class: agent-large}]}", says: "cores"},
		"Cores":   {reason: "All have too many cores.", rule: "quota: {cores: 14}", edit: "{agents: [{name: worker, count: 2, class: agent-large}]}", says: "tenant ours has no room"},
		"CatalogueClass": {
			reason: "The class of the servers grows in the catalogue.", rule: "quota: {cores: 14}", says: "tenant ours has no room",
			catalogue: func(data map[string]any) {
				world.Object(world.Object(data["classes"])["server"])["cores"] = 8.0
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := &scene{ClusterWorld: world.NewClusterWorld(newCluster(t), "Object", ""), t: t}
			data := world.Object(s.Machine.Catalogue["data"])
			data["tenancy"] = world.FromYAML(t, fmt.Sprintf(`{default: Deny, tenants: {ours: {namespaces: [infra-machines], clusters: {home: [server, agent]}, allow: [pin], %s}}}`, tc.rule))
			s.comesTo("Complete")

			s.Proxmox.Done = nil

			if tc.edit != "" {
				s.Edit(tc.edit)
			}

			if tc.catalogue != nil {
				tc.catalogue(data)
			}

			s.comesTo("Blocked", tc.says)

			if diff := cmp.Diff([]string(nil), s.Proxmox.Done); diff != "" {
				t.Errorf("%s In Proxmox: -want, +got:\n%s", tc.reason, diff)
			}

			// What is within the rules goes on once the edit is taken back.
			world.Object(data["classes"])["server"] = world.FromYAML(t, "{cores: 2, memory: 4Gi, disk: 40Gi}")
			s.Edit("{servers: {count: 3}, agents: [{name: worker, count: 1, class: agent}]}")
			s.comesTo("Complete")

			if s.did("stop") > 1 || s.did("make") > 0 {
				t.Errorf("%s In Proxmox: %v", tc.reason, s.Proxmox.Done)
			}
		})
	}
}

// TestANewClusterBeyondItsTenant: of a new K3sCluster that its tenant has no room for as a whole, the nodes that there is room for are made, and the condition
// says what is missing; with room it goes on by itself.
func TestANewClusterBeyondItsTenant(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason, rule, more string
		room               int // VMs that there is room for.
	}{
		"Machines": {reason: "Each node is a machine.", rule: "quota: {machines: 2}", more: "quota: {machines: 5}", room: 2},
		"Nothing":  {reason: "There is room for none.", rule: "quota: {machines: 0}", more: "quota: {machines: 5}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := &scene{ClusterWorld: world.NewClusterWorld(newCluster(t), "Object", ""), t: t}
			data := world.Object(s.Machine.Catalogue["data"])
			rules := func(rule string) {
				data["tenancy"] = world.FromYAML(t, fmt.Sprintf(`{default: Deny, tenants: {ours: {namespaces: [infra-machines], clusters: {home: [server, agent]}, allow: [pin], %s}}}`, rule))
			}

			rules(tc.rule)
			s.comesTo("Blocked", "tenant ours")

			if made := s.did("make"); made != tc.room {
				t.Errorf("%s: %d VMs were made, want %d: %v", tc.reason, made, tc.room, s.Proxmox.Done)
			}

			rules(tc.more)
			s.comesTo("Complete")
		})
	}
}
