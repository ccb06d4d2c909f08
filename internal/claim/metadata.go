package claim

import "github.com/homelab-io/function-proxmox-machine/internal/proxmox"

// Remarks are warnings of what a person wrote into the metadata of a claim for a VM or container that does nothing. A node of a K3sCluster has its
// metadata from the function.
func Remarks(composite map[string]any) []string {
	annotations, _ := object(composite, "metadata")["annotations"].(map[string]any)
	if text(annotations, proxmox.ExternalNameAnnotation) == "" || IsOfCluster(composite) {
		return nil
	}

	return []string{
		"metadata.annotations[" + proxmox.ExternalNameAnnotation + "] has no effect: it is for managed resources, and a claim's are named by the function. To say the VMID, set " +
			"spec.proxmox.vmId; to take over a VM or container that exists, spec.adopt.vmId.",
	}
}
