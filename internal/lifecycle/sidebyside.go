package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// RunsSideBySide says whether two VMs of a machine can run at the same time. They cannot where they would share an address,
// a device of the node, or a node name in K3s.
func RunsSideBySide(m *machine.Machine) bool {
	if m.K3s != nil || len(m.PCI) > 0 || len(m.USB) > 0 {
		return false
	}

	for _, n := range m.NICs {
		if n.MAC != "" || n.IPv4.Method == machine.MethodStatic || n.IPv6.Method == machine.MethodStatic {
			return false
		}
	}

	return true
}
