package compose

import (
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// A vmCall is a call for a Machine or a K3sNode.
type vmCall struct{ call *call }

// compose is the story of a call for a VM: read what there is, make a machine of the claim, decide, and write.
func (c vmCall) compose() (known bool, err error) {
	if err := c.call.read(); err != nil {
		return false, err
	}

	boot, known, err := c.call.require()
	if err != nil || !known {
		return false, err
	}

	request := &render.Request{Situation: lifecycle.Assess(c.call.facts), Bootstrap: boot, Flavour: c.call.flavour}

	described, err := render.Describe(request)
	if err != nil {
		return false, errors.Wrap(err, "cannot render machine")
	}

	plan, known, err := c.call.decide(request, described.Description)
	if err != nil || !known {
		return false, err
	}

	if err := checkAdoption(c.call, plan); err != nil {
		return false, err
	}

	if l := plan.Check; l != nil {
		withhold(c.call, l.Outcome, &l.Withheld, &l.Name, &l.Node)
	}

	rendered := render.Write(request, plan, described)

	report := status.Machine(status.Input{
		Machine: plan.Machine, Bootstrap: boot, Plan: plan, Desired: rendered.Desired, State: c.call.facts.Observed, Paused: rendered.Paused,
		Previous: c.call.previous, Spec: c.call.written,
	})

	if err := c.call.respond(plan, rendered, report); err != nil {
		return false, err
	}

	c.call.planned = plan

	return true, nil
}
