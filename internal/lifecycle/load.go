package lifecycle

import (
	"cmp"
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// Neighbours are managed resources of all claims, among them this machine's: VMs, containers, and what machines without a VM wait for.
type Neighbours struct {
	VMs        []proxmox.ObservedVM
	Containers []proxmox.ObservedContainer
	Files      []proxmox.ObservedFile
	Images     []proxmox.ObservedDownloadFile
}

// own resources of a machine, without its VMs.
func own(s proxmox.State) Neighbours {
	return Neighbours{Files: slices.Collect(maps.Values(s.Files)), Images: slices.Collect(maps.Values(s.DownloadFiles))}
}

// awaiting are the demands of VMs that are to be created, as snippets and images tell that they wait for.
func (n Neighbours) awaiting() []demand {
	return slices.Concat(awaiting(n.Files, fileNode), awaiting(n.Images, imageNode))
}

// choices of nodes that snippets and images tell.
func (n Neighbours) choices() []choice {
	return slices.Concat(choices(n.Files, fileNode), choices(n.Images, imageNode))
}

// begun are the owners of containers that are there, or are being created: these count, and no longer what their owners reserved for them.
func (n Neighbours) begun() map[string]bool {
	out := map[string]bool{}

	for _, c := range n.Containers {
		if !c.ObserveOnly() {
			out[ownerOf(c.Metadata)] = true
		}
	}

	return out
}

// A Newcomer is a machine without a VM, as far as the choice of its node goes.
type Newcomer struct {
	Roles    Roles
	Observed proxmox.State
	// Siblings is the label that machines of one kind share, and its value; empty for a machine that has no siblings.
	Siblings [2]string
	// Beside says that the VM which is replaced runs on while the new one is created.
	Beside bool
}

// Load is what the other claims at the owner's site need of its nodes: the memory of their VMs and containers, running or not, with what they have announced
// to grow to, and that of the VMs which are to be created. Of machines without a VM, the one that was first to choose a node has it. The machine's own other
// VMs count only where they run beside the new one.
func (o Owner) Load(all Neighbours, n Newcomer) resolve.Load {
	first, chosen := n.asked()
	out := resolve.Load{UsedMiB: map[string]int64{}, Siblings: map[string]int{}, Chosen: chosen}
	out.Replaces, out.Committed = o.replaced(n, &out), n.committed()

	for _, d := range o.demands(all, first, func(d demand) bool { return o.SharesSite(d.ref, d.metadata.Namespace) }) {
		add(&out, d, n.Siblings)
	}

	for _, c := range all.Containers {
		if !c.ObserveOnly() && !o.owns(c.Metadata) && o.SharesSite(c.Spec.ProviderConfigRef, c.Metadata.Namespace) {
			d := demandOfContainer(c)
			out.UsedMiB[d.node] += d.grown().MemoryMiB
		}
	}

	return out
}

// asked says when the machine asked for its VM first, and which node it chose then.
func (n Newcomer) asked() (first, node string) {
	first, described := unborn, n.Roles.Described()

	if vm, ok := n.Observed.VMs[described]; ok {
		first, node = since(vm.Metadata), vm.Spec.ForProvider.NodeName
	}

	// A container that is to be adopted asks with nothing else than the look at it.
	if c, ok := n.Observed.Containers[described]; ok {
		first = min(first, since(c.Metadata))
	}

	for _, w := range own(n.Observed).awaiting() {
		if w.vm == described {
			first, node = min(first, w.since), cmp.Or(node, w.node)
		}
	}

	return first, node
}

// demands of the other machines that count, each VM once: VMs that are there, and those that are to be created and were asked for before first.
func (o Owner) demands(all Neighbours, first string, counts func(demand) bool) (out []demand) {
	created, waiting, begun := map[string]bool{}, map[string]demand{}, all.begun()

	for _, vm := range all.VMs {
		d := demandOf(vm)

		switch {
		case o.Owns(vm) || !counts(d) || vm.ObserveOnly() && begun[ownerOf(vm.Metadata)]:
		case vm.ObserveOnly():
			waiting[d.key()] = waiting[d.key()].or(d)
		default:
			created[d.key()] = true
			out = append(out, d)
		}
	}

	for _, w := range all.awaiting() {
		if !o.owns(w.metadata) && counts(w) && !created[w.key()] {
			waiting[w.key()] = waiting[w.key()].or(w)
		}
	}

	for _, w := range waiting {
		if w.since < first {
			out = append(out, w)
		}
	}

	return out
}

// replaced is the node of the VM that is replaced. Where it runs on beside the new one, it counts, and so do the machine's other VMs.
func (o Owner) replaced(n Newcomer, out *resolve.Load) string {
	if n.Roles.Candidate == "" {
		return ""
	}

	for name, vm := range n.Observed.VMs {
		if n.Beside && name != n.Roles.Described() && !vm.ObserveOnly() {
			d := demandOf(vm)
			out.UsedMiB[d.node] += d.memoryMiB
		}
	}

	return demandOf(n.Observed.VMs[n.Roles.Active]).node
}

// committed says whether there is no way back to the VM that is replaced: it was stopped, its Kubernetes Node is gone, or the provider was asked
// to create the new one.
func (n Newcomer) committed() bool {
	was := n.Observed.VMs[n.Roles.Active].Metadata.Annotations

	return n.Roles.Candidate != "" &&
		(n.Roles.Begun || was[proxmox.StoppedForAnnotation] == StoppedForReplacement || was[proxmox.NodeRemovedAnnotation] != "")
}

// A demand of a VM that is there, or that is to be created.
type demand struct {
	metadata    proxmox.ObservedMetadata // Of what tells the demand.
	vm          string                   // The composed resource name.
	ref         proxmox.ProviderConfigRef
	node, since string
	memoryMiB   int64
	// cores and diskGiB are 0 where nothing counts them.
	cores, diskGiB int64
}

func (d demand) key() string { return ownerOf(d.metadata) + "/" + d.vm }

// or is the earlier time of two demands for one VM, and the rest of the first one.
func (d demand) or(other demand) demand {
	if d.node == "" {
		return other
	}

	d.since = min(d.since, other.since)

	return d
}

// demandOf a VM.
func demandOf(vm proxmox.ObservedVM) demand {
	m, p := vm.Metadata, vm.Spec.ForProvider
	out := demand{
		metadata: m, vm: m.Annotations[proxmox.ResourceNameAnnotation], ref: vm.Spec.ProviderConfigRef, node: HostOf(vm), since: since(m),
	}

	// What is reported while a VMID is checked is somebody else's VM.
	if vm.ObserveOnly() {
		out.node = p.NodeName
	}

	size := amountOf(p)

	// Of a container that is to be created, nothing but its reservation is known. What is to be adopted keeps what its claim does not say.
	if vm.ObserveOnly() {
		size = reservedBy(m).Most(size)
	}

	out.memoryMiB, out.cores, out.diskGiB = size.MemoryMiB, size.Cores, size.DiskGiB

	return out
}

// amountOf what a VM is written to have.
func amountOf(p proxmox.VMParameters) tenancy.Amount {
	out := tenancy.Amount{Machines: 1}

	if len(p.Memory) > 0 {
		out.MemoryMiB = p.Memory[0].Dedicated
	}

	for _, cpu := range p.CPU {
		out.Cores += cpu.Cores * max(cpu.Sockets, 1)
	}

	for _, d := range p.Disk {
		out.DiskGiB += d.Size
	}

	return out
}

// reservedBy what looks for a VMID; nothing where it reserves nothing.
func reservedBy(m proxmox.ObservedMetadata) tenancy.Amount {
	r := proxmox.ReadReservation(m.Annotations[proxmox.ReservesAnnotation])

	return tenancy.Amount{Machines: 1, Cores: r.Cores, MemoryMiB: r.MemoryMiB, DiskGiB: r.DiskGiB}
}

// demandOfContainer is that of a container that is there.
func demandOfContainer(c proxmox.ObservedContainer) demand {
	size := amountOfContainer(c.Spec.ForProvider)

	return demand{metadata: c.Metadata, node: HostOfContainer(c), memoryMiB: size.MemoryMiB, cores: size.Cores, diskGiB: size.DiskGiB}
}

// amountOfContainer is what a container is written to have.
func amountOfContainer(p proxmox.ContainerParameters) tenancy.Amount {
	out := tenancy.Amount{Machines: 1, MemoryMiB: p.MemoryMiB(), DiskGiB: p.DiskGiB()}

	for _, cpu := range p.CPU {
		out.Cores += cpu.Cores
	}

	return out
}

func add(to *resolve.Load, d demand, siblings [2]string) {
	to.UsedMiB[d.node] += d.grown().MemoryMiB

	if siblings[1] != "" && d.metadata.Labels[siblings[0]] == siblings[1] {
		to.Siblings[d.node]++
	}
}

func fileNode(p proxmox.FileParameters) string          { return p.NodeName }
func imageNode(p proxmox.DownloadFileParameters) string { return p.NodeName }

// awaiting are the demands of VMs that are to be created, as the snippets or images tell that they wait for. They are in the order of the
// resources' names.
func awaiting[P, S any](resources []proxmox.Observed[P, S], node func(P) string) []demand {
	var out []demand

	for _, r := range byName(resources) {
		reserved := proxmox.ReadReservation(r.Metadata.Annotations[proxmox.ReservesAnnotation])
		if reserved.VM == "" || r.Metadata.Labels[proxmox.AwaitsVMLabel] == "" {
			continue
		}

		out = append(out, demand{
			metadata: r.Metadata, vm: reserved.VM, ref: r.Spec.ProviderConfigRef, node: node(r.Spec.ForProvider), since: since(r.Metadata),
			memoryMiB: reserved.MemoryMiB, cores: reserved.Cores, diskGiB: reserved.DiskGiB,
		})
	}

	return out
}
