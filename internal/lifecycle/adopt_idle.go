package lifecycle

import (
	"fmt"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// A Present is the VM or container that a claim has.
type Present struct {
	Guest   string // VM or container.
	VMID    int64  // 0 where nobody knows it yet, and where there is none.
	Adopted bool   // Somebody else made it, and the claim took it over.
}

// IdleAdopt is a warning of a claim whose spec.adopt takes over nothing, since the claim has a VM or container already. Empty where the claim adopts nothing,
// and where it has taken over the very VM: people may leave adopt in the claim.
func IdleAdopt(claimed *v1alpha1.Adopt, has Present) string {
	switch {
	case claimed == nil || has.VMID == 0 || has.Adopted && claimed.VMID == has.VMID:
		return ""
	case claimed.VMID == has.VMID:
		return fmt.Sprintf("spec.adopt has no effect: %s %d was made for this claim already. Leave adopt out.", has.Guest, has.VMID)
	default:
		return fmt.Sprintf("spec.adopt.vmId has no effect: the claim has %[1]s %[2]d already, and takes over no other one. To take over %[1]s %[3]d, write a claim of another name "+
			"with this adopt; here, leave adopt out.", has.Guest, has.VMID, claimed.VMID)
	}
}
