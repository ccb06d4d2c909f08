package compose

import (
	"reflect"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// addAvailability says what becomes of the HA resources of VMs.
func addAvailability(to map[string]step, plan *lifecycle.Plan, desired proxmox.Desired) {
	for vm, ha := range plan.Availability.Steps {
		name := proxmox.HAResourceOf(vm)

		s, has := to[name], plan.Observed.HAResources[name]
		if s.action == actionKeep && !reflect.DeepEqual(has.Spec.ForProvider, desired.HAResources[name].Spec.ForProvider) {
			s.action = actionChange
		}

		s.words = append(s.words, haWords(plan, ha))
		to[name] = s
	}
}

func haWords(plan *lifecycle.Plan, ha lifecycle.HAStep) string {
	switch {
	case ha.Writing == lifecycle.HALooks:
		return "the provider looks whether Proxmox's HA manager has the VM already: what its entry has that no claim says stays"
	case ha.State == proxmox.HAIgnored && plan.Availability.Holds:
		return "Proxmox's HA manager is to ignore the VM, before the provider stops it"
	case ha.State == proxmox.HAIgnored:
		return "Proxmox's HA manager ignores the VM while the provider stops it and starts it again"
	case ha.State == proxmox.HAStopped:
		return "Proxmox's HA manager keeps the VM stopped"
	default:
		return "Proxmox's HA manager keeps the VM running"
	}
}
