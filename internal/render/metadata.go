package render

import (
	"maps"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Labels and annotations of managed resources.
const (
	MachineLabel            = "homelab.io/machine" // The claim's name.
	RoleLabel               = "homelab.io/role"
	ClusterLabel            = "homelab.io/k3s-cluster"
	BootstrapHashAnnotation = "homelab.io/bootstrap-hash" // What the VM was made with.
)

func (r Request) metadata() proxmox.Metadata {
	m := r.Machine
	labels := map[string]string{MachineLabel: m.Identity.Name}

	if m.Role != "" {
		labels[RoleLabel] = m.Role
	}

	if m.K3s != nil && m.K3s.Cluster != "" {
		labels[ClusterLabel] = m.K3s.Cluster
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
