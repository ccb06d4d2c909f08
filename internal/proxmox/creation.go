package proxmox

import (
	"regexp"
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
	case Unread(vm):
		return CreationUnseen
	case asWritten(vm):
		return CreationOurs
	}

	return CreationForeign
}

// Unread says whether the provider has found the VM that it was asked to create, and has not read enough of it to tell whose it is. Proxmox
// writes the configuration of a VM when its disks are imported. A provider that was restarted meanwhile reports a VM without a name, later one
// with its name and one disk without an interface, and its disks only when it is asked once more (observed on the provider v1.18.0).
func Unread(vm ObservedVM) bool {
	at, want := vm.Status.AtProvider, vm.Spec.ForProvider
	hasInterface := func(d ObservedDisk) bool { return d.Interface != "" }

	if _, creating := vm.Metadata.Annotations[CreatingAnnotation]; !creating || at.ID == "" || slices.ContainsFunc(at.Disk, hasInterface) {
		return false
	}

	anothersName := at.Name != "" && at.Name != want.Name
	anothersUUID := uuidOf(at.SMBIOS) != "" && !sameUUID(at, want)

	return !anothersName && !anothersUUID
}

// BeginCreation is the value of [CreatingAnnotation] for a VM that is to be created: the provider's mark of the creation before.
// A creation that failed is the same one when the provider tries again.
func BeginCreation(vm ObservedVM) string {
	return CreatingMark(vm.Metadata.Metadata, CreatingIn(vm.Metadata.Metadata) && !vm.ObserveOnly())
}

// CreatingMark is the value of [CreatingAnnotation] for a managed resource of any kind that is to be created: the provider's mark of the creation before, or
// where that one failed and is tried again, the mark that it began with.
func CreatingMark(observed Metadata, again bool) string {
	if again {
		return observed.Annotations[CreatingAnnotation]
	}

	return CreationMarkOf(observed)
}

// CreationBegan says whether the provider has begun to create a VM that it was asked to create.
func CreationBegan(vm ObservedVM) bool { return CreationBeganIn(vm.Metadata.Metadata) }

// CreationBeganIn says the same of a managed resource of any kind. What the provider finds before it has begun, somebody else has made.
func CreationBeganIn(m Metadata) bool { return CreationMarkOf(m) != m.Annotations[CreatingAnnotation] }

// CreationMark is the time at which the provider last began to create something for the managed resource; "none" if it never did.
func CreationMark(vm ObservedVM) string { return CreationMarkOf(vm.Metadata.Metadata) }

// CreationMarkOf a managed resource of any kind.
func CreationMarkOf(m Metadata) string {
	if began := m.Annotations[CreatePendingAnnotation]; began != "" {
		return began
	}

	return neverCreated
}

// asWritten says whether the VM that the provider sees has what was written of the VM that it should create. Its UUID alone proves that it is:
// name and notes may be those of the claim before an edit. A provider that once saw the VM empty never reports a UUID, so without one name and
// notes count. The disks may not all be there yet; those of a template are not known before it is cloned, and Proxmox refuses to clone into a VMID
// that is in use.
func asWritten(vm ObservedVM) bool {
	at, want := vm.Status.AtProvider, vm.Spec.ForProvider

	foreign := func(has ObservedDisk) bool {
		return !slices.ContainsFunc(want.Disk, func(d Disk) bool { return d.Interface == has.Interface && d.DatastoreID == has.DatastoreID })
	}

	if len(want.Clone) == 0 && slices.ContainsFunc(at.Disk, foreign) {
		return false
	}

	if uuidOf(at.SMBIOS) != "" && uuidOf(want.SMBIOS) != "" {
		return sameUUID(at, want)
	}

	return sameName(at, want)
}

// TakenOver says whether another VM has the VMID of a VM that exists, as far as the provider knows: the VM was deleted in Proxmox, and somebody
// made another one with the VMID, which Proxmox proposes. The provider goes by the VMID alone, and would change that VM and destroy it with the
// claim. The evidence is a UUID that is not the one that was written, beside another name or notes of another origin: who edits the UUID of a VM in
// Proxmox edits neither, and an edit of the claim does not change the UUID. A VM that somebody restored from a backup is no other VM: `qmrestore --unique`
// makes another UUID up, and the notes are those of the backup, with a line for each disk that the backup leaves out.
func TakenOver(vm ObservedVM) bool {
	_, creating := vm.Metadata.Annotations[CreatingAnnotation]
	at, want := vm.Status.AtProvider, vm.Spec.ForProvider

	if creating || vm.ObserveOnly() || at.ID == "" || uuidOf(at.SMBIOS) == "" || uuidOf(want.SMBIOS) == "" {
		return false
	}

	return !sameUUID(at, want) && (at.Name != want.Name || !sameOrigin(at.Description, want.Description))
}

// originLine is how the notes of a VM say which claim it was made for: see [machine.Identity.Origin].
var originLine = regexp.MustCompile(`(?m)^\S+ \S+ \(homelab\.io`)

// sameOrigin says whether notes name the claim that the written ones end with; where these name none, whether they are the same.
func sameOrigin(notes, written string) bool {
	if lines := originLine.FindAllString(written, -1); len(lines) > 0 {
		return slices.Contains(originLine.FindAllString(notes, -1), lines[len(lines)-1])
	}

	return strings.TrimSpace(notes) == strings.TrimSpace(written)
}

func sameUUID(at VMObservation, want VMParameters) bool {
	return strings.EqualFold(uuidOf(at.SMBIOS), uuidOf(want.SMBIOS))
}

// sameName says whether a VM has the name and the notes that were written.
func sameName(at VMObservation, want VMParameters) bool {
	return at.Name == want.Name && strings.TrimSpace(at.Description) == strings.TrimSpace(want.Description)
}

func uuidOf(s []SMBIOS) string {
	if len(s) == 0 {
		return ""
	}

	return s[0].UUID
}

// Undeletable says whether a managed resource of any kind is being created, and its deletion would leave in Proxmox what comes of it: whose that is has to be
// known before the provider may destroy it.
func Undeletable[P, S any](o Observed[P, S]) bool {
	return CreatingIn(o.Metadata.Metadata) && !MayDelete(o.Spec.ManagementPolicies)
}

// CreatingIn says whether a managed resource has the annotation of a creation.
func CreatingIn(m Metadata) bool {
	_, creating := m.Annotations[CreatingAnnotation]

	return creating
}
