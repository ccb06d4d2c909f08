package fake

import "github.com/homelab-io/function-proxmox-machine/internal/proxmox"

// Containers are the provider's kind of containers, as far as machines ask for those of other claims.
type Containers struct {
	// Missing says that the API server does not serve the kind: somebody activated only the kinds that VMs need.
	Missing bool
}

// definitions of the kind, of claims and of namespaced machines.
func (c Containers) definitions() []map[string]any {
	if c.Missing {
		return nil
	}

	var out []map[string]any

	for _, f := range []proxmox.Flavour{proxmox.Cluster, proxmox.Namespaced} {
		out = append(out, served(f.ContainerDefinition()))
	}

	return out
}
