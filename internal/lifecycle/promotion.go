package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// promotes says whether a candidate becomes the machine with this call: it runs, and is ready. That holds for a machine that is
// to be stopped, too: the VM that it replaces may be destroyed, so the candidate has to have booted once. A promoted VM stays the
// active one for good, whatever becomes of it later: its candidate annotation is dropped.
func (s Situation) promotes() bool {
	agent := HasGuestAgent(s.vm.Spec.ForProvider)

	return s.State == StateLiving && proxmox.CreationOf(s.vm) == proxmox.CreationNone && Ready(s.vm, Readiness{Running: true, GuestAgent: agent, Idle: true})
}
