package compose

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// ofCluster says whether a K3sCluster composed a machine.
func ofCluster(composite map[string]any) bool {
	metadata, _ := composite["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)

	return labels[cluster.NameLabel] != nil
}

// answerCluster tells the K3sCluster of a node which spec the conditions of this call are about.
func (c *call) answerCluster() {
	if !ofCluster(c.composite) {
		return
	}

	setCondition(c.rsp, status.Condition{
		Type: cluster.TypeSpecObserved, Status: metav1.ConditionTrue, Reason: cluster.ReasonSpecObserved, Message: c.facts.Intent,
	})
}
