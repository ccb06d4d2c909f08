package lifecycle

import "github.com/homelab-io/function-proxmox-machine/internal/node"

// hasNamesake says whether a machine without a VM would become the second one of its name in its cluster: a Node of the name is Ready, so that a kubelet
// runs under it, and no VM of this machine's is there. That is so for a cluster whose claims were applied to a new control plane while its VMs run. The
// new VM would have the host name and mostly the address of a living one, perhaps of an etcd member. A kubelet that ended is not Ready after 40 s.
func hasNamesake(s *Situation) bool {
	if s.Replacing() || Lives(s.Observed.VMs, s.Roles.Described()) {
		return false
	}

	owner := s.NodeOwner()

	return owner.Ownership == OwnershipOther && owner.Proof == ProofNoVM && s.Node.Node.Health() == node.HealthReady && !s.Node.Node.Leaving()
}
