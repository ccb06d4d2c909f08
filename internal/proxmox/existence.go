package proxmox

import (
	"strconv"
	"strings"
)

// The types of conditions that the provider sets.
const (
	conditionReady  = "Ready"
	conditionSynced = "Synced"
	// conditionAsync is False with reason Ongoing while Terraform works on the resource.
	conditionAsync = "AsyncOperation"
	// conditionLastAsync is the outcome of the last such work. It can stay False long after all is well, so it explains a
	// failure and never means one.
	conditionLastAsync = "LastAsyncOperation"
)

const statusFalse = "False"

// Found says whether the provider knows the resource: it exists, the last look at it went well, and it has its identity.
// Ready alone means no more than that something was there at some time.
func (o Observed[P, S]) Found() bool {
	return o.Is(conditionReady) && o.Is(conditionSynced) && o.Metadata.ExternalName() != ""
}

// Made says whether there is a VM, or may be one in the making, that was made from what is written in it.
func Made(vm ObservedVM) bool { return vm.Status.AtProvider.ID != "" || vm.MayExist() }

// NumberOf a VM: what it was made with, or what Proxmox gave it; 0 while it has none.
func NumberOf(vm ObservedVM) int64 {
	if id := vm.Spec.ForProvider.VMID; id != nil {
		return *id
	}

	id, err := strconv.ParseInt(vm.Status.AtProvider.ID, 10, 64)
	if err != nil {
		return 0
	}

	return id
}

// MayExist says whether something was made of the resource, or may be in the making. It is false only where the provider
// says that making it failed: then nothing is there that could break, and the resource may still become something else.
func (o Observed[P, S]) MayExist() bool {
	failed := o.Condition(conditionReady).Status == statusFalse && o.Condition(conditionLastAsync).Status == statusFalse
	working := o.Condition(conditionAsync)

	return !failed || working.Status == statusFalse && working.Reason == "Ongoing"
}

// AlreadyPresent says whether an image could not be downloaded because its file is on the datastore already. Provider
// releases that do not heed the external name of a new file end here; the file is as good as any.
func AlreadyPresent(f ObservedDownloadFile) bool {
	const exists = "File already exists in the datastore"

	return strings.Contains(f.Condition(conditionSynced).Message, exists) ||
		strings.Contains(f.Condition(conditionLastAsync).Message, exists) && !f.Is(conditionReady)
}
