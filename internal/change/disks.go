package change

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// maxDiskIndex is the last SCSI address of data disks; the cloud-init drive has the one after it.
const maxDiskIndex = 29

// BootDisk is the place of the disk that a VM boots from; -1 where it has none. Data disks have their names for serial
// numbers, and the boot disk has none; but in a VM that somebody else made it may have one, too.
func BootDisk(p proxmox.VMParameters) int {
	for _, iface := range p.BootOrder {
		if i := slices.IndexFunc(p.Disk, func(d proxmox.Disk) bool { return d.Interface == iface }); i >= 0 {
			return i
		}
	}

	return slices.IndexFunc(p.Disk, func(d proxmox.Disk) bool { return d.Serial == "" })
}

// diskValues appends one property of every disk that a claim can name.
func diskValues(to []value, p proxmox.VMParameters, boot, data string, words func(proxmox.Disk) string) []value {
	bootDisk := BootDisk(p)

	for i, d := range p.Disk {
		switch {
		case i == bootDisk:
			to = append(to, value{boot, words(d)})
		case d.Serial != "":
			to = append(to, value{fmt.Sprintf("spec.disks[%s].%s", d.Serial, data), words(d)})
		}
	}

	return to
}

func diskSizes(to []value, p proxmox.VMParameters) []value {
	return diskValues(to, p, "spec.size.disk", "size", func(d proxmox.Disk) string { return strconv.FormatInt(d.Size, 10) + "Gi" })
}

func diskStorage(to []value, p proxmox.VMParameters) []value {
	return diskValues(to, p, "spec.proxmox.storage", "storage", func(d proxmox.Disk) string { return d.DatastoreID })
}

func diskBackups(to []value, p proxmox.VMParameters) []value {
	return diskValues(to, p, "spec.bootDisk.backup", "backup", func(d proxmox.Disk) string { return strconv.FormatBool(d.Backup) })
}

func diskCaches(to []value, p proxmox.VMParameters) []value {
	return diskValues(to, p, "spec.bootDisk.cache", "cache", func(d proxmox.Disk) string { return d.Cache })
}

func diskDiscards(to []value, p proxmox.VMParameters) []value {
	return diskValues(to, p, "spec.bootDisk.discard", "discard", func(d proxmox.Disk) string {
		switch d.Discard {
		case "on":
			return "true"
		case "ignore":
			return "false"
		default:
			return d.Discard
		}
	})
}

func diskSSDs(to []value, p proxmox.VMParameters) []value {
	return diskValues(to, p, "spec.bootDisk.ssd", "ssd", func(d proxmox.Disk) string { return strconv.FormatBool(d.SSD != nil && *d.SSD) })
}

// unsaidDisks matches the disks of a claim with those of its VM by name, so that the order of a list never swaps data. A
// disk keeps its address, and what no claim names. A new one gets a free address.
func unsaidDisks(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	taken, bootDisk := slices.Clone(made.Disk), BootDisk(made)

	for i := range to.Disk {
		d := &to.Disk[i]

		j := counterpart(i, *d, made.Disk, bootDisk)
		if j < 0 {
			d.Interface = FreeInterface(taken)
			taken = append(taken, *d)

			if c.Adopted {
				unsaidDisk(d, proxmox.Disk{DatastoreID: d.DatastoreID, Discard: "on", SSD: new(true)})
			}

			continue
		}

		has := made.Disk[j]
		d.Interface, d.Serial = has.Interface, has.Serial
		d.IOThread, d.AIO, d.Replicate = has.IOThread, has.AIO, has.Replicate

		// Another image of the claim may have its disk on another bus, with another default. The VM's disk stays on its own.
		if c.SSDUnsaid && i == 0 && !c.Adopted {
			d.SSD = new(!onVirtio(has))
		}

		if c.Adopted {
			unsaidDisk(d, has)
		}

		if c.BackupUnsaid && i == 0 {
			d.Backup = has.Backup
		}
	}

	// A disk of an adopted VM that no claim could name, since it has no serial number, is not the claim's to take away.
	if !c.Adopted {
		return
	}

	for i, has := range made.Disk {
		if i != bootDisk && has.Serial == "" {
			to.Disk = append(to.Disk, has)
		}
	}
}

