package proxmox

import "slices"

// NoMedium is what an empty CD drive has.
const NoMedium = "none"

// AsFound is a VM as it was last written, but for what a person did in Proxmox that the provider could not undo, and over which it would fail at every update:
// disks that somebody grew, and a medium that somebody took out of the CD drive.
func AsFound(vm ObservedVM) VMParameters {
	p := vm.Spec.ForProvider
	p.Disk, p.CDROM = DisksAsGrown(vm), drivesAsEmptied(vm)

	return p
}

// drivesAsEmptied are the CD drives of a VM as they were last written, without the media that are not in them any more. An installer has done its work, and
// where its file is gone from the datastore Proxmox refuses to put it in again.
func drivesAsEmptied(vm ObservedVM) []CDROM {
	written := vm.Spec.ForProvider.CDROM
	if vm.ObserveOnly() { // The provider reports somebody else's VM.
		return written
	}

	out := slices.Clone(written)
	for i, d := range out {
		if slices.Contains(vm.Status.AtProvider.CDROM, CDROM{FileID: NoMedium, Interface: d.Interface}) {
			out[i].FileID = NoMedium
		}
	}

	return out
}

// DisksAsGrown are the disks of a VM as they were last written, each at least as large as Proxmox has it. A disk that a person
// grew in Proxmox would be a planned shrink otherwise: the provider then fails with "Cannot shrink" at every update, and
// carries out no other change of the VM either.
func DisksAsGrown(vm ObservedVM) []Disk {
	written := vm.Spec.ForProvider.Disk
	out := written

	if vm.ObserveOnly() { // The provider reports somebody else's VM.
		return written
	}

	for i, d := range written {
		for _, has := range vm.Status.AtProvider.Disk {
			if has.Interface != d.Interface || has.Size <= d.Size {
				continue
			}

			if &out[0] == &written[0] {
				out = slices.Clone(written)
			}

			out[i].Size = has.Size
		}
	}

	return out
}
