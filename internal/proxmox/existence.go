package proxmox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Found says whether the provider knows the resource: it exists, the last poll succeeded, and it has an external name.
// Ready alone means only that the resource existed at some time.
func (o Observed[P, S]) Found() bool {
	return o.Is(ConditionReady) && o.Is(ConditionSynced) && o.Metadata.ExternalName() != "" && !o.Renamed
}

// Absent says whether the provider searched for the resource by its external name, and found none. Only this message means
// so: after any other error the resource may exist.
func (o Observed[P, S]) Absent() bool { return o.FoundNone() && o.Fresh(ConditionSynced) }

// FoundNone says whether the provider's last answer was that there is none, also if the manifest changed since.
func (o Observed[P, S]) FoundNone() bool {
	c := o.Condition(ConditionSynced)

	return c.IsFalse() && strings.HasSuffix(strings.TrimSpace(c.Message), "external resource does not exist")
}

// Undated says whether the provider does not report the generation that condition Synced is about. Releases before v1.0.0 do
// not, so the condition may be about an earlier generation.
func (o Observed[P, S]) Undated() bool { return o.Condition(ConditionSynced).ObservedGeneration == 0 }

// Silent says whether the provider found a VM and could not read it, since the guest agent did not answer before the timeout.
func Silent(vm ObservedVM) bool {
	c := vm.Condition(ConditionSynced)

	return c.IsFalse() && vm.Fresh(ConditionSynced) && strings.Contains(c.Message, "Refreshing state... [id=") && !strings.Contains(c.Message, "Error:")
}

// Unreadable says whether the provider knows from the Proxmox cluster that something has the VMID, and could not read it: its token may not, or the node
// that has it does not answer. The provider asks for a VM only where the cluster's list has its VMID, and that list has containers, too (bpg v0.111.1,
// GetVMNodeName in proxmox/cluster/cluster.go and GetVM in proxmox/nodes/vms/vms.go).
func Unreadable(vm ObservedVM) bool {
	c := vm.Condition(ConditionSynced)

	return c.IsFalse() && vm.Fresh(ConditionSynced) && strings.Contains(c.Message, "error retrieving VM ")
}

// Denied says whether the provider could not read what has a VMID since its token may not.
func Denied(vm ObservedVM) bool {
	return Unreadable(vm) && strings.Contains(vm.Condition(ConditionSynced).Message, "HTTP 403")
}

// Present says whether the provider has read a VM that it may only observe.
func Present(vm ObservedVM) bool {
	return vm.Is(ConditionSynced) && vm.Fresh(ConditionSynced) && vm.Is(ConditionReady) && vm.Status.AtProvider.ID != ""
}

// anotherVM says whether status.atProvider describes another VM: the provider leaves the result of a VMID check there until it
// reads the VM itself.
func anotherVM(o ObservedVM) bool {
	at, name := o.Status.AtProvider.ID, o.Metadata.ExternalName()
	if at == "" || o.ObserveOnly() {
		return false
	}

	seen := o.Metadata.Annotations[SeenInCheckAnnotation]
	if seen != "" && !o.Resting() && !seenSinceCheck(o) {
		return true
	}

	// The provider reports that a VM is there one look before it reports which one.
	if seen == SeenInCheck(o.Status.AtProvider) && !asWritten(o) {
		return true
	}

	// The provider goes by the external name. A VMID beside it that somebody edited says nothing of what is there.
	if name != "" {
		return name != at
	}

	id := o.Spec.ForProvider.VMID

	return id != nil && strconv.FormatInt(*id, 10) != at
}

// SeenInCheck is the value of [SeenInCheckAnnotation] for a VM that a check saw: a hash of what tells it from another VM that has
// the VMID later.
func SeenInCheck(at VMObservation) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %v", at.Name, at.Description, uuidOf(at.SMBIOS), at.Disk))

	return hex.EncodeToString(h[:5])
}

// seenSinceCheck says whether the provider, which is to create a VM, has found one since the VMID was checked: a VM that it can
// read, also where it reports that it cannot make the VM that is wanted of it.
func seenSinceCheck(o ObservedVM) bool {
	return o.Metadata.Annotations[CreatingAnnotation] != "" && o.Is(ConditionReady) && o.Fresh(ConditionSynced) && !o.Absent() && !o.Working()
}

// Resting says whether the provider has applied the whole spec, and does nothing now.
func (o Observed[P, S]) Resting() bool {
	return o.Is(ConditionReady) && o.Is(ConditionSynced) && o.Fresh(ConditionSynced) && !o.Working()
}

// Working says whether the provider creates, changes or deletes the resource at this moment.
func (o Observed[P, S]) Working() bool {
	c := o.Condition(ConditionAsync)

	return c.IsFalse() && c.Reason == ReasonOngoing
}

// WriteFailed says whether the provider's last create, update or delete failed. The condition can stay False long after a
// recovery.
func (o Observed[P, S]) WriteFailed() bool {
	return o.Condition(ConditionLastAsync).IsFalse()
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

// MayExist says whether the provider has created the resource, or may be creating it. It is false only after a failed
// creation: then nothing exists that could break, and the next attempt may have another spec. A provider that wrote its status while its own creation
// failed has no condition Ready, and writes none while the resource is paused.
func (o Observed[P, S]) MayExist() bool {
	ready := o.Condition(ConditionReady)
	failed := (ready.IsFalse() || ready.Status == "") && o.WriteFailed()

	return !failed || o.Working()
}

// AlreadyPresent says whether an image could not be downloaded because its file is on the datastore already. Provider
// releases that ignore the external name of a new file report this error; the file can be used.
func AlreadyPresent(f ObservedDownloadFile) bool {
	const exists = "File already exists in the datastore"

	return strings.Contains(f.Condition(ConditionSynced).Message, exists) ||
		strings.Contains(f.Condition(ConditionLastAsync).Message, exists) && !f.Is(ConditionReady)
}
