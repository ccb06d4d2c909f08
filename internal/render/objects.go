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
		out[name] = w.object(step, w.Objects.Observed[name])
	}

	return out
}

// object of a Node. One that must delete nothing any more stays as it was written but for its policies.
func (w writer) object(step lifecycle.NodeObject, o object.Observed) object.Object {
	flavour, config, m := w.objectFlavour(), w.Machine.K3s.NodesConfig, w.metadata()

	if step.VM == "" {
		return object.NewReading(flavour, config, step.Node, m)
	}

	// The other servers look for the Object that reads a Node, by these.
	delete(m.Labels, proxmox.ClusterLabel)
	delete(m.Labels, proxmox.K3sRoleLabel)
	m.Labels[node.UIDLabel] = w.Machine.Identity.UUID(step.VM)

	if step.Delete {
		return object.NewDeletion(flavour, config, step.Node, m)
	}

	out := o.Retained(m)
	out.Spec.ManagementPolicies = proxmox.ObserveOnly()

	return out
}

func (w writer) objectFlavour() object.Flavour {
	if w.Flavour.Name == proxmox.Namespaced.Name {
		return object.Namespaced
	}

	return object.Cluster
}

// jobs that drain or uncordon Nodes, by composed resource name; nil where there are none. A Job cannot be changed: what exists stays as it was
// written.
func (w writer) jobs() map[string]object.Of[object.Job] {
	if len(w.plan.Drain.Jobs) == 0 {
		return nil
	}

	out := make(map[string]object.Of[object.Job], len(w.plan.Drain.Jobs))

	for name, work := range w.plan.Drain.Jobs {
		m := w.metadata()

		// The other servers look for the Object that reads a Node, by these.
		delete(m.Labels, proxmox.ClusterLabel)
		delete(m.Labels, proxmox.K3sRoleLabel)

		if o, there := w.Objects.Jobs[name]; there {
			out[name] = o.Retained(m)
			continue
		}

		out[name] = object.NewJob(w.objectFlavour(), w.Machine.K3s.NodesConfig, work, m)
	}

	return out
}

// RetainJobs as they were last written, for a call that cannot decide yet.
func RetainJobs(observed map[string]object.ObservedJob) map[string]object.Of[object.Job] {
	out := make(map[string]object.Of[object.Job], len(observed))
	for name, o := range observed {
		out[name] = o.Retained(ours(o.Metadata.Metadata))
	}

	return out
}

// RetainObjects as they were last written, for a call that cannot decide yet.
func RetainObjects(observed map[string]object.Observed) map[string]object.Object {
	out := make(map[string]object.Object, len(observed))
	for name, o := range observed {
		out[name] = o.Retained(ours(o.Metadata.Metadata))
	}

	return out
}
