package cluster

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// claimedTwice refuses an address, a MAC address or a VMID that the claim gives to two nodes: both VMs are to be there at once.
func claimedTwice(at *field.Path, all []v1alpha1.ClusterNode) (errs field.ErrorList) {
	first := map[string]string{}

	for i, n := range all {
		for _, c := range []struct {
			name, value string
			key         any // As [identityOf] compares it.
		}{{"ip", n.IP, address(n.IP)}, {"mac", n.MAC, upper(n.MAC)}, {"vmId", vmIDOf(n), vmIDOf(n)}} {
			key := fmt.Sprint(c.name, " ", c.key)

			switch other, twice := first[key]; {
			case c.value == "":
			case twice:
				errs = append(errs, field.Invalid(at.Index(i).Child(c.name), message.Excerpt(c.value),
					"is what this claim gives "+other+", too: two VMs cannot have it at once"))
			default:
				first[key] = n.Name
			}
		}
	}

	return errs
}

func vmIDOf(n v1alpha1.ClusterNode) string {
	if n.VMID == nil {
		return ""
	}

	return fmt.Sprint(*n.VMID)
}
