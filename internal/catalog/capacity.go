package catalog

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
)

// CapacityMiB is the memory of a node for VMs, without its reserve. known is false where the catalogue does not tell it, or where it tells
// something that cannot be.
func CapacityMiB(n v1alpha1.Node) (capacity int64, known bool) {
	all, err := quantity.MemoryMiB(n.Memory)
	if err != nil {
		return 0, false
	}

	if n.Reserve == "0" {
		return all, true
	}

	reserve, err := quantity.MemoryMiB(cmp.Or(n.Reserve, DefaultReserve))
	if err != nil || reserve >= all {
		return 0, false
	}

	return all - reserve, true
}

// HasInventory says whether the catalogue tells the memory of one of a site's nodes.
func (s Site) HasInventory() bool {
	for _, n := range s.Nodes {
		if _, known := CapacityMiB(n); known {
			return true
		}
	}

	return false
}
