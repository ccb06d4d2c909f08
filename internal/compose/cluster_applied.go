package compose

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// writeStatus of the cluster, with the spec that its rollout was last complete with.
func (c clusterCall) writeStatus(seen v1alpha1.K3sClusterStatus) error {
	return setStatus(c.call.req, c.call.rsp, &seen, c.applied(seen))
}

// applied is the spec that the rollout is complete with now or, while it is not, the one that it was complete with before; nil for none.
func (c clusterCall) applied(seen v1alpha1.K3sClusterStatus) map[string]any {
	if r := seen.Rollout; r != nil && r.State == v1alpha1.RolloutComplete {
		return claim.Written(c.call.composite)
	}

	status := statusOf(c.call.req)
	if before := status.GetFields()["appliedSpec"].GetStructValue(); before != nil {
		return before.AsMap()
	}

	return nil
}
