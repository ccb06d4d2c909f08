package compose

import (
	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// Names of the managed resources of a K3s cluster's servers that the function asks Crossplane for: VMs and snippets.
const (
	serversRequirement     = "k3s-servers"
	serverFilesRequirement = "k3s-server-files"
)

// serversOf are the labels of all managed resources of the servers of a K3s cluster.
func serversOf(cluster string) map[string]string {
	return map[string]string{proxmox.ClusterLabel: cluster, proxmox.K3sRoleLabel: string(v1alpha1.K3sServer)}
}

// otherServers asks for the VMs of the other servers of a K3s cluster. A server whose cluster has no name finds none.
func (c *call) otherServers(cluster string) (known bool, err error) {
	if c.facts.Servers.Known {
		return true, nil
	}

	if cluster == "" {
		c.facts.Servers = lifecycle.Servers{Known: true}
		return true, nil
	}

	servers, known, err := c.vms(serversRequirement, serversOf(cluster))
	if !known || err != nil {
		return known, err
	}

	c.facts.Servers = lifecycle.Servers{Known: true}

	for _, s := range servers {
		if !c.facts.Owner.Owns(s) {
			c.facts.Servers.VMs = append(c.facts.Servers.VMs, s)
		}
	}

	return true, nil
}

// spread asks for the servers of the machine's K3s cluster, and says which nodes they are on. Only a server of a named cluster asks, while
// it has no VM: afterwards one call is enough, and its node stays. Nothing waits for the answer: Crossplane calls again with it before it
// applies anything.
func (c *call) spread() (out resolve.Spread, err error) {
	k3s := c.claim.K3s()
	lives := lifecycle.Lives(c.facts.Observed.VMs, c.facts.Roles.Described())

	if k3s == nil || k3s.Role != v1alpha1.K3sServer || k3s.Cluster == "" || lives {
		return out, nil
	}

	if _, err := c.otherServers(k3s.Cluster); err != nil {
		return out, err
	}

	items, _ := require(c.req, c.rsp, serverFilesRequirement, &fnv1.ResourceSelector{
		ApiVersion: c.flavour.FileAPIVersion(),
		Kind:       proxmox.FileKind,
		Match:      &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: serversOf(k3s.Cluster)}},
	})

	others := c.facts.Servers

	for _, item := range items {
		f, err := proxmox.ObserveFile(item.GetResource())
		if err != nil {
			return out, errors.Wrapf(err, "cannot read %s %q", proxmox.FileKind, nameOf(item.GetResource()))
		}

		others.Files = append(others.Files, f)
	}

	return c.facts.Owner.Spread(others, c.facts.Roles.Described(), c.facts.Observed), nil
}
