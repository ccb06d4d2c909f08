package cluster

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// settings checks what is in the claim of the cluster alone, and in no node's spec before it is used. The XRD checks it, too; a preview has no API
// server, and what a node is asked for would else be refused of that node, in its words.
func settings(at *field.Path, spec v1alpha1.K3sClusterSpec) field.ErrorList {
	errs := validate.K3sToken(at.Child("token"), spec.Token)
	errs = append(errs, validate.K3sToken(at.Child("joinToken"), spec.JoinToken)...)

	for i, n := range spec.Nodes {
		l := n.Lifecycle
		errs = append(errs, validate.Lifecycle(at.Child("nodes").Index(i).Child("lifecycle"), v1alpha1.Lifecycle{
			Replace: l.Replace, Reboot: l.Reboot, Joined: l.Joined, Force: l.Force, Retry: l.Retry, Drain: l.Drain,
		})...)
	}

	rollout, r := at.Child("rollout"), spec.Rollout

	if r.MaxUnavailable < 0 || r.MaxUnavailable > maxAgents {
		errs = append(errs, field.Invalid(rollout.Child("maxUnavailable"), r.MaxUnavailable, fmt.Sprintf("must be 1 to %d", maxAgents)))
	}

	errs = append(errs, validate.OneOf(rollout.Child("replacePolicy"), r.ReplacePolicy, v1alpha1.ReplaceOnRequest, v1alpha1.ReplaceWhenNeeded)...)

	return append(errs, validate.OneOf(rollout.Child("rebootPolicy"), r.RebootPolicy, v1alpha1.RebootOnRequest, v1alpha1.RebootWhenNeeded)...)
}
