package behaviour

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// firstServer is the composed resource of a cluster's first server.
const firstServer = "server-0"

// aCluster with its first server, which is being created.
func aCluster(t *testing.T, edits ...string) *machine {
	t.Helper()

	m := ofKind(t, "K3sCluster", "home", `{version: v1.33.6+k3s1, endpoint: "https://192.168.4.210:6443",
		token: {secretRef: {name: token, key: token}, allowPlaintext: true, trustOnFirstUse: true}, servers: {count: 1, class: own, template: {proxmox: {site: home, node: pve}}}}`)
	m.Secrets = []map[string]any{{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "token", "namespace": "infra"}, "stringData": map[string]any{"token": "the-token-of-the-cluster"},
	}}

	for _, e := range edits {
		m.edit(e)
	}

	for range 3 {
		m.Turn()
	}

	return m
}

func (m *machine) hasServer() {
	m.t.Helper()

	if m.Observed[firstServer] == nil {
		m.t.Fatalf("no node: %v", world.Keys(m.Observed))
	}
}

func clusterLosesNothing(t *testing.T) {
	m := aCluster(t)
	m.hasServer()

	before := m.seen()
	m.Catalogue = nil
	m.keepsAll(before)
}

// joins lets the first server answer its spec as one that has joined.
func (m *machine) joins() {
	m.t.Helper()
	m.hasServer()

	o := m.Observed[firstServer]
	o["status"] = map[string]any{"appliedSpec": map[string]any{}, "conditions": []any{
		map[string]any{"type": "Ready", "status": "True"},
		map[string]any{"type": "Synced", "status": "True"},
		map[string]any{"type": cluster.TypeSpecObserved, "status": "True", "message": claim.Intent(o)},
	}}
}

func clusterFreezesNothing(t *testing.T) {
	for _, section := range []string{"classes", "images", "sites"} {
		m := aCluster(t, "{deletionPolicy: Delete, deletionProtection: false}")
		m.joins()
		m.lose(section)
		m.edit("{deletionPolicy: Orphan, agents: [{name: worker, count: 1, class: own}]}")

		rsp := m.Call()
		if got := world.Object(world.Desired(rsp, firstServer)["spec"])["deletionPolicy"]; got != "Orphan" {
			t.Errorf("without %s: the claim says Orphan, and the node has %v: %s", section, got, told(rsp))
		}
	}
}

func clusterRefusesAlone(t *testing.T) {
	m := aCluster(t)
	m.joins()

	before := m.seen()
	m.edit("{servers: {class: none}, agents: [{name: worker, count: 1, class: own, template: {proxmox: {site: home, node: pve}}}]}")

	rsp := m.Turn()
	m.says(rsp, map[string]string{"SpecValid": "ValidationFailed"})

	if m.Observed["worker-0"] == nil {
		t.Errorf("the agent of the same commit is not created: %s", told(rsp))
	}

	if diff := cmp.Diff(before[firstServer]["spec"], m.Observed[firstServer]["spec"]); diff != "" {
		t.Errorf("-before, +after:\n%s", diff)
	}
}

func clusterRotates(t *testing.T) {
	m := aCluster(t)
	m.hasServer()

	before := m.seen()
	m.rotate()
	m.Turn()

	if diff := cmp.Diff(before[firstServer]["spec"], m.Observed[firstServer]["spec"]); diff != "" {
		t.Errorf("-before, +after:\n%s", diff)
	}
}

func clusterIsProtected(t *testing.T) {
	m := aCluster(t, "{deletionProtection: true}")
	m.hasServer()

	if rsp := m.Turn(); !protects(rsp) {
		t.Errorf("no Usage: %v", world.Names(rsp))
	}

	if got := world.Object(m.Observed[firstServer]["spec"])["deletionProtection"]; got != true {
		t.Errorf("the node has deletionProtection %v", got)
	}
}

// aNode that somebody made, in the words of a K3sNode's composite.
func aNode(name string) map[string]any {
	return map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "XK3sNode",
		"metadata": map[string]any{"name": name, "uid": "its-own", "labels": map[string]any{"crossplane.io/claim-name": name, "crossplane.io/claim-namespace": "infra"}},
		"spec": map[string]any{
			"class": "own", "power": "Running", "proxmox": map[string]any{"node": "pve", "vmId": 4101.0}, "network": map[string]any{"ip": "192.168.4.11/24"},
			"k3s": map[string]any{
				"role": "server", "clusterName": "home", "init": true, "version": "v1.33.6+k3s1", "token": map[string]any{"file": "/etc/token"},
			},
		},
		"status": map[string]any{"vmId": 4101.0, "node": "pve", "conditions": []any{
			map[string]any{"type": "Ready", "status": "True"}, map[string]any{"type": "Synced", "status": "True"},
		}},
	}
}

func clusterAnnounces(t *testing.T) {
	m := ofKind(t, "K3sCluster", "home", `{version: v1.33.6+k3s1, endpoint: "https://192.168.4.210:6443", rollout: {pause: true}, nodes: [{name: server-0, adopt: server-1}],
		token: {file: /etc/token, trustOnFirstUse: true}, servers: {count: 1, class: own, template: {proxmox: {site: home, node: pve}}}}`)
	node := aNode("server-1")
	world.Object(node["metadata"])["annotations"] = map[string]any{"crossplane.io/composition-resource-name": firstServer}
	m.Neighbours = append(m.Neighbours, node)

	got := world.Desired(m.Call(), firstServer)
	if diff := cmp.Diff(node["spec"], got["spec"]); diff != "" {
		t.Errorf("the node is not adopted as it is: -has, +got:\n%s\n%s", diff, told(m.Call()))
	}
}

func clusterLeavesAlone(t *testing.T) {
	m := aCluster(t)
	m.hasServer()

	other := aCluster(t)
	other.Observed = map[string]map[string]any{}
	other.Neighbours = append(other.Neighbours, aNode(world.Object(m.Observed[firstServer]["metadata"])["name"].(string)))

	rsp := other.Call()
	if text := told(rsp); slices.Contains(world.Names(rsp), firstServer) || !strings.Contains(text, "exists already") {
		t.Errorf("the K3sNode of somebody else is written over: %v: %s", world.Names(rsp), text)
	}
}

func clusterKeepsSecrets(t *testing.T) {
	m := aCluster(t)
	m.hasServer()
	m.keepsToItself(m.Call())

	m.Observed[firstServer]["status"] = map[string]any{"conditions": []any{
		map[string]any{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": "cannot compose: " + aSecret},
		map[string]any{"type": "Ready", "status": "False", "reason": "Creating", "message": aSecret},
	}}
	m.keepsToItself(m.Call())
}

// TestAClusterWithoutItsState is not ready, although its only server runs: somebody destroyed the VM, and what serves now is another cluster.
func TestAClusterWithoutItsState(t *testing.T) {
	t.Parallel()

	m := aCluster(t)
	m.joins()

	ready := func() (bool, string) {
		rsp := m.Call()
		return rsp.GetDesired().GetResources()[firstServer].GetReady() == fnv1.Ready_READY_TRUE, world.Message(rsp, "RolledOut")
	}

	if is, said := ready(); !is {
		t.Fatalf("the server is not ready before: %s", said)
	}

	status := world.Object(m.Observed[firstServer]["status"])
	status["conditions"] = append(world.List(status["conditions"]), map[string]any{"type": "MachineReady", "status": "True", "reason": "Recreated"})

	if is, said := ready(); is || !strings.Contains(said, "the state of the cluster is lost") {
		t.Errorf("the server is ready: %v; %s", is, said)
	}
}
