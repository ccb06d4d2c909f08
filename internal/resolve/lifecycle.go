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

// protection resolves the claim's protection. The default is true for a server whose VM would be destroyed with its claim,
// because its deletion may cost the cluster its quorum.
func (r *resolver) protection() {
	if p := r.spec.Protection; p != nil {
		r.out.Protection = *p
		return
	}

	r.out.Protection = r.k3s != nil && r.k3s.Role == v1alpha1.K3sServer && r.out.DeletionPolicy == v1alpha1.DeletionDelete
}
