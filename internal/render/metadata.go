package render

import (
	"maps"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// LabelsOf a machine are the labels that name it.
func LabelsOf(m machine.Identity) map[string]string {
	labels := map[string]string{proxmox.MachineLabel: m.Name}

	if m.Namespace != "" {
		labels[proxmox.NamespaceLabel] = m.Namespace
	}

	return labels
}

func (r *Request) metadata() proxmox.Metadata {
	m := r.Machine
	labels := LabelsOf(m.Identity)

	if m.Role != "" {
		labels[proxmox.RoleLabel] = m.Role
	}

	if m.Placement.Spread != "" {
		labels[proxmox.SpreadLabel] = m.Placement.Spread
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
func (r *Request) metadataWith(annotations map[string]string) proxmox.Metadata {
	m := r.metadata()
	m.Annotations = maps.Clone(annotations)
	maps.DeleteFunc(m.Annotations, func(_, v string) bool { return v == "" })

	return m
}

// awaiting marks what a machine without a VM waits for, so that other machines that choose a node find out what this one needs of its node. It
// is for the image, or for the snippets of a machine without one: other machines get an event of whatever is marked, and read all of it.
func (r *Request) awaiting(m proxmox.Metadata) proxmox.Metadata {
	if r.Machine.Placement.Reserves == machine.ReservesNothing {
		return m
	}

	m.Labels[proxmox.AwaitsVMLabel] = "true"
	annotate(&m, proxmox.ReservesAnnotation, r.reservation().String())

	return m
}

// reservation is what the described VM needs that is to be created, as far as somebody counts it.
func (r *Request) reservation() proxmox.Reservation {
	out := proxmox.Reservation{VM: r.Roles.Described(), MemoryMiB: r.Machine.MemoryMiB}
	if r.Machine.Placement.Reserves == machine.ReservesSize {
		out.Cores, out.DiskGiB = r.Machine.Cores, r.Machine.DiskGiB()
	}

	return out
}

func (r *Request) providerConfig() proxmox.ProviderConfig {
	p := r.Machine.Placement
	return proxmox.ProviderConfig{Name: p.ProviderConfig, Kind: p.ProviderConfigKind}
}

// providerConfigRef is how the machine's managed resources name the provider's configuration.
func (r *Request) providerConfigRef() proxmox.ProviderConfigRef {
	return r.Flavour.Ref(r.providerConfig())
}

// unsearched is the metadata of an Object without the labels by which the other servers look for the Object that reads a Node.
func (r *Request) unsearched() proxmox.Metadata {
	m := r.metadata()
	delete(m.Labels, proxmox.ClusterLabel)
	delete(m.Labels, proxmox.K3sRoleLabel)

	return m
}

func annotate(m *proxmox.Metadata, annotation, value string) {
	if m.Annotations == nil {
		m.Annotations = map[string]string{}
	}

	m.Annotations[annotation] = value
}
