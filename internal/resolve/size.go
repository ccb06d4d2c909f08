package resolve

import (
	"cmp"
	"fmt"
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

// sizes resolves cores, memory, disks and devices.
type sizes struct{ *resolver }

// resolve resolves the class and the claim's own values. An adopted VM has a size already: a value that its claim leaves out is 0
// here, and does not change.
func (r sizes) resolve() {
	if r.existing.Adopting && r.spec.Class == "" {
		r.figures(catalog.Class{}, "")
		return
	}

	n := r.choose(r.spec.Class, r.at.Child("class"), r.catalog.Defaults.Class, "class", catalog.DefaultClass)
	r.out.Class = n.name

	class, faults := r.class(n)
	if len(faults) > 0 {
		// Placeholder values, so that the claim's own values are checked all the same.
		class = catalog.Class{Class: catalogue.Class{Cores: 1, Memory: "1Gi", Disk: "100Ti"}}

		if r.keeps(machine.PartSize, faults, r.spec.Class, appliedClass) {
			r.figures(r.existing.Has.Class, "")
			return
		}
	}

	r.figures(class, defaultCPUType)
}

// class returns the class with a name, or why there is none.
func (r sizes) class(n named) (catalog.Class, field.ErrorList) {
	if len(n.doubt) > 0 {
		return catalog.Class{}, n.doubt
	}

	class, faults := r.catalog.Class(n.at, n.name)
	if len(faults) == 0 {
		faults = r.doubtOfBuiltIn(r.catalog.Classes[n.name].From)
	}

	if len(faults) == 0 {
		faults = validate.Class(class)
	}

	return class, faults
}

// figures applies the values of a class, and the claim's own values over them.
func (r sizes) figures(class catalog.Class, cpuType string) {
	r.out.Cores = class.Cores
	if c := r.spec.Size.Cores; c != nil {
		r.out.Cores = *c
	}

	r.out.CPUType = cmp.Or(r.spec.Size.CPUType, class.CPUType, cpuType)
	r.out.MemoryMiB = r.memory(r.at.Child("size", "memory"), cmp.Or(r.spec.Size.Memory, class.Memory))
	r.floor()
	r.out.Boot.DiskGiB = r.disk(r.at.Child("size", "disk"), cmp.Or(r.spec.Size.Disk, class.Disk))
}

// floor resolves what ballooning leaves the VM. What is no amount of memory is a fault elsewhere.
func (r sizes) floor() {
	q := r.spec.Size.MemoryFloor
	if q == "" {
		return
	}

	n, err := quantity.MemoryMiB(q)
	at := r.at.Child("size", "memoryFloor")

	switch {
	case err != nil:
		return
	case r.out.MemoryMiB == 0:
		r.add(field.Required(r.at.Child("size", "memory"), "memoryFloor needs the memory of an adopted VM: set it to what the VM has, or set class"))
	case n > r.out.MemoryMiB:
		r.add(field.Invalid(at, message.Excerpt(string(q)), fmt.Sprintf("must be at most the memory of the VM, which is %dMi", r.out.MemoryMiB)))
	case len(r.spec.Devices.PCI) > 0:
		r.warn("spec.size.memoryFloor: the node cannot take memory back from a VM with PCI devices, so this has no effect.")
	}

	r.out.MemoryFloorMiB = n
}

func (r sizes) memory(at *field.Path, q v1alpha1.Quantity) int64 {
	if q == "" && (r.existing.Adopting || r.existing.Has != nil) {
		return 0
	}

	n, err := quantity.MemoryMiB(q)
	if err != nil {
		r.add(field.Invalid(at, message.Excerpt(string(q)), err.Error()))
	}

	return n
}

func (r sizes) disk(at *field.Path, q v1alpha1.Quantity) int64 {
	if q == "" && (r.existing.Adopting || r.existing.Has != nil) {
		return 0
	}

	n, err := quantity.DiskGiB(q)
	if err != nil {
		r.add(field.Invalid(at, message.Excerpt(string(q)), err.Error()))
	}

	return n
}

// fitImage makes the boot disk at least as large as the image, because creating a VM with a smaller disk fails halfway. It
// raises the size of a class, but reports a fault for a size in the claim. An existing VM needs no check.
func (r sizes) fitImage() {
	if r.image.Disk == "" || r.existing.Node != "" || r.existing.Adopting {
		return
	}

	need, err := quantity.DiskGiB(r.image.Disk)
	if err != nil || need <= r.out.Boot.DiskGiB {
		return
	}

	if q := r.spec.Size.Disk; q != "" {
		r.add(field.Invalid(r.at.Child("size", "disk"), message.Excerpt(string(q)),
			fmt.Sprintf("image %s needs a disk of at least %dGi", message.Excerpt(r.out.Boot.Image), need)))
	}

	r.out.Boot.DiskGiB = need
}

// disks resolves the data disks of the claim. The default datastore is the boot disk's.
func (r sizes) disks() {
	r.out.Boot.Backup = orTrue(r.spec.BootDisk.Backup)
	r.out.Boot.Cache = r.spec.BootDisk.Cache

	r.out.Boot.Discard, r.out.Boot.SSD = r.spec.BootDisk.Discard, r.spec.BootDisk.SSD
	onVirtio := strings.HasPrefix(r.out.Boot.Interface, virtioBus)

	if onVirtio && r.spec.BootDisk.SSD != nil && *r.spec.BootDisk.SSD {
		r.add(field.Invalid(r.at.Child("bootDisk", "ssd"), true,
			fmt.Sprintf("the boot disk of the image is %s, and Proxmox has no such setting for the bus virtio: remove ssd", r.out.Boot.Interface)))
	}

	if !r.existing.Adopting {
		r.out.Boot.Cache = cmp.Or(r.out.Boot.Cache, "none")
		r.out.Boot.Discard, r.out.Boot.SSD = orDefault(r.out.Boot.Discard, true), orDefault(r.out.Boot.SSD, !onVirtio)
	}

	r.out.VGA = r.display()
	r.out.Notes = strings.TrimSpace(strings.ReplaceAll(r.spec.Notes, "\r\n", "\n"))

	for i, d := range r.spec.Disks {
		r.out.Disks = append(r.out.Disks, machine.Disk{
			Name:      d.Name,
			SizeGiB:   r.disk(r.at.Child("disks").Index(i).Child("size"), d.Size),
			Datastore: cmp.Or(d.Storage, r.out.Placement.DiskDatastore),
			Backup:    orTrue(d.Backup),
			Cache:     cmp.Or(d.Cache, "none"),
			Discard:   r.unlessAdopted(d.Discard, true),
			SSD:       r.unlessAdopted(d.SSD, true),

			Filesystem: d.Filesystem,
			MountPath:  d.MountPath,
		})
	}
}

// virtioBus is the beginning of the interfaces of disks on the bus virtio.
const virtioBus = "virtio"

// display is the claim's, else Proxmox's default; empty for an adopted VM whose claim has none.
func (r sizes) display() string {
	if r.existing.Adopting {
		return r.spec.VGA.Type
	}

	return cmp.Or(r.spec.VGA.Type, "std")
}

// unlessAdopted is a setting with its default. An adopted VM keeps its own where the claim says nothing.
func (r *resolver) unlessAdopted(said *bool, byDefault bool) *bool {
	if r.existing.Adopting {
		return said
	}

	return orDefault(said, byDefault)
}

func orDefault(said *bool, byDefault bool) *bool {
	if said != nil {
		return said
	}

	return &byDefault
}

// devices resolves the resource mappings of the claim.
func (r sizes) devices() {
	for _, d := range r.spec.Devices.PCI {
		r.out.PCI = append(r.out.PCI, d.Mapping)
	}

	for _, d := range r.spec.Devices.USB {
		r.out.USB = append(r.out.USB, d.Mapping)
	}
}
