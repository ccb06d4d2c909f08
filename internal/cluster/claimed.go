package cluster

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// claimedTwice refuses an address, a MAC address or a VMID that the claim gives to two nodes: both VMs are to be there at once.
func claimedTwice(spec v1alpha1.K3sClusterSpec) (errs field.ErrorList) {
	type identity struct {
		kind  claim.IdentityKind
		value string
	}

	first := map[identity]string{}

	for _, i := range (claim.Claim{K3sCluster: &spec}).Identities("") {
		key := identity{i.Kind, i.Value}

		if other, twice := first[key]; twice {
			errs = append(errs, field.Invalid(i.Path, message.Excerpt(i.Typed), "is what this claim gives "+other+", too: two VMs cannot have it at once"))
		} else {
			first[key] = i.Of
		}
	}

	return errs
}
