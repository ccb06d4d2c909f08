package resolve

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// lifecycle resolves the requested actions on an existing VM.
func (r *resolver) lifecycle() {
	r.out.Lifecycle = r.spec.Lifecycle
	r.out.Lifecycle.RebootPolicy = cmp.Or(r.spec.Lifecycle.RebootPolicy, v1alpha1.RebootOnRequest)
	r.out.Lifecycle.Approval = cmp.Or(r.spec.Lifecycle.Approval, r.catalog.Defaults.Approval)
	r.out.Adopt, r.out.Rollout = r.spec.Adopt, r.spec.Rollout

	// A K3sCluster changes its nodes one by one, and no claim of a node could approve anything.
	if r.existing.OfCluster || r.out.Lifecycle.Approval == v1alpha1.ApprovalNever {
		r.out.Lifecycle.Approval = ""
	}

	// The same is true of a wave.
	if r.existing.OfCluster {
		r.out.Rollout = nil
	}

	r.out.RunsCrossplane = r.spec.RunsCrossplane
	r.out.PauseOnError = orTrue(r.catalog.Defaults.PauseOnError)
}

// protection resolves the claim's protection. The default is the catalogue's, else true, for a machine whose VM would be destroyed with
// its claim together with more than an image and a flake can bring back: data disks, a server's vote in its cluster's quorum, or Crossplane itself.
func (r *resolver) protection() {
	keeps := r.k3s != nil && r.k3s.Role == v1alpha1.K3sServer || len(r.spec.Disks) > 0 || r.spec.RunsCrossplane ||
		r.existing.Has != nil && r.existing.Has.DataDisks
	destroyed := r.out.DeletionPolicy == v1alpha1.DeletionDelete

	switch byDefault := r.catalog.Defaults.DeletionProtection; {
	case r.spec.DeletionProtection != nil:
		r.out.Protection = *r.spec.DeletionProtection
	case byDefault != nil:
		r.out.Protection = *byDefault && destroyed
	default:
		r.out.Protection = keeps && destroyed
	}
}