// unsaidDisk: a disk of an adopted VM keeps what the claim does not mention.
func unsaidDisk(d *proxmox.Disk, has proxmox.Disk) {
	if d.Size == 0 {
		d.Size = has.Size
	}

	d.DatastoreID = has.DatastoreID
	d.Discard = cmp.Or(d.Discard, has.Discard)

	if d.SSD == nil {
		d.SSD = has.SSD
	}

	if d.Cache == "" || d.Cache == "none" && has.Cache == "" {
		d.Cache = has.Cache
	}
}

// onVirtio says whether a disk is on the bus virtio.
func onVirtio(d proxmox.Disk) bool { return strings.HasPrefix(d.Interface, "virtio") }

// keepDisks: a disk keeps its datastore and what it was made from, on the bus virtio whether it is an SSD, never shrinks, and is never detached: the provider
// detaches every disk that a changed list does not hold. The list keeps the VM's order.
func keepDisks(to *proxmox.VMParameters, made proxmox.VMParameters, _ Circumstances) {
	out, bootDisk := slices.Clone(made.Disk), BootDisk(made)

	for i, d := range to.Disk {
		j := counterpart(i, d, out, bootDisk)
		if j < 0 || out[j].Interface != d.Interface {
			// There is no address left for another disk.
			if d.Interface != "" && !slices.ContainsFunc(out, func(o proxmox.Disk) bool { return o.Interface == d.Interface }) {
				out = append(out, d)
			}

			continue
		}

		d.Size = max(d.Size, out[j].Size)
		d.DatastoreID, d.ImportFrom, d.FileID = out[j].DatastoreID, out[j].ImportFrom, out[j].FileID

		// Proxmox refuses the setting for a disk on this bus, and with it every other change of the VM.
		if onVirtio(d) {
			d.SSD = out[j].SSD
		}

		out[j] = d
	}

	to.Disk = out
}

// counterpart of the i-th disk of a claim among the disks of its VM; -1 where it has none. A claim's boot disk is its first one;
// the others have names.
func counterpart(i int, d proxmox.Disk, made []proxmox.Disk, bootDisk int) int {
	if i == 0 {
		return bootDisk
	}

	if d.Serial == "" {
		return -1
	}

	j := slices.IndexFunc(made, func(o proxmox.Disk) bool { return o.Serial == d.Serial })
	if j == bootDisk {
		return -1
	}

	return j
}

// FreeInterface is the first SCSI address that no disk has; empty where there is none.
func FreeInterface(disks []proxmox.Disk) string {
	for i := 1; i <= maxDiskIndex; i++ {
		iface := "scsi" + strconv.Itoa(i)
		if !slices.ContainsFunc(disks, func(d proxmox.Disk) bool { return d.Interface == iface }) {
			return iface
		}
	}

	return ""
}

// KeptDisks says what becomes of data disks that a claim does not list any more, by the changes that are refused: the same is seen of a disk that was
// removed and of one that has another name now. Empty where there is none.
func KeptDisks(refused []Change) string {
	names := keptDisks(refused)

	switch len(names) {
	case 0:
		return ""
	case 1:
		return "Disk " + names[0] + " stays with its data: a disk is known by its name, so that one with another name in the claim is a new, empty disk beside it."
	}

	return "Disks " + strings.Join(names, ", ") + " stay with their data: a disk is known by its name, so that one with another name in the claim is a new, empty disk beside them."
}

// OnlyKeptDisks says whether all that is refused are data disks that a claim does not list any more.
func OnlyKeptDisks(refused []Change) bool {
	return len(refused) > 0 && len(keptDisks(refused)) == len(refused)
}

// keptDisks are the names of data disks that a claim does not list any more, by the changes that are refused.
func keptDisks(refused []Change) []string {
	var names []string

	for _, c := range refused {
		if name, of, ok := strings.Cut(strings.TrimPrefix(c.Field, "spec.disks["), "]"); ok && of == ".size" && c.Has != "" && c.Wanted == "" {
			names = append(names, name)
		}
	}

	return names
}
