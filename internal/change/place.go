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

// keepNode leaves a VM where it is. Where it is to be moved, that takes the provider's switch, or it wants to make it anew.
func keepNode(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
	to.Migrate = c.Migrate && to.NodeName != made.NodeName
	if !to.Migrate {
		to.NodeName = made.NodeName
	}
}

// keepPool leaves a VM in its pool when the claim names none any more: the provider would not take it out.
func keepPool(to *proxmox.VMParameters, made proxmox.VMParameters, _ Circumstances) {
	if to.PoolID == "" {
		to.PoolID = made.PoolID
	}
}

// bootSource is what a boot disk was made from, in words.
func bootSource(p proxmox.VMParameters) string {
	switch {
	case len(p.Clone) > 0:
		return fmt.Sprintf("template %d", p.Clone[0].VMID)
	case len(p.Disk) > 0 && p.Disk[0].ImportFrom != "":
		return p.Disk[0].ImportFrom
	case len(p.Disk) > 0 && p.Disk[0].FileID != "":
		return p.Disk[0].FileID
	case len(p.CDROM) > 0:
		return p.CDROM[0].FileID
	}

	return "an empty disk"
}

// unsaidImage: an adopted VM has its disk, and nobody knows what that was made from.
func unsaidImage(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances) {
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

// firmware in words.
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
