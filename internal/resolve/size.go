package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// defaultCPUType runs on all processors that Proxmox VE 8 supports, so that a VM can move between nodes.
const defaultCPUType = "x86-64-v2-AES"

// baseCPUTypes are QEMU's CPUs without what x86-64-v2 has. Linux of the family of RHEL 9 needs it, and so do containers that are built on it:
// https://developers.redhat.com/blog/2021/01/05/building-red-hat-enterprise-linux-9-for-the-x86-64-v2-microarchitecture-level
var baseCPUTypes = []string{"kvm32", "kvm64", "qemu32", "qemu64"} //nolint:gochecknoglobals // A constant list.

// sizes resolves cores, memory and disks.
type sizes struct {
	g *given
	n *notes
}

// A size is that of a machine, by class and claim. A figure that an adopted VM's claim leaves out is 0.
type size struct {
	class     string
	cpuType   string
	cores     int64
	memoryMiB int64
	floorMiB  int64
	diskGiB   int64
}

// resolve resolves the class and the claim's own values. An adopted VM has a size already: a value that its claim leaves out is 0
// here, and does not change.
func (r sizes) resolve() size {
	if r.g.existing.Adopting && r.g.spec.Class == "" {
		return r.figures("", catalog.Class{}, "")
	}

	n := r.g.choose(r.g.spec.Class, r.g.at.Child("class"), r.g.catalog.Defaults.Class, "class", catalog.DefaultClass)

	class, faults := r.class(n)
	if len(faults) > 0 {
		if r.n.keeps(r.g, machine.PartSize, faults, r.g.spec.Class, appliedClass) {
			return r.figures(n.name, r.g.existing.Has.Class, "")
		}

		// Placeholder values, so that the claim's own values are checked all the same.
		return r.unsized(r.figures(n.name, catalog.Class{Class: catalogue.Class{Cores: 1, Memory: "1Ti", Disk: "100Ti"}}, defaultCPUType))
	}

	return r.figures(n.name, class, defaultCPUType)
}

// unsized is a size without the figures of a class that nobody knows: where the claim does not say them either, they are 0, and nothing is wrong with them.
func (r sizes) unsized(s size) size {
	said := r.g.spec.Size
	if said.Cores == nil {
		s.cores = 0
	}

	if said.Memory == "" {
		s.memoryMiB = 0
	}

	if said.Disk == "" {
		s.diskGiB = 0
	}

	return s
}

// class returns the class with a name, or why there is none.
func (r sizes) class(n named) (catalog.Class, field.ErrorList) {
	if len(n.doubt) > 0 {
		return catalog.Class{}, n.doubt
	}

	class, faults := r.g.catalog.Class(n.at, n.name)
	faults = withOtherKind(r.g.catalog, "", n.name, faults)

	if len(faults) == 0 && class.BuiltIn() && !r.has(class) {
		if faults = r.g.overridden(n, classesAt+n.name, sizeOf(class)); len(faults) == 0 {
			faults = r.g.doubtOfBuiltIn()
		}
	}

	if len(faults) == 0 {
		faults = validate.Class(class)
	}

	return class, faults
}

// sizeOf a class, in words.
func sizeOf(c catalog.Class) string {
	return fmt.Sprintf("%s, %s of memory, a disk of %s", coresOf(c.Cores), c.Memory, c.Disk)
}

// has says whether a living VM has the size of a class, as far as its claim does not say it itself.
func (r sizes) has(class catalog.Class) bool {
	if r.g.existing.Has == nil {
		return false
	}

	said, is := r.g.spec.Size, r.g.existing.Has.Class

	return (said.Cores != nil || class.Cores == is.Cores) &&
		(said.Memory != "" || same(quantity.MemoryMiB, class.Memory, is.Memory)) && (said.Disk != "" || same(quantity.DiskGiB, class.Disk, is.Disk))
}

// same says whether two quantities are as much.
func same(parse func(v1alpha1.Quantity) (int64, error), a, b v1alpha1.Quantity) bool {
	x, errX := parse(a)
	y, errY := parse(b)

	return errX == nil && errY == nil && x == y
}

// figures are the values of a class, and the claim's own values over them.
func (r sizes) figures(name string, class catalog.Class, cpuType string) size {
	out := size{class: name, cores: class.Cores, cpuType: cmp.Or(r.g.spec.Size.CPUType, class.CPUType, cpuType)}
	if c := r.g.spec.Size.Cores; c != nil {
		out.cores = *c
	}

	if slices.Contains(baseCPUTypes, out.cpuType) {
		r.n.warn("%s: %s has neither SSE4 nor AES: Rocky Linux 9 and others do not boot, images of containers that need x86-64-v2 do not start, and TLS is slow. "+
			"%s moves between nodes as well.", sizeField(r.g, "cpuType", r.g.spec.Size.CPUType != ""), out.cpuType, defaultCPUType)
	}

	out.memoryMiB = r.memory(r.g.at.Child("size", "memory"), cmp.Or(r.g.spec.Size.Memory, class.Memory))
	out.floorMiB = r.floor(out.memoryMiB)
	out.diskGiB = r.disk(r.g.at.Child("size", "disk"), cmp.Or(r.g.spec.Size.Disk, class.Disk))

	return out
}

// floor is what ballooning leaves the VM. What is no amount of memory is a fault elsewhere.
func (r sizes) floor(memoryMiB int64) int64 {
	q := r.g.spec.Size.MemoryFloor
	if q == "" {
		return 0
	}

	n, err := quantity.MemoryMiB(q)
	at := r.g.at.Child("size", "memoryFloor")

	switch {
	case err != nil:
		return 0
	case memoryMiB == 0:
		r.n.add(field.Required(r.g.at.Child("size", "memory"), "memoryFloor needs the memory of an adopted VM: set it to what the VM has, or set class"))
	case n > memoryMiB:
		r.n.add(field.Invalid(at, message.Excerpt(string(q)), fmt.Sprintf("must be at most the memory of the VM, which is %dMi", memoryMiB)))
	case len(r.g.spec.Devices.PCI) > 0:
		r.n.warn("spec.size.memoryFloor: the node cannot take memory back from a VM with PCI devices, so this has no effect.")
	}

	return n
}

