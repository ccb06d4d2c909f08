package rehearse

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// beat lets the guests say how they are: those with K3s, and those of NixOS machines, which converge unless they were observed to have come to something else.
func beat(c *world.Cluster) {
	c.Beat(nil)

	for _, m := range c.Machines {
		if m.Spec()["nix"] == nil || world.Object(m.Spec()["bootstrap"])["report"] == string(v1alpha1.ReportNone) {
			continue
		}

		for _, vm := range m.Proxmox.VMs {
			if world.Owns(m, vm) && vm.Running != nil {
				vm.Report = cmp.Or(vm.Report, "nix-ok")
			}
		}
	}
}
