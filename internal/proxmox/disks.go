package proxmox

import "slices"

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
