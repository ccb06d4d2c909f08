package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
)

// follow decides about an existing VM: it follows its claim as far as the provider can change it in place.
func (p *Plan) follow(d Description) {
	made := change.AsMade(p.vm)
	guarded := change.Guard(d.Parameters, made, p.circumstances(d))

	p.Held = slices.Concat(guarded.Held, p.otherProviderConfig(d))

	step := Step{Action: ActionFollow, MayDelete: p.MayDelete(), Parameters: guarded.VM}
	step.RunsWith = p.pending(guarded)
	step.Power = p.power(guarded.VM)
	p.Restarting = step.Power.Restarting

	p.Steps[p.Roles.Described()] = step
}

// otherProviderConfig is the change that another site would be: with another provider configuration the managed resource would
// stand for another VM, so a living VM keeps its own.
func (p *Plan) otherProviderConfig(d Description) []change.Change {
	has, wanted := p.vm.Spec.ProviderConfigRef, d.ProviderConfigRef
	if has == wanted {
		return nil
	}

	const which = "provider configuration "

	return []change.Change{{Field: "spec.proxmox.site", Has: which + has.Name, Wanted: which + wanted.Name, Effect: change.Refused}}
}
