package compose

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// reservationOf an amount for a composed VM or container, as others of its tenant see it.
func reservationOf(name string, size tenancy.Amount) string {
	return proxmox.Reservation{VM: name, MemoryMiB: size.MemoryMiB, Cores: size.Cores, DiskGiB: size.DiskGiB}.String()
}
