package compose

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Names of the managed resources of a K3s cluster's servers that the function asks Crossplane for: VMs and snippets.
const (
	serversRequirement     = "k3s-servers"
	serverFilesRequirement = "k3s-server-files"
)

// serversOf are the labels of all managed resources of the servers of a K3s cluster, by the label of the cluster.
func serversOf(cluster string) map[string]string {
	return map[string]string{proxmox.ClusterLabel: cluster, proxmox.K3sRoleLabel: string(v1alpha1.K3sServer)}
}

// otherServers asks for the VMs of the other servers of a K3s cluster, by its label. A server whose cluster has no name finds none.
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
