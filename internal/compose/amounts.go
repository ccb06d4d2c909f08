package compose

import (
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// wantsOf a claim: what it says itself.
func wantsOf(m *machine.Machine, diskGiB int64) tenancy.Amount {
	return tenancy.Amount{Machines: 1, Cores: m.Cores, MemoryMiB: m.MemoryMiB, DiskGiB: diskGiB}
}

// reservationOf an amount for a composed VM or container, as others of its tenant see it.
func reservationOf(name string, size tenancy.Amount) string {
	return proxmox.Reservation{VM: name, MemoryMiB: size.MemoryMiB, Cores: size.Cores, DiskGiB: size.DiskGiB}.String()
}
