package proxmox

import "testing"

// asked is a VM that the provider was asked to create, and which it has begun to create.
func asked(edits ...func(vm *ObservedVM)) ObservedVM {
	vm := ObservedVM{}
	vm.Metadata.Annotations = map[string]string{CreatingAnnotation: neverCreated, CreatePendingAnnotation: "2026-01-01T00:00:01Z"}
	vm.Spec.ManagementPolicies = CreatePolicies()
	vm.Spec.ForProvider = VMParameters{
		Name: "dns01", Description: "notes\n", SMBIOS: []SMBIOS{{UUID: "0A-1"}}, Disk: []Disk{{Interface: "scsi0", DatastoreID: "local-zfs"}},
	}
	vm.Status.AtProvider = VMObservation{
		ID: "100", Name: "dns01", Description: "notes", SMBIOS: []SMBIOS{{UUID: "0a-1"}}, Disk: []ObservedDisk{{Interface: "scsi0", DatastoreID: "local-zfs"}},
	}

	for _, e := range edits {
		e(&vm)
	}

	return vm
}

func withoutUUID(vm *ObservedVM)     { vm.Status.AtProvider.SMBIOS = nil }
func withAnotherUUID(vm *ObservedVM) { vm.Status.AtProvider.SMBIOS = []SMBIOS{{UUID: "ff-2"}} }
func renamed(vm *ObservedVM)         { vm.Spec.ForProvider.Name = "dns02" }

// fromBackup is a VM whose notes are these, and of which the notes of claim infra/dns01 were written.
func fromBackup(notes string) func(vm *ObservedVM) {
	return func(vm *ObservedVM) {
		vm.Spec.ForProvider.Description, vm.Status.AtProvider.Description = "New notes\n\nMachine infra/dns01 (homelab.io), managed", notes
	}
}

func unnamed(vm *ObservedVM)          { vm.Status.AtProvider.Name, vm.Status.AtProvider.Description = "", "" }
func withOneEmptyDisk(vm *ObservedVM) { vm.Status.AtProvider.Disk = []ObservedDisk{{}} }
func withoutDisks(vm *ObservedVM)     { vm.Status.AtProvider.Disk = nil }

func withAnotherDisk(vm *ObservedVM) {
	vm.Status.AtProvider.Disk = append(vm.Status.AtProvider.Disk, ObservedDisk{Interface: "sata0", DatastoreID: "tank"})
}

func TestCreationOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		vm     ObservedVM
		want   Creation
	}{
		"Ours":             {reason: "All is as written.", vm: asked(), want: CreationOurs},
		"Unseen":           {reason: "The provider has seen no VM.", vm: asked(func(vm *ObservedVM) { vm.Status.AtProvider = VMObservation{} }), want: CreationUnseen},
		"NotBegun":         {reason: "The provider made none, so this is another's.", vm: asked(func(vm *ObservedVM) { delete(vm.Metadata.Annotations, CreatePendingAnnotation) }), want: CreationForeign},
		"Lives":            {reason: "No creation is under way.", vm: asked(func(vm *ObservedVM) { delete(vm.Metadata.Annotations, CreatingAnnotation) }), want: CreationNone},
		"Edited":           {reason: "The UUID alone proves it: a creation that timed out is tried again with the claim of today.", vm: asked(renamed), want: CreationOurs},
		"Empty":            {reason: "Proxmox writes its configuration when the disks are imported.", vm: asked(unnamed, withoutUUID, withoutDisks), want: CreationUnseen},
		"EmptyDisk":        {reason: "This is how a restarted provider reports an empty VM.", vm: asked(unnamed, withoutUUID, withOneEmptyDisk), want: CreationUnseen},
		"NameFirst":        {reason: "The name comes one look before the disks.", vm: asked(withoutUUID, withOneEmptyDisk), want: CreationUnseen},
		"NoUUID":           {reason: "A provider that once saw it empty reports no UUID for good.", vm: asked(withoutUUID), want: CreationOurs},
		"NoUUIDOtherName":  {reason: "Then the name counts.", vm: asked(withoutUUID, renamed), want: CreationForeign},
		"UnreadOtherName":  {reason: "Another name is evidence without disks, too.", vm: asked(withoutUUID, withOneEmptyDisk, renamed), want: CreationForeign},
		"OtherUUID":        {reason: "Whoever copied name and notes.", vm: asked(withAnotherUUID), want: CreationForeign},
		"UnreadOtherUUID":  {reason: "It is evidence without disks, too.", vm: asked(withAnotherUUID, withOneEmptyDisk), want: CreationForeign},
		"OtherDisk":        {reason: "Whoever copied the UUID: nobody wrote this disk.", vm: asked(withAnotherDisk), want: CreationForeign},
		"OtherDiskOfClone": {reason: "Those of a template are not known.", vm: asked(withAnotherDisk, func(vm *ObservedVM) { vm.Spec.ForProvider.Clone = []Clone{{}} }), want: CreationOurs},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := CreationOf(tc.vm); got != tc.want {
				t.Errorf("%s\nwant %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

func TestTakenOver(t *testing.T) {
	living := func(edits ...func(vm *ObservedVM)) ObservedVM {
		return asked(append([]func(vm *ObservedVM){func(vm *ObservedVM) {
			delete(vm.Metadata.Annotations, CreatingAnnotation)
			vm.Spec.ManagementPolicies = Policies(DeletionDestroys)
		}}, edits...)...)
	}

	cases := map[string]struct {
		reason string
		vm     ObservedVM
		want   bool
	}{
		"Own":            {reason: "All is as written.", vm: living()},
		"Renamed":        {reason: "An edit of the claim leaves the UUID.", vm: living(renamed)},
		"NoUUID":         {reason: "That is no evidence.", vm: living(withoutUUID, renamed)},
		"OtherUUID":      {reason: "A person edited it, in Proxmox or in the managed resource; name and notes are the VM's.", vm: living(withAnotherUUID)},
		"NeverWritten":   {reason: "VMs of the first releases have no UUID of ours.", vm: living(renamed, func(vm *ObservedVM) { vm.Spec.ForProvider.SMBIOS = nil })},
		"NotRead":        {reason: "The provider reports nothing.", vm: living(renamed, func(vm *ObservedVM) { vm.Status.AtProvider = VMObservation{} })},
		"Another":        {reason: "Another UUID and another name.", vm: living(withAnotherUUID, renamed), want: true},
		"Copy":           {reason: "A clone of the VM has its notes, and a name of its own.", vm: living(withAnotherUUID, func(vm *ObservedVM) { vm.Status.AtProvider.Name = "Copy-of-VM-dns01" }), want: true},
		"Restored":       {reason: "A unique UUID, and notes of before an edit of the claim.", vm: living(withAnotherUUID, fromBackup("Old notes\n\nMachine infra/dns01 (homelab.io), managed"))},
		"OfAnotherClaim": {reason: "It is named alike in another namespace.", vm: living(withAnotherUUID, fromBackup("Machine lab/dns01 (homelab.io), managed")), want: true},
		"Unmarked":       {reason: "Notes that name no claim.", vm: living(withAnotherUUID, fromBackup("Old notes")), want: true},
		"Mentioned": {reason: "The last line is that of the function; those before it are a person's.", want: true, vm: living(withAnotherUUID, fromBackup("Machine infra/old (homelab.io) was here"), func(vm *ObservedVM) {
			vm.Spec.ForProvider.Description = "Machine infra/old (homelab.io) was here\n\n" + vm.Spec.ForProvider.Description
		})},
		"Creating": {reason: "That is another question.", vm: asked(withAnotherUUID, renamed)},
		"Observed": {reason: "It is somebody else's anyway.", vm: living(withAnotherUUID, renamed, func(vm *ObservedVM) { vm.Spec.ManagementPolicies = ObserveOnly() })},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := TakenOver(tc.vm); got != tc.want {
				t.Errorf("%s\nwant %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
