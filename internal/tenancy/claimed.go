package tenancy

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// Claimed is what a claim asks for: its words, and the machine that they make with the catalogue.
type Claimed struct {
	Machine *machine.Machine
	// Fields are the claim's words; of a container, those that a VM's claim has for the same.
	Fields v1alpha1.MachineFields
	// Container is nil for a VM.
	Container *machine.Container
	// ClassCores, ClassMemoryMiB and ClassDiskGiB are the sizes of the machine's class in the catalogue; 0 where nobody knows them.
	ClassCores, ClassMemoryMiB, ClassDiskGiB int64
	// Template says that the boot disk is made from a VMID or a volume that the claim names itself.
	Template bool
	// SiteUnread says that the catalogue's entry of the site cannot be read, so that nobody knows which network the machine would have of it.
	SiteUnread bool
	// JoinedAt are the clusters of the catalogue that are joined at an address; nil where there are none.
	JoinedAt func(address string) []string
}

// diskGiB of all disks together.
func (c Claimed) diskGiB() int64 {
	if c.Container != nil {
		return c.Container.DiskGiB()
	}

	return c.Machine.DiskGiB()
}

// swapMiB of a container on its node, which is no more than its memory may be; 0 where the claim does not say it.
func (c Claimed) swapMiB() int64 {
	if c.Container == nil || c.Container.SwapMiB == nil {
		return 0
	}

	return *c.Container.SwapMiB
}

// interfaces of the machine. An adopted container whose claim says no network keeps its own.
func (c Claimed) interfaces() []machine.NIC {
	if c.Container != nil && c.Container.KeepsOwn.Network {
		return nil
	}

	return c.Machine.NICs
}

// guests are VMs or containers, as messages name them.
func (c Claimed) guests() string {
	if c.Container != nil {
		return "containers"
	}

	return "VMs"
}
