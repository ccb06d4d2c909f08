package why

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// nodesOf says which commands tell the story of the nodes that a K3sCluster waits for: the one that has its turn, and those that are not ready. Empty for
// any other kind, and where no node is waited for.
func nodesOf(cluster unstructured.Unstructured) string {
	if strings.TrimPrefix(cluster.GetKind(), "X") != claim.KindK3sCluster {
		return ""
	}

	turn, _, _ := unstructured.NestedString(cluster.Object, "status", "rollout", "turn", "node")
	nodes, _, _ := unstructured.NestedSlice(cluster.Object, "status", "nodes")

	var commands []string

	for _, n := range nodes {
		node, _ := n.(map[string]any)
		name, _ := node["name"].(string)
		machine, _ := node["machine"].(string)
		state, _ := node["state"].(string)

		if machine != "" && (name == turn || state == "NotReady") {
			commands = append(commands, "`kubectl machine why "+nodeKind(cluster)+"/"+message.Excerpt(machine)+namespaceOf(cluster)+"`")
		}
	}

	if len(commands) == 0 {
		return ""
	}

	return fmt.Sprintf(" The nodes that it waits for say more: %s.", strings.Join(commands, ", "))
}

// nodeKind is the kind of a cluster's nodes, as kubectl takes it: those of a claim are composites.
func nodeKind(cluster unstructured.Unstructured) string {
	if _, claimed, _ := unstructured.NestedMap(cluster.Object, "spec", "resourceRef"); claimed || strings.HasPrefix(cluster.GetKind(), "X") {
		return "xk3snode"
	}

	return "k3snode"
}

func namespaceOf(cluster unstructured.Unstructured) string {
	if nodeKind(cluster) != "k3snode" || cluster.GetNamespace() == "" {
		return ""
	}

	return " -n " + message.Excerpt(cluster.GetNamespace())
}
