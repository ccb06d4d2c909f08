package compose

import (
	"maps"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// leaveOthers leaves what an earlier step of the pipeline composes of the provider's kinds out of what is observed: it would be kept as a VM or a snippet of
// the machine is, and the other step's edits of it would be lost.
func leaveOthers(req *fnv1.RunFunctionRequest) {
	desired := req.GetDesired().GetResources()
	if len(desired) == 0 || req.GetObserved() == nil {
		return
	}

	observed := maps.Clone(req.GetObserved().GetResources())
	maps.DeleteFunc(observed, func(name string, o *fnv1.Resource) bool {
		// What was once written by this function stays known, whoever writes into it before.
		r, composed := desired[name]
		return composed && isOthers(r) && isOthers(o)
	})

	req.Observed.Resources = observed
}

// isOthers says whether a resource is of one of the provider's kinds, and not the function's: all of those have the label.
func isOthers(r *fnv1.Resource) bool {
	ofProvider := strings.Contains(r.GetResource().GetFields()["apiVersion"].GetStringValue(), "proxmoxbpg.")
	labels := metadataOf(r.GetResource())["labels"].GetStructValue().GetFields()

	return ofProvider && labels[proxmox.MachineLabel] == nil
}
