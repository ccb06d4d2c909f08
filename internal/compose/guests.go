package compose

import (
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// containerKindRequirement is the definition of the provider's kind of containers.
const containerKindRequirement = "container-kind"

// vms asks for managed resources of VMs by label, in all namespaces.
func (c *call) vms(name string, labels map[string]string) ([]proxmox.ObservedVM, bool, error) {
	out, known, err := requireByLabels(c, name, c.flavour.VMAPIVersion(), proxmox.VMKind, labels, proxmox.ObserveVM)
	c.seen = append(c.seen, out...)

	return out, known, err
}

// vmIDLabel selects what has a VMID.
func vmIDLabel(id int64) map[string]string {
	return map[string]string{proxmox.VMIDLabel: strconv.FormatInt(id, 10)}
}

// containersOf asks for managed resources of containers by label, in all namespaces. Nothing waits for the answer: Crossplane calls again with it before
// it applies anything. Crossplane would fail to list a kind that is not served, as where somebody activates only the provider's kinds that VMs need;
// so the kind's definition is asked for first, and without it there are no containers.
func containersOf(c *call, name string, labels map[string]string) ([]proxmox.ObservedContainer, error) {
	if !c.flavour.StartsContainers() {
		return nil, nil
	}

	crd, version := c.flavour.ContainerDefinition()
	if missing, known := isMissing(c, containerKindRequirement, crd, version); missing || !known {
		return nil, nil
	}

	out, _, err := requireByLabels(c, name, c.flavour.ContainerAPIVersion(), proxmox.ContainerKind, labels, proxmox.ObserveContainer)

	return out, err
}

// vmIDBefore is the VMID that the status of a machine still names of whose VM there is no managed resource any more; 0 for any other. Somebody removed the
// managed resource, or restored a backup of the cluster that has none.
func vmIDBefore(named *int64, guests int) int64 {
	if named == nil || guests > 0 {
		return 0
	}

	return *named
}
