package claim

// ExternalName is the annotation by which Crossplane's managed resources know what exists outside.
const ExternalName = "crossplane.io/external-name"

// Remarks are warnings of what a person wrote into the metadata of a claim for a VM or container that does nothing. A node of a K3sCluster has its
// metadata from the function.
func Remarks(composite map[string]any) []string {
	annotations, _ := object(composite, "metadata")["annotations"].(map[string]any)
	if text(annotations, ExternalName) == "" || IsOfCluster(composite) {
		return nil
	}

	return []string{
		"metadata.annotations[" + ExternalName + "] has no effect: it is for managed resources, and a claim's are named by the function. To say the VMID, set " +
			"spec.proxmox.vmId; to take over a VM or container that exists, spec.adopt.vmId.",
	}
}
