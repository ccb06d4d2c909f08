package claim

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// ExternalNamePath is where a person writes an external name into a claim.
const ExternalNamePath = "metadata.annotations[" + proxmox.ExternalNameAnnotation + "]"

// Remarks are warnings of what a person wrote into the metadata of a claim that does nothing.
func Remarks(composite map[string]any) []string {
	if why := IdleExternalName(composite); why != "" {
		return []string{ExternalNamePath + " " + why}
	}

	return nil
}

// IdleExternalName says that the external name of a claim or a composite does nothing, and what does what is most likely meant; empty where there is none. A
// node of a K3sCluster has its metadata from the function.
func IdleExternalName(composite map[string]any) string {
	annotations, _ := object(composite, "metadata")["annotations"].(map[string]any)
	if text(annotations, proxmox.ExternalNameAnnotation) == "" || IsOfCluster(composite) {
		return ""
	}

	const no = "has no effect: it is for managed resources, and a claim's are named by the function. "

	switch strings.TrimPrefix(text(composite, "kind"), "X") {
	case KindK3sCluster:
		return no + "To say a node's VMID, set spec.nodes[].vmId; to take over a VM that exists, spec.nodes[].adoptVm.vmId."
	case KindProxmoxSite:
		return no + "What exists in Proxmox, and the claim did not create, stays as it is."
	default:
		return no + "To say the VMID, set spec.proxmox.vmId; to take over a VM or container that exists, spec.adopt.vmId."
	}
}
