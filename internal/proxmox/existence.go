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

// Absent says whether the provider looked for the resource under its external name, and found nothing. Only these words
// mean that: everything else that goes wrong leaves the question open.
func (o Observed[P, S]) Absent() bool {
	c := o.Condition(conditionSynced)

	return c.Status == statusFalse && o.Fresh(conditionSynced) && strings.HasSuffix(strings.TrimSpace(c.Message), "external resource does not exist")
}

// Undated says whether the provider does not tell which generation of the resource it speaks of, as releases before v1.0.0 do
// not. Its answer may be one to an earlier question then.
func (o Observed[P, S]) Undated() bool { return o.Condition(conditionSynced).ObservedGeneration == 0 }

// Silent says whether the provider looked for a VM, found it, and could not read it: it waited for a guest agent that does
// not answer until its time was over, or it may not read this one.
func Silent(vm ObservedVM) bool {
	c := vm.Condition(conditionSynced)
	if c.Status != statusFalse || !vm.Fresh(conditionSynced) {
		return false
	}

	waited := strings.Contains(c.Message, "Refreshing state... [id=") && !strings.Contains(c.Message, "Error:")

	return waited || strings.Contains(c.Message, "error retrieving VM ")
}

// Present says whether the provider looked at a VM that it may only look at, and read it.
func Present(vm ObservedVM) bool {
	return vm.Is(conditionSynced) && vm.Fresh(conditionSynced) && vm.Is(conditionReady) && vm.Status.AtProvider.ID != ""
}

// anotherVM says whether what is reported of a VM is about another one: the provider leaves what it saw in a look where it is
// until it sees something else.
func anotherVM(o ObservedVM) bool {
	at, name := o.Status.AtProvider.ID, o.Metadata.ExternalName()
	if at == "" || o.ObserveOnly() {
		return false
	}

	if o.Metadata.Annotations[SeenInCheckAnnotation] != "" && !o.Resting() && !seenSinceCheck(o) {
		return true
	}

	// The provider goes by the external name. A VMID beside it that somebody edited says nothing of what is there.
	if name != "" {
		return name != at
	}

	id := o.Spec.ForProvider.VMID

	return id != nil && strconv.FormatInt(*id, 10) != at
}

// seenSinceCheck says whether the provider, which is to create a VM, has found one since the VMID was checked: a VM that it can
// read, also where it reports that it cannot make the VM that is wanted of it.
func seenSinceCheck(o ObservedVM) bool {
	return o.Metadata.Annotations[CreatingAnnotation] != "" && o.Is(conditionReady) && o.Fresh(conditionSynced) && !o.Absent() && !o.Working()
}

// Resting says whether the provider has done all that is written in the resource, and does nothing now.
func (o Observed[P, S]) Resting() bool {
	return o.Is(conditionReady) && o.Is(conditionSynced) && o.Fresh(conditionSynced) && !o.Working()
}

// Working says whether the provider creates, changes or deletes the resource at this moment.
func (o Observed[P, S]) Working() bool {
	c := o.Condition(conditionAsync)

	return c.Status == statusFalse && c.Reason == "Ongoing"
}

// WriteFailed says whether the last thing that the provider wrote, or tried to, failed. It can stay so long after all is well.
func (o Observed[P, S]) WriteFailed() bool {
	return o.Condition(conditionLastAsync).Status == statusFalse
}

// VMIDOf a VM: what the provider knows it by, what it was made with, or what Proxmox gave it; 0 while it has none. The external name
// comes first: the provider finds the VM by it, also where somebody edited the parameters.
func VMIDOf(vm ObservedVM) int64 {
	if id, err := strconv.ParseInt(vm.Metadata.ExternalName(), 10, 64); err == nil && !vm.ObserveOnly() {
		return id
	}

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
	failed := o.Condition(conditionReady).Status == statusFalse && o.WriteFailed()

	return !failed || o.Working()
}

// AlreadyPresent says whether an image could not be downloaded because its file is on the datastore already. Provider
// releases that do not heed the external name of a new file end here; the file is as good as any.
func AlreadyPresent(f ObservedDownloadFile) bool {
	const exists = "File already exists in the datastore"

	return strings.Contains(f.Condition(conditionSynced).Message, exists) ||
		strings.Contains(f.Condition(conditionLastAsync).Message, exists) && !f.Is(conditionReady)
}
