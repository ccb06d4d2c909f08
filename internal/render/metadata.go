package render

import (
	"maps"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func (r Request) metadata() proxmox.Metadata {
	m := r.Machine
	labels := map[string]string{proxmox.MachineLabel: m.Identity.Name}

	if m.Role != "" {
		labels[proxmox.RoleLabel] = m.Role
	}

	if m.Identity.Namespace != "" {
		labels[proxmox.NamespaceLabel] = m.Identity.Namespace
	}

	if m.K3s != nil {
		labels[proxmox.K3sRoleLabel] = string(m.K3s.Role)

		if m.K3s.Cluster != "" {
			labels[proxmox.ClusterLabel] = m.K3s.Cluster
		}
	}

	return proxmox.Metadata{Labels: labels}
}

// metadataWith adds annotations; those without a value are left out.
func (r Request) metadataWith(annotations map[string]string) proxmox.Metadata {
	m := r.metadata()
	m.Annotations = maps.Clone(annotations)
	maps.DeleteFunc(m.Annotations, func(_, v string) bool { return v == "" })

	return m
}

func (r Request) providerConfig() proxmox.ProviderConfig {
	p := r.Machine.Placement
	return proxmox.ProviderConfig{Name: p.ProviderConfig, Kind: p.ProviderConfigKind}
}

// providerConfigRef is how the machine's managed resources name the provider's configuration.
func (r Request) providerConfigRef() proxmox.ProviderConfigRef {
	return r.Flavour.Ref(r.providerConfig())
}
