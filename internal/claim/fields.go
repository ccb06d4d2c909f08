package claim

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

// KindsWith are the kinds of claims whose specs have a field, by its path below spec, such as disks[0].size, in the order of [Kinds]; none for what is no field
// of any.
func KindsWith(path string) []string {
	specs := map[string]any{
		KindMachine: v1alpha1.MachineSpec{}, KindK3sNode: v1alpha1.K3sNodeSpec{}, KindContainer: v1alpha1.ContainerSpec{},
		KindK3sCluster: v1alpha1.K3sClusterSpec{}, KindProxmoxSite: v1alpha1.ProxmoxSiteSpec{},
	}

	return slices.DeleteFunc(Kinds(), func(kind string) bool { return !strict.HasField(specs[kind], path) })
}
