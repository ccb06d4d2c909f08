package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// Used is what the other machines have whose namespaces counts: VMs and containers, running or not, at whichever site, and VMs that are to be created.
// Of machines without a VM, those that came before this one have their share. A machine whose VM is replaced has both of its VMs.
func (o Owner) Used(all Neighbours, n Newcomer, counts func(namespace string) bool) (out tenancy.Amount) {
	first := unborn
	if vm, ok := n.Observed.VMs[n.Roles.Described()]; ok {
		first = since(vm.Metadata)
	}

	for _, w := range own(n.Observed).awaiting() {
		first = min(first, w.since)
	}

	counted, waiting := map[string]bool{}, map[string]demand{}
	machines := map[string]bool{}

	count := func(d demand) {
		out = out.Plus(tenancy.Amount{Cores: d.cores, MemoryMiB: d.memoryMiB, DiskGiB: d.diskGiB})
		machines[ownerOf(d.metadata)] = true
	}

	for _, vm := range all.VMs {
		d := demandOf(vm)

		switch {
		case o.Owns(vm) || !counts(vm.Metadata.Labels[proxmox.NamespaceLabel]):
		case vm.ObserveOnly():
			waiting[d.key()] = waiting[d.key()].or(d)
		default:
			counted[d.key()] = true
			count(d)
		}
	}

	for _, c := range all.Containers {
		if !c.ObserveOnly() && !o.owns(c.Metadata) && counts(c.Metadata.Labels[proxmox.NamespaceLabel]) {
			count(demandOfContainer(c))
		}
	}

	for _, w := range all.awaiting() {
		if !o.owns(w.metadata) && counts(w.metadata.Labels[proxmox.NamespaceLabel]) && !counted[w.key()] {
			waiting[w.key()] = waiting[w.key()].or(w)
		}
	}

	for _, w := range waiting {
		if w.since < first && !counted[w.key()] {
			count(w)
		}
	}

	out.Machines = int64(len(machines))

	return out
}

// Has is what the described VM has, as it was last written; nothing where there is none.
func (r Request) Has() tenancy.Amount {
	vm, ok := r.Observed.VMs[r.Roles.Described()]
	if !ok || !Lives(r.Observed.VMs, r.Roles.Described()) {
		return tenancy.Amount{}
	}

	d := demandOf(vm)

	return tenancy.Amount{Machines: 1, Cores: d.cores, MemoryMiB: d.memoryMiB, DiskGiB: d.diskGiB}
}

// HasContainer is what a container has, as it was last written.
func HasContainer(c proxmox.ObservedContainer) tenancy.Amount {
	d := demandOfContainer(c)

	return tenancy.Amount{Machines: 1, Cores: d.cores, MemoryMiB: d.memoryMiB, DiskGiB: d.diskGiB}
}

func demandOfContainer(c proxmox.ObservedContainer) demand {
	p := c.Spec.ForProvider
	out := demand{metadata: c.Metadata, memoryMiB: p.MemoryMiB(), diskGiB: p.DiskGiB()}

	for _, cpu := range p.CPU {
		out.cores += cpu.Cores
	}

	return out
}
