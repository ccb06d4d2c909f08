package render

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// bootDisk is the boot disk's name in messages.
const bootDisk = "spec.size.disk"

// maxDiskIndex is the last SCSI address of data disks; the cloud-init drive has the one after it.
const maxDiskIndex = 29

// keepDisks matches the disks of a claim with those of its VM by name, so that the order of a list never swaps data.
// A disk keeps its address and its datastore, never shrinks, and is never detached: the provider detaches every disk that
// a changed list does not hold.
func keepDisks(p *proxmox.VMParameters, made proxmox.VMParameters) []change.Change {
	var held []change.Change

	out := slices.Clone(made.Disk)

	for i, d := range p.Disk {
		j := slices.IndexFunc(out, func(o proxmox.Disk) bool { return sameDisk(i, d, o) })
		if j < 0 {
			d.Interface = freeInterface(out)
			out = append(out, d)

			continue
		}

		held = append(held, keepDisk(&d, out[j])...)
		out[j] = d
	}

	for _, o := range made.Disk {
		if o.Serial != "" && !slices.ContainsFunc(p.Disk, func(d proxmox.Disk) bool { return d.Serial == o.Serial }) {
			held = append(held, change.Change{Effect: change.Refused, Field: fmt.Sprintf("spec.disks[%s]", o.Serial), Has: fmt.Sprintf("%d GiB on %s", o.Size, o.Interface), Wanted: "no such disk"})
		}
	}

	p.Disk = out

	return held
}

// sameDisk says whether the i-th disk of a claim is a disk of its VM. The boot disk is the first one and has no name.
func sameDisk(i int, d, o proxmox.Disk) bool {
	if i == 0 {
		return o.Serial == ""
	}

	return d.Serial == o.Serial
}

// keepDisk makes a disk keep what it cannot change.
func keepDisk(d *proxmox.Disk, o proxmox.Disk) []change.Change {
	var held []change.Change

	field := bootDisk
	if d.Serial != "" {
		field = fmt.Sprintf("spec.disks[%s].size", d.Serial)
	}

	if d.Size < o.Size {
		held = append(held, change.Change{Effect: change.Refused, Field: field, Has: gib(o.Size), Wanted: gib(d.Size)})
		d.Size = o.Size
	}

	if d.DatastoreID != o.DatastoreID {
		where := "spec.proxmox.storage"
		if d.Serial != "" {
			where = fmt.Sprintf("spec.disks[%s].storage", d.Serial)
		}

		held = append(held, change.Change{Effect: change.Refused, Field: where, Has: o.DatastoreID, Wanted: d.DatastoreID})
	}

	d.Interface, d.DatastoreID, d.ImportFrom, d.FileID = o.Interface, o.DatastoreID, o.ImportFrom, o.FileID

	return held
}

// freeInterface is the first SCSI address that no disk has.
func freeInterface(disks []proxmox.Disk) string {
	for i := 1; i <= maxDiskIndex; i++ {
		iface := "scsi" + strconv.Itoa(i)
		if !slices.ContainsFunc(disks, func(d proxmox.Disk) bool { return d.Interface == iface }) {
			return iface
		}
	}

	return ""
}

func gib(n int64) string { return strconv.FormatInt(n, 10) + "Gi" }
