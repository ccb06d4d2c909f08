package compose

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// addObjectSteps says what becomes of the Objects of Nodes and Jobs.
func addObjectSteps(to map[string]step, rendered render.Result, plan *lifecycle.Plan) {
	for name, o := range plan.Objects.Observed {
		to[name] = objectRemoved(o)
	}

	for name := range rendered.Objects {
		to[name] = objectStep(plan.NodeObjects[name], plan.Objects.Observed, name)
	}

	if plan.Objects.Plan != nil {
		words := "system-upgrade-controller is done with Node " + plan.Node.Name + ", or is not to upgrade it"
		to[object.NodePlan] = step{action: actionRemove, words: []string{words}}
	}

	for name := range rendered.Plans {
		to[name] = planStep(plan)
	}

	if was := plan.Objects.Zone; was != nil {
		to[object.NodeZone] = step{action: actionRemove, words: []string{"the zone label of Node " + was.Zone().Node + " stays as it is"}}
	}

	for name := range rendered.Zones {
		to[name] = zoneStep(*plan.Zone.Object, plan.Objects.Zone)
	}

	for name := range plan.Objects.Jobs {
		to[name] = step{action: actionRemove, words: []string{"its Job has ended, or nobody waits for it; the Job stays for a day, with its log"}}
	}

	for name := range rendered.Jobs {
		_, there := plan.Objects.Jobs[name]
		to[name] = jobStep(plan.Drain.Jobs[name], there)
	}
}

// objectStep is what becomes of an Object of a Node that is to be.
func objectStep(is lifecycle.NodeObject, observed map[string]object.Observed, name string) step {
	was, there := observed[name]

	switch {
	case !there && is.Delete:
		return step{action: actionCreate, words: []string{"Node " + is.Node + " goes when this Object is deleted"}}
	case !there:
		return step{action: actionCreate}
	case was.MayDelete() && !is.Delete:
		return step{action: actionChange, words: []string{"Node " + is.Node + " does not go with this Object any more, because it is not proven to be the VM"}}
	case was.MayDelete() != is.Delete || was.NodeName() != is.Node:
		return step{action: actionChange}
	}

	return step{action: actionKeep}
}

// objectRemoved is the step of an Object of a Node that is left out.
func objectRemoved(o object.Observed) step {
	s := step{action: actionRemove}
	if o.MayDelete() {
		s.words = []string{"Node " + o.NodeName() + " is deleted; if it is a server's, its member of etcd goes, too"}
	}

	return s
}

// planStep is what becomes of the Object of a Plan that is to be.
func planStep(plan *lifecycle.Plan) step {
	is, was := plan.Upgrade, plan.Objects.Plan
	s := step{action: actionKeep}

	switch {
	case was == nil:
		s.action = actionCreate
	case is.Plan.Effect == lifecycle.PlanLeaves, was.Version() != is.Plan.Release,
		slices.Contains(was.Nodes(), plan.Node.Name) != (is.Plan.Effect == lifecycle.PlanUpgrades):
		s.action = actionChange
	}

	if is.State == lifecycle.UpgradeRunning {
		s.words = []string{"system-upgrade-controller upgrades K3s on Node " + plan.Node.Name + " to " + is.Release + "; the VM stays"}
	}

	return s
}

// jobStep is what becomes of the Object of a Job that is to be.
func jobStep(is object.Work, there bool) step {
	switch {
	case there:
		return step{action: actionKeep}
	case is.Task == object.TaskDrain:
		return step{action: actionCreate, words: []string{"a Job cordons and drains Node " + is.Node}}
	}

	return step{action: actionCreate, words: []string{"a Job uncordons Node " + is.Node}}
}

// zoneStep is what becomes of the Object that writes the zone label of a Node.
func zoneStep(is object.Zone, was *object.ObservedZone) step {
	s := step{words: []string{"Node " + is.Node + " is labelled with " + node.ZoneLabel + "=" + is.Zone}}

	switch {
	case was == nil:
		s.action = actionCreate
	case was.Zone() != is:
		s.action = actionChange
	default:
		return step{action: actionKeep}
	}

	return s
}
