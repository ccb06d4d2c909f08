package controlplane

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/k3s"
)

// nodeRights is the ClusterRole that lets Crossplane read Nodes.
const nodeRights = repository + "/install/observe/nodes.yaml"

// nodePrefix begins the names of the K3s nodes of these tests, so that the stand-in for K3s knows its own.
const nodePrefix = "node-"

// catalogueOfNodes has a cluster whose Nodes are read, or not.
func catalogueOfNodes(observe string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig",
		"metadata": map[string]any{"name": "machine-catalog"},
		"data": map[string]any{
			"defaults": map[string]any{"site": "home"},
			"sites": map[string]any{"home": map[string]any{
				"nodes": map[string]any{"pve": map[string]any{}},
				"vmIds": map[string]any{"from": int64(7100), "to": int64(7199)},
			}},
			"clusters": map[string]any{"home": map[string]any{
				"server": "https://192.168.4.2:6443", "version": "v1.33.6+k3s1", "observe": observe,
				"token": map[string]any{"secretRef": map[string]any{"name": "node-token", "key": "token"}, "allowPlaintext": true},
			}},
		},
	}}
}

func tokenOfNodes() *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "node-token", Namespace: machines},
		StringData: map[string]string{"short": "chosen-before-the-first-server", "token": "K10" + strings.Repeat("0", 64) + "::server:never-used"},
	}
}

// k3sNode is a claim for a node of that cluster, whose VMID the function chooses.
func k3sNode(name, role string, address int) *unstructured.Unstructured {
	claim := machine(nodePrefix+name, int64(address))
	claim.SetKind("K3sNode")

	return edited(claim, map[string]any{
		"deletionPolicy": "Delete", "deletionProtection": false, "proxmox": map[string]any{"node": "pve"},
		"k3s": map[string]any{"cluster": "home", "role": role},
	})
}

// observing prepares a plane for K3s nodes: a cluster of K3s, and what its claims need.
func (r *rig) observing(t *testing.T, observe string) *k3s.Cluster {
	t.Helper()

	return r.observingNamed(t, observe, nodePrefix)
}

// observingNamed does so for nodes whose names have a prefix.
func (r *rig) observingNamed(t *testing.T, observe, prefix string) *k3s.Cluster {
	t.Helper()

	must(t, r.Client.Create(t.Context(), tokenOfNodes()))
	must(t, r.apply(t.Context(), catalogueOfNodes(observe)))

	c, err := k3s.Start(r.REST, r.world, k3s.Quick, func(node string) bool { return strings.HasPrefix(node, prefix) })
	must(t, err)
	t.Cleanup(func() {
		c.Stop()
		must(t, c.Forget(context.Background()))
		must(t, client.IgnoreNotFound(r.Client.Delete(context.Background(), tokenOfNodes())))
		r.forget(t, []*unstructured.Unstructured{catalogueOfNodes(observe)})

		if t.Failed() {
			t.Logf("in the cluster of K3s:\n%s", strings.Join(c.Journal(), "\n"))
		}
	})

	return c
}

// grant Crossplane the right to read Nodes.
func (r *rig) grant(t *testing.T) {
	t.Helper()

	must(t, r.apply(t.Context(), objects(t, nodeRights)...))
}

// is a word of a condition that is True.
func is(conditionType, reason string) word {
	return word{conditionType: conditionType, status: "True", reason: reason}
}

// isNot is a word of a condition that is False.
func isNot(conditionType, reason, message string) word {
	return word{conditionType: conditionType, status: "False", reason: reason, message: message}
}

// joined is what a claim says whose node is well.
func joined(server bool) []word {
	out := []word{is("Ready", ""), is("Synced", ""), is("MachineReady", "Running"), is("NodeJoined", "Joined"), is("NodeReady", "KubeletReady"), is("VersionCurrent", "SameVersion")}
	if server {
		out = append(out, is("EtcdMember", "Voter"))
	}

	return out
}

// deleteCommand is what the function tells a person to do about a Node that is not the machine's.
func deleteCommand(name string) string { return fmt.Sprintf("`kubectl delete node %s`", name) }
