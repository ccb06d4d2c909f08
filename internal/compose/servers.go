package compose

import (
	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// serverFilesRequirement are the snippets of the servers of a K3s cluster.
const serverFilesRequirement = "k3s-server-files"

// spread asks for the servers of the machine's K3s cluster, and says which nodes they are on. Only a server of a named cluster asks, while
// it has no VM: afterwards one call is enough, and its node stays. Nothing waits for the answer: Crossplane calls again with it before it applies anything.
func (c *call) spread() (out resolve.Spread, err error) {
	k3s := c.claim.K3s()
	lives := lifecycle.Lives(c.facts.Observed.VMs, c.facts.Roles.Described())

	if k3s == nil || k3s.Role != v1alpha1.K3sServer || k3s.Cluster == "" || lives {
		return out, nil
	}

	labels := map[string]string{proxmox.ClusterLabel: k3s.Cluster, proxmox.K3sRoleLabel: string(v1alpha1.K3sServer)}

	var all lifecycle.ServerResources

	if all.VMs, _, err = c.vms(serversRequirement, labels); err != nil {
		return out, err
	}

	items, _ := require(c.req, c.rsp, serverFilesRequirement, &fnv1.ResourceSelector{
		ApiVersion: c.flavour.FileAPIVersion(),
		Kind:       proxmox.FileKind,
		Match:      &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: labels}},
	})

	for _, item := range items {
		f, err := proxmox.ObserveFile(item.GetResource())
		if err != nil {
			return out, errors.Wrapf(err, "cannot read %s %q", proxmox.FileKind, nameOf(item.GetResource()))
		}

		all.Files = append(all.Files, f)
	}

	return c.facts.Owner.Spread(all, c.facts.Roles.Described(), c.facts.Observed), nil
}
