package lifecycle

// rival is the machine's VM that is to replace the active one no more, and may still run under the same name and with the same addresses, by composed
// resource name; empty where there is none. No other VM of the machine may start beside it: that would be two members of etcd with one name, or two hosts
// with one address. One on a Proxmox node that does not answer is a rival until a person says that the node is lost.
func (r Request) rival() string {
	for _, name := range r.Roles.Retired {
		vm := r.Observed.VMs[name]
		runs := vm.Spec.ForProvider.Started || powerKnown(vm) && vm.Status.AtProvider.Started

		if runs && Lives(r.Observed.VMs, name) && !r.Lost(name) {
			return name
		}
	}

	return ""
}

// Rival is the VM that was to replace the active one, by composed resource name, while the active one stays stopped until that one is gone; empty for none.
func (p *Plan) Rival() string {
	if step := p.Steps[p.Roles.Active]; step.Action != ActionFollow || step.Power.StoppedFor != StoppedForReplacement {
		return ""
	}

	return p.rival()
}
