package render

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// firmware sets chipset, firmware and TPM. On a clone the EFI disk and the TPM are the template's: if the
// claim asks for a disk that the template has, the provider moves the disk onto itself, which Proxmox refuses halfway through
// the creation.
func firmware(p *proxmox.VMParameters, m *machine.Machine) {
	p.ACPI, p.TabletDevice, p.KeyboardLayout, p.Bios = true, true, "en-us", "seabios"

	f := m.Firmware
	if f == nil {
		return
	}

	p.Machine = f.Machine
	if f.Type == v1alpha1.FirmwareUEFI {
		p.Bios = "ovmf"
	}

	if m.Boot.Source == machine.SourceClone {
		return
	}

	if f.Type == v1alpha1.FirmwareUEFI {
		p.EFIDisk = []proxmox.EFIDisk{{DatastoreID: m.Placement.DiskDatastore, Type: "4m", PreEnrolledKeys: f.SecureBoot}}
	}

	if f.TPM {
		p.TPMState = []proxmox.TPMState{{DatastoreID: m.Placement.DiskDatastore, Version: "v2.0"}}
	}
}

// devices passes devices of the node through, by resource mapping: only root's own ticket could do it by address.
func devices(p *proxmox.VMParameters, m *machine.Machine) {
	for i, mapping := range m.PCI {
		p.HostPCI = append(p.HostPCI, proxmox.HostPCI{
			Device: "hostpci" + strconv.Itoa(i), Mapping: mapping, PCIe: hasPCIe(m.Firmware), ROMBar: true,
		})
	}

	for _, mapping := range m.USB {
		p.USB = append(p.USB, proxmox.USB{Mapping: mapping, USB3: true})
	}
}

// hasPCIe says whether the chipset has a PCI Express bus, which only q35 does. A clone's is not known, and plain PCI
// works on both.
func hasPCIe(f *v1alpha1.Firmware) bool { return f != nil && strings.Contains(f.Machine, "q35") }

// bootInterface is where the boot disk of a machine that is not cloned is.
const bootInterface = "scsi0"

// cdInterface is where an installer's CD is.
const cdInterface = "ide2"

// bootOrder starts from the disk. An empty one falls through to the installer.
func bootOrder(b machine.Boot) []string {
	order := []string{diskInterface(b)}
	if b.Source == machine.SourceISO {
		order = append(order, cdInterface)
	}

	return order
}

func diskInterface(b machine.Boot) string {
	if b.Interface == "" {
		return bootInterface
	}

	return b.Interface
}

// disks are the boot disk and the data disks, scsi1 and on. A data disk's name is its serial number, by which the guest
// and guard.go identify it.
func disks(m *machine.Machine) []proxmox.Disk {
	boot := disk(diskInterface(m.Boot), m.Placement.DiskDatastore, m.Boot.DiskGiB)
	boot.Backup = m.Boot.Backup
	boot.Cache, boot.Discard, boot.SSD = m.Boot.Cache, discard(m.Boot.Discard), m.Boot.SSD

	switch m.Boot.Source {
	case machine.SourceDownload:
		boot.ImportFrom = m.Placement.ImageDatastore + ":import/" + m.Boot.Download.FileName
	case machine.SourceImport:
		boot.ImportFrom = m.Boot.Volume
	case machine.SourceDiskFile:
		boot.FileID = m.Boot.Volume
	case machine.SourceClone, machine.SourceISO:
	}

	out := []proxmox.Disk{boot}

	for _, d := range m.Disks {
		data := disk(change.FreeInterface(out), d.Datastore, d.SizeGiB)
		data.Serial = d.Name
		data.Backup = d.Backup
		data.Cache, data.Discard, data.SSD = d.Cache, discard(d.Discard), d.SSD
		out = append(out, data)
	}

	return out
}

// disk is a disk as an administrator would make it, with its own I/O thread.
func disk(iface, datastore string, sizeGiB int64) proxmox.Disk {
	return proxmox.Disk{
		Interface: iface, DatastoreID: datastore, Size: sizeGiB,
		// PVE has I/O threads for SCSI and VirtIO disks only.
		IOThread: strings.HasPrefix(iface, "scsi") || strings.HasPrefix(iface, "virtio"),
		AIO:      "io_uring", Replicate: true,
	}
}

// discard as Proxmox spells it; empty where it is not said.
func discard(on *bool) string {
	switch {
	case on == nil:
		return ""
	case *on:
		return "on"
	default:
		return "ignore"
	}
}

func cdrom(b machine.Boot) []proxmox.CDROM {
	if b.Source != machine.SourceISO {
		return nil
	}

	return []proxmox.CDROM{{FileID: b.Volume, Interface: cdInterface}}
}

// clone makes a full copy of a template. One attempt only: a second one would adopt a VM that has the VMID already.
func clone(m *machine.Machine) []proxmox.Clone {
	t := m.Boot.Template
	if m.Boot.Source != machine.SourceClone || t == nil {
		return nil
	}

	return []proxmox.Clone{{VMID: t.VMID, NodeName: cmp.Or(t.Node, m.Placement.Node), DatastoreID: m.Placement.DiskDatastore, Full: true, Retries: 1}}
}
