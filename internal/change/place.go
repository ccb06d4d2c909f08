package change

import (
	"fmt"
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func vmID(p proxmox.VMParameters) string {
	if p.VMID == nil {
		return ""
	}

	return strconv.FormatInt(*p.VMID, 10)
}

func keepVMID(to *proxmox.VMParameters, made proxmox.VMParameters, _ Circumstances) {
	to.VMID = made.VMID
}

func node(p proxmox.VMParameters) string { return p.NodeName }

// unsaidNode: an adopted VM is where it is, unless its claim names a node.
func unsaidNode(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	if c.NodeUnsaid {
		to.NodeName = made.NodeName
	}
}

// keepNode keeps a VM on its node. A migration needs the provider's switch migrate; without the switch, the provider would
// create the VM anew.
func keepNode(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	to.Migrate = c.Migrate && !c.OtherProxmox && to.NodeName != made.NodeName
	if !to.Migrate {
		to.NodeName = made.NodeName
	}
}

// unsaidPool: an adopted VM is in the pool where somebody put it, unless its claim names one.
func unsaidPool(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	if c.Adopted && to.PoolID == "" {
		to.PoolID = made.PoolID
	}
}

// keepPool keeps a VM in its pool when the claim no longer names a pool: the provider cannot take a VM out of a pool.
func keepPool(to *proxmox.VMParameters, made proxmox.VMParameters, _ Circumstances) {
	if to.PoolID == "" {
		to.PoolID = made.PoolID
	}
}

// bootSource is what a boot disk was created from, as a person reads it.
func bootSource(p proxmox.VMParameters) string {
	switch {
	case len(p.Clone) > 0:
		return fmt.Sprintf("template %d", p.Clone[0].VMID)
	case len(p.Disk) > 0 && p.Disk[0].ImportFrom != "":
		return p.Disk[0].ImportFrom
	case len(p.Disk) > 0 && p.Disk[0].FileID != "":
		return p.Disk[0].FileID
	case len(p.CDROM) > 0 && !emptied(p):
		return p.CDROM[0].FileID
	}

	return "an empty disk"
}

// emptied says that somebody took the installer out of the CD drive.
func emptied(p proxmox.VMParameters) bool {
	return len(p.CDROM) > 0 && p.CDROM[0].FileID == proxmox.NoMedium
}

// installs says that a VM has no image, but an empty disk and perhaps an installer.
func installs(p proxmox.VMParameters) bool {
	return len(p.Clone) == 0 && (len(p.Disk) == 0 || p.Disk[0].ImportFrom+p.Disk[0].FileID == "")
}

// unsaidImage: an adopted VM has its disk, and nobody knows the image that the disk was created from. A VM without its installer does not get one again.
func unsaidImage(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	if emptied(made) && installs(*to) {
		keepImage(to, made, c)
	}

	if c.Adopted {
		keepImage(to, made, c)

		for i := range to.Disk {
			to.Disk[i].ImportFrom, to.Disk[i].FileID = "", ""
		}
	}
}

func keepImage(to *proxmox.VMParameters, made proxmox.VMParameters, _ Circumstances) {
	to.Clone, to.CDROM, to.BootOrder = made.Clone, made.CDROM, made.BootOrder
}

// firmware as a person reads it.
func firmware(p proxmox.VMParameters) string {
	words := p.Bios + " on " + p.Machine
	if p.Machine == "" {
		words = "its template's"
	}

	for _, e := range p.EFIDisk {
		words += fmt.Sprintf(", Secure Boot %t", e.PreEnrolledKeys)
	}

	if len(p.TPMState) > 0 {
		words += ", TPM"
	}

	return words
}

func unsaidFirmware(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	if c.Adopted && !c.FirmwareSaid {
		keepFirmware(to, made, c)
	}
}

func keepFirmware(to *proxmox.VMParameters, made proxmox.VMParameters, _ Circumstances) {
	to.Bios, to.Machine = made.Bios, made.Machine
	to.EFIDisk, to.TPMState = made.EFIDisk, made.TPMState
}
