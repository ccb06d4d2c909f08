package change

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// clone copies a VM as deep as the rules write.
func clone(p proxmox.VMParameters) proxmox.VMParameters {
	p.Agent = slices.Clone(p.Agent)
	p.CPU = slices.Clone(p.CPU)
	p.Memory = slices.Clone(p.Memory)
	p.Disk = slices.Clone(p.Disk)
	p.NetworkDevice = slices.Clone(p.NetworkDevice)
	p.HostPCI = slices.Clone(p.HostPCI)
	p.USB = slices.Clone(p.USB)
	p.Initialization = slices.Clone(p.Initialization)

	for i := range p.Initialization {
		p.Initialization[i].DNS = slices.Clone(p.Initialization[i].DNS)
		p.Initialization[i].IPConfig = slices.Clone(p.Initialization[i].IPConfig)
	}

	return p
}
