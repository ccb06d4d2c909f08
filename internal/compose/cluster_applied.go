package compose

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// writeStatus of the cluster, with the spec that its rollout was last complete with.
func (c clusterCall) writeStatus(seen v1alpha1.K3sClusterStatus) error {
	s, err := structcodec.Encode(&seen, structcodec.Text{})
	if err != nil {
		return errors.Wrap(err, "cannot write status")
	}

	if applied := c.applied(seen); applied != nil {
		spec, err := structpb.NewStruct(applied)
		if err != nil {
			return errors.Wrap(err, "cannot write status.appliedSpec")
		}

		s.Fields["appliedSpec"] = structpb.NewStructValue(spec)
	}

	addStatus(c.req, c.rsp, s)

	return nil
}

// applied is the spec that the rollout is complete with now or, while it is not, the one that it was complete with before; nil for none.
func (c clusterCall) applied(seen v1alpha1.K3sClusterStatus) map[string]any {
	if r := seen.Rollout; r != nil && r.State == v1alpha1.RolloutComplete {
		return claim.Written(c.composite)
	}

	status := c.req.GetObserved().GetComposite().GetResource().GetFields()["status"].GetStructValue()
	if before := status.GetFields()["appliedSpec"].GetStructValue(); before != nil {
		return before.AsMap()
	}

	return nil
}
