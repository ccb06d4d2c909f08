package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// Used is what the other machines have whose namespaces counts: VMs and containers, running or not, at whichever site, VMs that are to be created, and what
// machines have announced to grow to. Of machines without a VM, those that came before this one have their share. A machine whose VM is replaced has both of
// its VMs.
func (o Owner) Used(all Neighbours, n Newcomer, counts func(namespace string) bool) tenancy.Amount {
	first, _ := n.asked()

	return sum(o.counted(all, first, counts), func(demand) bool { return true })
}

// counted are the demands of the other machines: those of VMs that wait only if they were asked for before first.
func (o Owner) counted(all Neighbours, first string, counts func(namespace string) bool) []demand {
	theirs := func(m proxmox.ObservedMetadata) bool { return counts(m.Labels[proxmox.NamespaceLabel]) }
	out := o.demands(all, first, func(d demand) bool { return theirs(d.metadata) })

	for _, c := range all.Containers {
		switch reserved := reservedBy(c.Metadata); {
		case o.owns(c.Metadata) || !theirs(c.Metadata):
		case !c.ObserveOnly():
			out = append(out, demandOfContainer(c))
		case reserved.Beyond(tenancy.Amount{Machines: 1}) && since(c.Metadata) < first:
			out = append(out, demand{metadata: c.Metadata, cores: reserved.Cores, memoryMiB: reserved.MemoryMiB, diskGiB: reserved.DiskGiB})
		}
	}

	return out
}

// amount of one VM or container.
func (d demand) amount() tenancy.Amount {
	return tenancy.Amount{Machines: 1, Cores: d.cores, MemoryMiB: d.memoryMiB, DiskGiB: d.diskGiB}
}

// Has is what the described VM has, as it was last written; nothing where there is none.
func Has(r Request) tenancy.Amount {
	vm, ok := r.Observed.VMs[r.Roles.Described()]
	if !ok || !Lives(r.Observed.VMs, r.Roles.Described()) {
		return tenancy.Amount{}
	}

	return demandOf(vm).amount()
}

// Written is what a VM is to have, as it was last written, whether there is one already or not.
func Written(vm proxmox.ObservedVM) tenancy.Amount { return demandOf(vm).amount() }

// HasContainer is what a container has, as it was last written.
func HasContainer(c proxmox.ObservedContainer) tenancy.Amount { return demandOfContainer(c).amount() }

// Keeps is what a VM has once a claim that did not make it is carried out: it keeps what the claim does not say, and disks that the claim does not name.
func Keeps(vm proxmox.VMParameters, wants tenancy.Amount, bootGiB int64) tenancy.Amount {
	var boot int64
	if len(vm.Disk) > 0 {
		boot = vm.Disk[0].Size
	}

	return keeps(amountOf(vm), wants, boot, bootGiB)
}

// ContainerKeeps is the same of a container and its root file system.
func ContainerKeeps(c proxmox.ContainerParameters, wants tenancy.Amount, rootGiB int64) tenancy.Amount {
	var root int64
	if len(c.Disk) > 0 {
		root = c.Disk[0].Size
	}

	return keeps(amountOfContainer(c), wants, root, rootGiB)
}

func keeps(has, wants tenancy.Amount, hasFirst, wantsFirst int64) tenancy.Amount {
	out := has.Most(wants)
	out.DiskGiB = max(hasFirst, wantsFirst) + max(has.DiskGiB-hasFirst, wants.DiskGiB-wantsFirst)

	return out
}
