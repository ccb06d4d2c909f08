package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// InTheMaking says whether the provider makes a VM that is to be destroyed with its claim, and may not destroy it yet. Whether a VM is ours has to be
// known before that: a claim that is deleted meanwhile would leave the VM behind, without a claim. Where somebody has to look what became
// of the creation, nothing is waited for.
func InTheMaking(p *Plan) bool {
	for name, step := range p.Steps {
		making := step.Action == ActionCreate || proxmox.Undeletable(p.Observed.VMs[name])

		if making && step.Action != ActionRelease && p.goesWithClaim(name) && !p.Lost(name) && p.mayCome(name, step) {
			return true
		}
	}

	return false
}

// mayCome says whether a VM that is being made may come, or has come, without anybody's help.
func (p *Plan) mayCome(name string, step Step) bool {
	state := p.State
	if name != p.Roles.Described() {
		state = StateOf(p.Observed.VMs, name)
	}

	begun := state == StateCreating || state == StateLiving

	return step.Action == ActionCreate && state != StateFailed || begun && !diagnose.CutOff(p.Observed.VMs[name])
}

// goesWithClaim says whether a VM is to be destroyed when the claim is deleted.
func (p *Plan) goesWithClaim(name string) bool {
	if name == p.Roles.Described() {
		return bool(p.MayDelete())
	}

	return p.Destroys(name)
}
