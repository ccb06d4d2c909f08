package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// promotes says whether a candidate becomes the machine with this call: it lives, and is ready as it was written. A
// promoted VM stays the active one for good, whatever becomes of it later: its candidate annotation is dropped.
func (s Situation) promotes() bool {
	p := s.vm.Spec.ForProvider

	return s.State == StateLiving && proxmox.CreationOf(s.vm) == proxmox.CreationNone && Ready(s.vm, Readiness{Running: p.Started, GuestAgent: HasGuestAgent(p), Idle: true})
}
