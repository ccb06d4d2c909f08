package compose

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// addNode adds what becomes of the machine's Kubernetes Node, under a name that no composed resource has. Of a Node that nobody reads
// the plan has nothing.
func addNode(to map[string]step, plan *lifecycle.Plan, said []status.Condition) {
	if plan.Node.Name == "" {
		return
	}

	s := nodeStep(said)
	if r := plan.Replacement; r != nil && r.Stage != lifecycle.StageBlocked && r.Stage != lifecycle.StageRetiring {
		s = replacedNodeStep(s, *r, plan)
	}

	to[node.Kind+" "+plan.Node.Name] = s
}

// nodeStep is the Node of a machine that is not replaced: what the conditions say of it.
func nodeStep(said []status.Condition) step {
	s := step{action: actionWait}

	for _, c := range said {
		switch {
		case c.Type == status.TypeNodeJoined && c.Status == metav1.ConditionTrue:
			s.action = actionKeep
		case c.Type == status.TypeNodeJoined, isNodeTrouble(c):
			s.words = append(s.words, strings.TrimSuffix(c.Message, "."))
		}
	}

	return s
}

// isNodeTrouble says whether a condition on a Node that is the machine's own says that something is not as it should be.
func isNodeTrouble(c status.Condition) bool {
	return slices.Contains([]string{status.TypeNodeReady, status.TypeEtcdMember, status.TypeVersionCurrent}, c.Type) &&
		c.Status != metav1.ConditionTrue && c.Reason != status.ReasonNoNode
}

// replacedNodeStep is the Node while a new VM is to get its name: the old VM's goes, and the new VM joins.
func replacedNodeStep(s step, r lifecycle.Replacement, plan *lifecycle.Plan) step {
	old, owner := vmOf(plan.Observed.VMs[r.Old]), plan.NodeOwner()
	stays := old + " stays until " + status.Success(plan)

	switch {
	case owner.Ownership == lifecycle.OwnershipUnread:
		s.words = append(s.words, stays)

		return s
	case owner.Ownership == lifecycle.OwnershipNone:
		return step{action: actionWait, words: []string{fmt.Sprintf("the new VM (%s) joins under this name; %s", r.New, stays)}}
	case owner.VM == r.New:
		return step{action: actionKeep, words: []string{fmt.Sprintf("the new VM (%s) has joined under this name; %s", r.New, stays)}}
	case owner.VM != r.Old:
		s.words = append(s.words, "the new VM cannot join before; "+stays)

		return s
	}

	joins := fmt.Sprintf("the new VM (%s) then joins under this name; %s", r.New, stays)

	return step{action: actionGive, words: []string{goes(plan, owner, old), joins}}
}

// goes says how the Node of a VM that is replaced goes: with its Object, or by a person's hand.
func goes(plan *lifecycle.Plan, owner lifecycle.NodeOwner, old string) string {
	member := ""
	if plan.EmbeddedEtcd() {
		member = "; its etcd member goes, too"
	}

	// An address is no proof that lets a Node go.
	if plan.DeletesNodes() && owner.Proof != lifecycle.ProofAddress {
		return fmt.Sprintf("Node %s is deleted when %s is stopped%s", plan.Node.Name, old, member)
	}

	return fmt.Sprintf("when %s is stopped, delete the Node: `kubectl delete node %s`%s", old, plan.Node.Name, member)
}
