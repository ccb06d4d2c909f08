package behaviour

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// forgedAnnotations are those that the function and Crossplane write onto what is composed, by hand on a claim.
func forgedAnnotations() map[string]any {
	out := map[string]any{
		"crossplane.io/external-name": "4101", "crossplane.io/paused": "false", "crossplane.io/composition-resource-name": "vm",
		"crossplane.io/external-create-pending": "2020-01-01T00:00:00Z", "crossplane.io/external-create-succeeded": "2020-01-01T00:00:00Z",
		"kubectl.kubernetes.io/last-applied-configuration": `{"spec":{"proxmox":{"vmId":4101}}}`,
	}

	for name, value := range map[string]string{
		"bootstrap-hash": "0", "replace-tokens": "now", "replacing": "vm", "candidate": "vm-2", "reboot-tokens": "now", "reboot-pending": "cpu", "stopped-for": "Replacement",
		"rebooting-for": "now", "awaits-restart": "now", "starting-again": "now", "restarted-for": "now", "interfaces": "eth0", "allowed": "true", "outage": "now",
		"joining": "x", "joined": "x", "node-joined": "server-1", "node-removed": "server-1", "node-name": "server-2", "drain": "server-2", "drain-token": "now", "force-tokens": "now",
		"approval": "0123456789abcdef", "adopted": "true", "reserved-address": "192.168.4.1", "pool-address": "192.168.4.1", "creating": "x", "created": "x", "recreated": "x",
		"paused-by": "x", "paused-for": "x", "reserves": "vm 1 1 1", "grows": "vm 1 1 1", "cluster-template": "x", "cluster-turn": "x", "cluster-joined": "x",
		"cluster-requested": "x", "cluster-data-disks": "x", "cluster-adopted": "x",
	} {
		out["homelab.io/"+name] = value
	}

	return out
}

// forgedLabels name others as the owner, as the cluster, and as the tenant's namespace. Those of Crossplane it writes itself where a claim has a composite.
func forgedLabels() map[string]any {
	return map[string]any{
		"homelab.io/machine": "server-2", "homelab.io/namespace": "platform", "homelab.io/k3s-cluster": "home", "homelab.io/k3s-role": "server", "homelab.io/k3s-etcd": "voter",
		"homelab.io/vm-id": "4101", "homelab.io/spread": "others", "homelab.io/awaits-vm": "true", "homelab.io/machine-uid": "x", "homelab.io/node": "server-2",
		"homelab.io/ipv4": "192.168.4.1", "homelab.io/role": "x",
	}
}

// TestMetadataByHand: what somebody writes into the metadata of a claim changes nothing of what is composed and said, while the machine is made, and while it
// runs.
func TestMetadataByHand(t *testing.T) {
	t.Parallel()

	for _, name := range []string{"nixos/dns01", "plain-debian/files01", "k3s-cluster/server-1"} {
		for _, in := range world.Installations {
			t.Run(name+in.Name, func(t *testing.T) {
				honest, hostile := alone(t, fake.ExampleNamed(t, name).Machine(in)), alone(t, fake.ExampleNamed(t, name).Machine(in))
				metadata := world.Object(hostile.Composite["metadata"])
				labels := maps.Clone(world.Object(metadata["labels"]))
				maps.Copy(labels, forgedLabels())
				metadata["annotations"], metadata["labels"] = forgedAnnotations(), labels
				// A warning says that it has no effect: so must another value.
				world.Object(honest.Composite["metadata"])["annotations"] = map[string]any{"crossplane.io/external-name": "4102"}

				for turn := range 8 {
					want, got := honest.Call(), hostile.Call()

					if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
						t.Fatalf("turn %d: -without, +with what was written by hand:\n%s", turn, diff)
					}

					honest.Reconcile(want)
					hostile.Reconcile(got)
					honest.Provide()
					hostile.Provide()
				}

				if diff := cmp.Diff(honest.Proxmox.Done, hostile.Proxmox.Done); diff != "" || !strings.HasPrefix(strings.Join(honest.Proxmox.Done, ","), "make ") {
					t.Errorf("in Proxmox: -without, +with:\n%s", diff)
				}
			})
		}
	}
}

// TestClustersByHand: a K3sNode that says that a K3sCluster made it, by an owner and by the label, is judged as any other. Its author may write both where
// composites have namespaces.
func TestClustersByHand(t *testing.T) {
	t.Parallel()

	const rules = `{tenants: {ours: {namespaces: ["*"], allow: [pin, startup, templates], %s}}}`

	cases := map[string]struct{ reason, rule, says string }{
		"Role":     {"A server of the platform's cluster has a vote.", "clusters: {home: [agent]}", "spec.k3s.role"},
		"Cluster":  {"A node of another team's cluster.", "clusters: {}", "spec.k3s.cluster"},
		"Quota":    {"A node counts.", "quota: {machines: 0}", "has no room for this"},
		"Limits":   {"A node is no larger than others.", "limits: {cores: 1}", "spec.size.cores"},
		"Deletion": {"A node leaves nothing behind.", "deletion: Required", "spec.deletionPolicy"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := exampleIn(t, "k3s-cluster/server-1", world.Installation{Name: "namespaced", Namespaced: true})
			m.Spec()["deletionPolicy"] = "Orphan"
			m.withTenancy(world.FromYAML(t, fmt.Sprintf(rules, tc.rule)))
			m.refused(m.Call(), tc.says)

			metadata := world.Object(m.Composite["metadata"])
			metadata["labels"] = map[string]any{"homelab.io/k3scluster": "home"}
			metadata["ownerReferences"] = []any{map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "K3sCluster", "name": "home", "uid": "x", "controller": true}}

			m.refused(m.Call(), tc.says)

			if made := m.Proxmox.Done; len(made) > 0 {
				t.Errorf("%s In Proxmox: %v", tc.reason, made)
			}
		})
	}
}
