package resolve

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// lifecycle is what may be done to a living VM, and when.
func (r *resolver) lifecycle() {
	r.out.Lifecycle = r.spec.Lifecycle
	r.out.Lifecycle.RebootPolicy = or(r.spec.Lifecycle.RebootPolicy, v1alpha1.RebootOnRequest)
	r.out.Adopt = r.spec.Adopt
	r.out.PauseOnError = orTrue(r.catalog.Defaults.PauseOnError)
}

// protection is the claim's word. A server that would be destroyed with its claim takes a part of its cluster's quorum
// with it, and so is protected unless the claim says that it is not.
func (r *resolver) protection() {
	if p := r.spec.Protection; p != nil {
		r.out.Protection = *p
		return
	}

	r.out.Protection = r.k3s != nil && r.k3s.Role == v1alpha1.K3sServer && r.out.DeletionPolicy == v1alpha1.DeletionDelete
}
