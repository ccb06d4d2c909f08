package proxmox

import (
	"slices"
	"strings"
)

// A Creation is what is known of a VM that the provider was asked to create.
type Creation string

// What can be known of a creation.
const (
	// CreationNone: no creation is under way. The VM exists, or only its VMID is checked.
	CreationNone Creation = "None"
	// CreationUnseen: the provider has not seen a VM with the VMID yet.
	CreationUnseen Creation = "Unseen"
	// CreationOurs: the VM that the provider sees is the one that it created.
	CreationOurs Creation = "Ours"
	// CreationForeign: somebody else's VM has the VMID.
	CreationForeign Creation = "Foreign"
)

// neverCreated is the value of [CreatingAnnotation] where the provider had created nothing for the managed resource before.
const neverCreated = "none"

// CreationOf a VM. While it is under way, the provider may create the VM, and may neither change nor delete it: it cannot tell a
// VM that it created from another one that has the VMID. It looks for the VMID, and creates the VM where it finds none; and
// where somebody was faster by a second, it takes the answer "already exists" for its own success. So a VM is ours if the
// provider began to create one, and if the VM that it sees has the name, the notes and the UUID that were written, and no disk
// that was not.
func CreationOf(vm ObservedVM) Creation {
	before, creating := vm.Metadata.Annotations[CreatingAnnotation]

	switch {
	case !creating || vm.ObserveOnly():
		return CreationNone
	case vm.Status.AtProvider.ID == "":
		return CreationUnseen
	case CreationMark(vm) == before:
		return CreationForeign
	case blank(vm.Status.AtProvider):
		// Proxmox writes the configuration of a VM when its disks are imported. A provider that was restarted meanwhile sees an
		// empty one.
		return CreationUnseen
	case asWritten(vm):
		return CreationOurs
	}

	return CreationForeign
}

// BeginCreation is the value of [CreatingAnnotation] for a VM that is to be created: the provider's mark of the creation before.
// A creation that failed is the same one when the provider tries again.
func BeginCreation(vm ObservedVM) string {
	if before, creating := vm.Metadata.Annotations[CreatingAnnotation]; creating && !vm.ObserveOnly() {
		return before
	}

	return CreationMark(vm)
}

// CreationBegan says whether the provider has begun to create a VM that it was asked to create.
func CreationBegan(vm ObservedVM) bool {
	return CreationMark(vm) != vm.Metadata.Annotations[CreatingAnnotation]
}

// CreationMark is the time at which the provider last began to create something for the managed resource; "none" if it never did.
func CreationMark(vm ObservedVM) string { return CreationMarkOf(vm.Metadata.Metadata) }

// CreationMarkOf a managed resource of any kind.
func CreationMarkOf(m Metadata) string {
	if began := m.Annotations[CreatePendingAnnotation]; began != "" {
		return began
	}

	return neverCreated
}

// blank says whether nothing tells whose a VM is.
func blank(at VMObservation) bool {
	return at.Name == "" && at.Description == "" && uuidOf(at.SMBIOS) == "" && len(at.Disk) == 0
}

// asWritten says whether the VM that the provider sees has what was written of the VM that it should create. Its disks may not all
// be there yet; those of a template are not known before it is cloned, and Proxmox refuses to clone into a VMID that is in use.
func asWritten(vm ObservedVM) bool {
	at, want := vm.Status.AtProvider, vm.Spec.ForProvider

	foreign := func(has ObservedDisk) bool {
		return !slices.ContainsFunc(want.Disk, func(d Disk) bool { return d.Interface == has.Interface && d.DatastoreID == has.DatastoreID })
	}

	return at.Name == want.Name && strings.TrimSpace(at.Description) == strings.TrimSpace(want.Description) &&
		strings.EqualFold(uuidOf(at.SMBIOS), uuidOf(want.SMBIOS)) &&
		(len(want.Clone) > 0 || !slices.ContainsFunc(at.Disk, foreign))
}

func uuidOf(s []SMBIOS) string {
	if len(s) == 0 {
		return ""
	}

	return s[0].UUID
}

// CreatingIn says whether a managed resource has the annotation of a creation.
func CreatingIn(m Metadata) bool {
	_, creating := m.Annotations[CreatingAnnotation]

	return creating
}
