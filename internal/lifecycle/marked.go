package lifecycle

import (
	"cmp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// MarkedBy names another claim to which something in Proxmox belongs that has a VMID, as its notes say; empty where they say nothing of the kind. id is the
// owner's own claim, which may have it back.
//
// Two provider configurations of which the catalogue does not say that they reach one Proxmox look like two. What has the VMID tells better: the claim in
// its notes is another one's, if that still has a VM or a container with the VMID, or if its namespace is not of the owner's tenant. Who let a guest go
// (deletionPolicy Orphan) has none any more, so that the claim can get another name or namespace.
func (o Owner) MarkedBy(id machine.Identity, vmID int64, notes string, others []Other) string {
	made := machine.Origins(notes)
	if id.Made(notes) {
		return ""
	}

	for _, other := range others {
		names := func(m machine.Identity) bool {
			return m.Namespace == other.Metadata.Labels[proxmox.NamespaceLabel] && m.Name == other.Metadata.Labels[proxmox.MachineLabel]
		}

		if other.VMID == vmID && !other.Checks && !o.owns(other.Metadata) && !o.Proxmoxes.part(o.ProviderConfigRef, other.ProviderConfigRef) &&
			slices.ContainsFunc(made, names) {
			return o.nameOf(other.Metadata)
		}
	}

	tenant, ok := o.Tenancy.TenantOf(cmp.Or(o.ClaimNamespace, o.Namespace))
	if ok && slices.ContainsFunc(made, func(m machine.Identity) bool { return !o.Tenancy.Has(tenant, m.Namespace) }) {
		return AnotherClaim
	}

	return ""
}
