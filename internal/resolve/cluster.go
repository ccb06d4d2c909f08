package resolve

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// A cluster is what is known of a K3s node's cluster; zero for any other machine.
type cluster struct {
	k3s *machine.K3s
	// shared is the config of the cluster, of which agents have not all keys of their own, with the node's keys over it.
	shared map[string]any
	// entered says that the node's claim names an entry of the catalogue.
	entered bool
}

// known says whether the config of the node's cluster is known. An agent without an entry of the catalogue does not know what its servers
// say, and a Machine knows nothing of a cluster.
func (c cluster) known() bool {
	return c.k3s != nil && (c.k3s.Role == v1alpha1.K3sServer || c.entered)
}
