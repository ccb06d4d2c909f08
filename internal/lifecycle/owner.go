package lifecycle

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An Owner is the machine's composite, as managed resources of VMs tell whose they are.
type Owner struct {
	Composite string // The composite's own name.
	Kind      string // The composite's kind; empty matches all.
	// Root is the name of the composite that composed this one, or composed that one, and so on; the composite's own for one that nobody
	// composed. Crossplane labels everything below with it ([proxmox.CompositeLabel]), and all nodes of a K3sCluster have the same.
	Root              string
	Machine           string // What a person knows the machine by.
	Namespace         string // The composite's own; empty for a cluster scoped one.
	ClaimNamespace    string // The claim's: that of a cluster scoped composite is in its claimRef.
	ProviderConfigRef proxmox.ProviderConfigRef
	Proxmoxes         Proxmoxes
	Tenancy           *catalog.Tenancy // Of the catalogue; nil where it has none.
}

// Owns says whether a VM's managed resource is this machine's.
func (o Owner) Owns(vm proxmox.ObservedVM) bool { return o.owns(vm.Metadata) }

// SharesSite says whether a managed resource is in the same Proxmox cluster, as far as names and the catalogue tell. Without a name in the catalogue, a
// ProviderConfig with a namespace is another one in each.
func (o Owner) SharesSite(ref proxmox.ProviderConfigRef, namespace string) bool {
	return o.Proxmoxes.join(o.ProviderConfigRef, ref) || ref == o.ProviderConfigRef && o.sameNamespace(namespace)
}

// IsElsewhere says whether a managed resource is in another Proxmox cluster, as far as the catalogue tells: both have names there, and not the same one. Of
// two clusters without names nobody knows.
func (o Owner) IsElsewhere(ref proxmox.ProviderConfigRef) bool {
	return o.Proxmoxes.part(o.ProviderConfigRef, ref)
}

// owns says whether a managed resource is this machine's.
func (o Owner) owns(m proxmox.ObservedMetadata) bool {
	if m.Namespace != o.Namespace {
		return false
	}

	if c, kind := m.Controller(), m.ControllerKind(); c != "" {
		return c == o.Composite && (kind == "" || o.Kind == "" || kind == o.Kind)
	}

	// Without its controller, as for what somebody restored from a backup, its labels count.
	by := m.Labels[proxmox.CompositeLabel]
	if o.Root == "" || o.Root == o.Composite {
		return by == o.Composite
	}

	// It has its own name until its VM was written once more, if it was nobody's before.
	return (by == o.Root || by == o.Composite) && m.Labels[proxmox.MachineLabel] == o.Machine
}

// sameSite says whether another VM is in the same Proxmox cluster, see [Owner.SharesSite].
func (o Owner) sameSite(vm proxmox.ObservedVM) bool {
	return o.SharesSite(vm.Spec.ProviderConfigRef, vm.Metadata.Namespace)
}

// sameNamespace says whether a ProviderConfig of the owner's name is the same one in a namespace. One without a namespace always is.
func (o Owner) sameNamespace(namespace string) bool {
	return o.ProviderConfigRef.Kind != "ProviderConfig" || namespace == o.Namespace
}

// AnotherClaim stands for the name of a claim in another namespace. Whoever may write claims in one namespace may not read what is in others, and could
// list their machines VMID by VMID.
const AnotherClaim = "another claim of this Proxmox"

// nameOf another claim, as namespace/name.
func (o Owner) nameOf(other proxmox.ObservedMetadata) string {
	return o.told(other, other.Labels[proxmox.NamespaceLabel]+"/"+other.Labels[proxmox.MachineLabel])
}

// machineOf is the name of another machine, without a namespace.
func (o Owner) machineOf(other proxmox.ObservedMetadata) string {
	return o.told(other, other.Labels[proxmox.MachineLabel])
}

// told is a name that a managed resource of another claim tells, as far as claims that serve no cluster together are [Kin.told] of each other.
func (o Owner) told(other proxmox.ObservedMetadata, name string) string {
	return Kin{Namespace: cmp.Or(o.ClaimNamespace, o.Namespace)}.told(other, name)
}

// Reads says whether a claim is told the names of what another claim has.
func (o Owner) Reads(other proxmox.ObservedMetadata) bool { return o.told(other, "") == "" }

// ownerOf is whose a managed resource is: the same for all of a machine or a container. A machine and a container can have one name; a space sorts before
// all that is in a name.
func ownerOf(m proxmox.ObservedMetadata) string {
	if c := m.Controller(); c != "" {
		return m.Namespace + "/" + c + " " + m.ControllerKind()
	}

	return m.Namespace + "/" + m.Labels[proxmox.CompositeLabel] + "/" + m.Labels[proxmox.MachineLabel]
}

func machineOf(vm proxmox.ObservedVM) string { return vm.Metadata.Labels[proxmox.MachineLabel] }

// machinesOf some VMs: a machine that is being replaced has two.
func machinesOf(vms []proxmox.ObservedVM) map[string]bool {
	out := map[string]bool{}
	for _, vm := range vms {
		out[ownerOf(vm.Metadata)] = true
	}

	return out
}
