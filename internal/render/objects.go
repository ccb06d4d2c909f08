package render

import (
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// objects of provider-kubernetes that are to be, by composed resource name; nil where there are none.
func (w writer) objects() map[string]object.Object {
	if len(w.plan.NodeObjects) == 0 {
		return nil
	}

	out := make(map[string]object.Object, len(w.plan.NodeObjects))

	for name, step := range w.plan.NodeObjects {
		out[name] = w.object(step, w.r.Objects.Observed[name])
	}

	return out
}

// object of a Node. One that must delete nothing any more stays as it was written but for its policies.
func (w writer) object(step lifecycle.NodeObject, o object.Observed) object.Object {
	flavour, config := object.FlavourOf(w.r.Flavour), w.r.Machine.K3s.NodesConfig

	if step.VM == "" {
		return object.NewReading(flavour, config, step.Node, w.r.metadata())
	}

	m := w.r.unsearched()
	m.Labels[node.UIDLabel] = w.r.Machine.Identity.UUID(step.VM)

	if step.Delete {
		return object.NewDeletion(flavour, config, step.Node, m)
	}

	out := o.Retained(m)
	out.Spec.ManagementPolicies = proxmox.ObserveOnly()

	return out
}

// jobs that drain or uncordon Nodes, by composed resource name; nil where there are none. A Job cannot be changed: what exists stays as it was
// written.
func (w writer) jobs() map[string]object.Of[object.Job] {
	if len(w.plan.Drain.Jobs) == 0 {
		return nil
	}

	out := make(map[string]object.Of[object.Job], len(w.plan.Drain.Jobs))

	for name, work := range w.plan.Drain.Jobs {
		if o, there := w.r.Objects.Jobs[name]; there {
			out[name] = o.Retained(w.r.unsearched())
			continue
		}

		out[name] = object.NewJob(object.FlavourOf(w.r.Flavour), w.r.Machine.K3s.NodesConfig, work, w.r.unsearched())
	}

	return out
}

// zones of the machine's Node: the Object that writes its label, by composed resource name; nil where there is none.
func (w writer) zones() map[string]object.Of[object.ZoneManifest] {
	is := w.plan.Zone.Object
	if is == nil {
		return nil
	}

	return map[string]object.Of[object.ZoneManifest]{
		object.NodeZone: object.NewZone(object.FlavourOf(w.r.Flavour), w.r.Machine.K3s.NodesConfig, *is, w.r.unsearched()),
	}
}

// A retainable is an Object that was found and can be written as it was.
type retainable[M any] interface {
	Given() proxmox.Metadata
	Retained(m proxmox.Metadata) object.Of[M]
}

// RetainObjects as they were last written, for a call that cannot decide yet.
func RetainObjects[M any, O retainable[M]](observed map[string]O) map[string]object.Of[M] {
	out := make(map[string]object.Of[M], len(observed))
	for name, o := range observed {
		out[name] = o.Retained(Ours(o.Given()))
	}

	return out
}