func (r sizes) memory(at *field.Path, q v1alpha1.Quantity) int64 {
	if q == "" && (r.g.existing.Adopting || r.g.existing.Has != nil) {
		return 0
	}

	n, err := quantity.MemoryMiB(q)
	if err != nil {
		r.n.add(field.Invalid(at, message.Excerpt(string(q)), err.Error()))
	}

	return n
}

func (r sizes) disk(at *field.Path, q v1alpha1.Quantity) int64 {
	if q == "" && (r.g.existing.Adopting || r.g.existing.Has != nil) {
		return 0
	}

	n, err := quantity.DiskGiB(q)
	if err != nil {
		r.n.add(field.Invalid(at, message.Excerpt(string(q)), err.Error()))
	}

	return n
}

// fitImage makes the boot disk at least as large as the image, because creating a VM with a smaller disk fails halfway. It
// raises the size of a class, but reports a fault for a size in the claim. An existing VM needs no check.
func (r sizes) fitImage(name string, image catalog.Image, diskGiB int64) int64 {
	if image.Disk == "" || r.g.existing.Node != "" || r.g.existing.Adopting {
		return diskGiB
	}

	need, err := quantity.DiskGiB(image.Disk)
	if err != nil || need <= diskGiB {
		return diskGiB
	}

	if q := r.g.spec.Size.Disk; q != "" {
		r.n.add(field.Invalid(r.g.at.Child("size", "disk"), message.Excerpt(string(q)),
			fmt.Sprintf("image %s needs a disk of at least %dGi", message.Excerpt(name), need)))
	}

	return need
}

// bootDisk is the boot disk with the claim's settings of it.
func (r sizes) bootDisk(b machine.Boot) machine.Boot {
	said := r.g.spec.BootDisk
	b.Backup, b.Cache, b.Discard, b.SSD = orTrue(said.Backup), said.Cache, said.Discard, said.SSD
	onVirtio := strings.HasPrefix(b.Interface, virtioBus)

	if onVirtio && said.SSD != nil && *said.SSD {
		r.n.add(field.Invalid(r.g.at.Child("bootDisk", "ssd"), true,
			fmt.Sprintf("the boot disk of the image is %s, and Proxmox has no such setting for the bus virtio: remove ssd", b.Interface)))
	}

	r.flushes(r.g.at.Child("bootDisk", "cache"), said.Cache)

	if !r.g.existing.Adopting {
		b.Cache = cmp.Or(b.Cache, "none")
		b.Discard, b.SSD = orDefault(b.Discard, true), orDefault(b.SSD, !onVirtio)
	}

	return b
}

// disks are the data disks of the claim. The default datastore is the boot disk's.
func (r sizes) disks(datastore string) []machine.Disk {
	var out []machine.Disk

	for i, d := range r.g.spec.Disks {
		r.flushes(r.g.at.Child("disks").Index(i).Child("cache"), d.Cache)

		out = append(out, machine.Disk{
			Name:      d.Name,
			SizeGiB:   r.disk(r.g.at.Child("disks").Index(i).Child("size"), d.Size),
			Datastore: cmp.Or(d.Storage, datastore),
			Backup:    orTrue(d.Backup),
			Cache:     cmp.Or(d.Cache, "none"),
			Discard:   r.g.unlessAdopted(d.Discard, true),
			SSD:       r.g.unlessAdopted(d.SSD, true),

			Filesystem: d.Filesystem,
			MountPath:  d.MountPath,
		})
	}

	return out
}

// flushes warns of a disk of a new machine on which the node keeps what the guest wants to have written:
// https://pve.proxmox.com/wiki/Performance_Tweaks, Disk Cache.
func (r sizes) flushes(at *field.Path, cache string) {
	if cache == "unsafe" && r.g.isNew() {
		r.n.warn("%s: with unsafe, Proxmox writes to the disk when it likes: when the node loses its power, file systems and databases, such as K3s' etcd, are lost. writeback is nearly as fast, and safe.", at)
	}
}

// virtioBus is the beginning of the interfaces of disks on the bus virtio.
const virtioBus = "virtio"

// display is the claim's, else Proxmox's default; empty for an adopted VM whose claim has none.
func display(g *given) string {
	if g.existing.Adopting {
		return g.spec.VGA.Type
	}

	return cmp.Or(g.spec.VGA.Type, "std")
}

// displays warns of a display of a new VM for which the node needs what its installation does not bring: PVE/QemuServer.pm ends the start with "missing
// libraries for 'virtio-gl' detected", and QEMU without a device for rendering.
func displays(g *given, n *notes) {
	if g.isNew() && g.spec.VGA.Type == "virtio-gl" {
		n.warn("%s: virtio-gl needs libgl1 and libegl1 and a graphics card on the Proxmox node, and without them the VM does not start: `apt install libgl1 libegl1` there, or write virtio.",
			g.at.Child("vga", "type"))
	}
}

// unfolded are notes without the line ends of Windows.
func unfolded(notes string) string {
	return strings.TrimSpace(strings.ReplaceAll(notes, "\r\n", "\n"))
}

// mappings are the resource mappings of the claim's devices.
func mappings(devices []v1alpha1.Device) []string {
	var out []string
	for _, d := range devices {
		out = append(out, d.Mapping)
	}

	return out
}
