package compose

import (
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// A vmCall is a call for a Machine or a K3sNode.
type vmCall struct{ *call }

// compose is the story of a call for a VM: read what there is, make a machine of the claim, decide, and write.
func (c vmCall) compose() (known bool, err error) {
	if err := c.read(); err != nil {
		return false, err
	}

	boot, known, err := c.require()
	if err != nil || !known {
		return false, err
	}

	request := &render.Request{Situation: lifecycle.Assess(c.facts), Bootstrap: boot, Flavour: c.flavour}

	described, err := render.Describe(request)
	if err != nil {
		return false, errors.Wrap(err, "cannot render machine")
	}

	plan, known, err := c.decide(request, described.Description)
	if err != nil || !known {
		return false, err
	}

	rendered := render.Write(request, &plan, described)

	report := status.Machine(status.Input{
		Machine: plan.Machine, Bootstrap: boot, Plan: &plan, Desired: rendered.Desired, State: c.facts.Observed, Paused: rendered.Paused,
		Previous: c.previous, Spec: c.written,
	})

	if err := c.respond(plan, rendered, report); err != nil {
		return false, err
	}

	c.planned = &plan

	return true, nil
}
