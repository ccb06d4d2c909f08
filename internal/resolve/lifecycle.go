package resolve

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// lifecycle has the requested actions on an existing VM.
func lifecycle(g *given) v1alpha1.Lifecycle {
	out := g.spec.Lifecycle
	out.RebootPolicy = cmp.Or(out.RebootPolicy, v1alpha1.RebootOnRequest)
	out.Approval = cmp.Or(out.Approval, g.catalog.Defaults.Approval)

	// A K3sCluster changes its nodes one by one, and no claim of a node could approve anything.
	if g.existing.OfCluster || out.Approval == v1alpha1.ApprovalNever {
		out.Approval = ""
	}

	return out
}

// rollout is the group of machines that the machine is in. A K3sCluster changes its nodes one by one, and no node waits for a wave.
func rollout(g *given) *v1alpha1.MachineRollout {
	if g.existing.OfCluster {
		return nil
	}

	return g.spec.Rollout
}

// protection of the claim. The default is the catalogue's, else true, for a machine whose VM would be destroyed with
// its claim together with more than an image and a flake can bring back: data disks, a server's vote in its cluster's quorum, or Crossplane itself.
func protection(g *given, policy v1alpha1.DeletionPolicy) bool {
	keeps := g.k3s != nil && g.k3s.Role == v1alpha1.K3sServer || len(g.spec.Disks) > 0 || g.spec.RunsCrossplane ||
		g.existing.Has != nil && g.existing.Has.DataDisks
	destroyed := policy == v1alpha1.DeletionDelete

	switch byDefault := g.catalog.Defaults.DeletionProtection; {
	case g.spec.DeletionProtection != nil:
		return *g.spec.DeletionProtection
	case byDefault != nil:
		return *byDefault && destroyed
	default:
		return keeps && destroyed
	}
}
