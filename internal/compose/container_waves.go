package compose

import (
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/container"
)

// group reads what the status says of the container's place in its group, and asks for the other containers where one waited before.
func (c containerCall) group(cat catalog.Catalog) (known bool, err error) {
	c.call.facts.Intent = claim.Intent(c.call.composite)
	waver(c).remember(cat)

	return waver(c).askWhere(false)
}

// decideInGroup decides, and once more with the other containers of the group, where something is to begin that may have to wait for them.
func (c containerCall) decideInGroup(r container.Request) (plan container.Plan, known bool, err error) {
	r.Rollout, r.Intent = c.call.facts.Rollout, c.call.facts.Intent

	plan, err = c.decide(r)
	if err != nil || !plan.Turn.AsksGroup {
		return plan, true, err
	}

	if known, err := waver(c).ask(); err != nil || !known {
		return plan, false, err
	}

	r.Rollout = c.call.facts.Rollout
	plan, err = c.decide(r)

	return plan, true, err
}
