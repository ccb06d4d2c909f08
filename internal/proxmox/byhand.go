package proxmox

import (
	"maps"
	"strconv"
	"strings"
)

// putBack what tells a guest of ours from the look for a VMID, and from another guest, where somebody edited it in the managed resource: a second guest with
// its name and addresses would be made. read is the VMID of what the provider has read last, and looks says whether the function has the provider look for a
// VMID also under an external name that no import has.
func putBack[P, S any](o *Observed[P, S], read string, looks bool) {
	named := o.Metadata.ExternalName()
	if strings.Contains(named, "/") {
		return
	}

	// What was read last is under the VMID that was written last, and nothing was read under this one.
	if id := o.Metadata.Labels[VMIDLabel]; id != "" && id != named && (id == read || named == "" && read == "") {
		annotations := maps.Clone(o.Metadata.Annotations)
		if annotations == nil {
			annotations = map[string]string{}
		}

		annotations[ExternalNameAnnotation] = id
		o.Metadata.Annotations, o.Renamed, named = annotations, true, id
	}

	if _, err := strconv.ParseInt(named, 10, 64); err != nil || looks || !o.ObserveOnly() {
		return
	}

	o.Withheld, o.Spec.ManagementPolicies = true, Policies(DeletionOrphans)
	if CreatingIn(o.Metadata.Metadata) {
		o.Spec.ManagementPolicies = CreatePolicies()
	}
}

// existed says whether the managed resource of a VM notes that the VM was made, or adopted. One that looks for a VMID, or makes a VM, notes neither.
func existed(m Metadata) bool {
	return m.Annotations[CreatedAnnotation] != "" || m.Annotations[AdoptedAnnotation] != ""
}
