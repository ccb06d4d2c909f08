package resolve

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// lifecycle resolves the requested actions on an existing VM.
func (r *resolver) lifecycle() {
	r.out.Lifecycle = r.spec.Lifecycle
	r.out.Lifecycle.RebootPolicy = cmp.Or(r.spec.Lifecycle.RebootPolicy, v1alpha1.RebootOnRequest)
	r.out.Adopt = r.spec.Adopt
	r.out.PauseOnError = orTrue(r.catalog.Defaults.PauseOnError)
}

// protection resolves the claim's protection. The default is the catalogue's, else true, for a machine whose VM would be destroyed with
// its claim together with more than an image and a flake can bring back: data disks, or a server's vote in its cluster's quorum.
func (r *resolver) protection() {
	keeps := r.k3s != nil && r.k3s.Role == v1alpha1.K3sServer || len(r.spec.Disks) > 0 ||
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
