package compose

import (
	"maps"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
	"github.com/homelab-io/function-proxmox-machine/internal/usage"
)

// Names of what the function asks Crossplane for about Objects of provider-kubernetes.
const (
	// objectSchema is the schema of the kind Object: without it, provider-kubernetes is not installed.
	objectSchema = "object"
	// serverNodesRequirement are the Objects that read the Nodes of a K3s cluster's servers.
	serverNodesRequirement = "k3s-server-nodes"
	// goingNodeRequirement is the Object with which the Node of a replaced VM goes, while it is deleted.
	goingNodeRequirement = "k3s-going-node"
)

// readObjects reads the observed Objects, and which VMs a Usage keeps.
func (c *call) readObjects() error {
	for name, r := range c.req.GetObserved().GetResources() {
		switch {
		case object.Is(name, r.GetResource()):
			o, err := object.Observe(r.GetResource())
			if err != nil {
				return errors.Wrapf(err, "cannot read observed composed resource %q", name)
			}

			if c.facts.Objects.Observed == nil {
				c.facts.Objects.Observed = map[string]object.Observed{}
			}

			c.facts.Objects.Observed[name] = o
		case object.IsJob(name, r.GetResource()):
			o, err := object.ObserveJob(r.GetResource())
			if err != nil {
				return errors.Wrapf(err, "cannot read observed composed resource %q", name)
			}

			if c.facts.Objects.Jobs == nil {
				c.facts.Objects.Jobs = map[string]object.ObservedJob{}
			}

			c.facts.Objects.Jobs[name] = o
		case usage.Is(name) && usage.VMOf(name) != "":
			if c.facts.Objects.Uses == nil {
				c.facts.Objects.Uses = map[string]bool{}
			}

			c.facts.Objects.Uses[usage.VMOf(name)] = true
		}
	}

	return nil
}

// objectFlavour is the API of the machine's Objects.
func (c *call) objectFlavour() object.Flavour {
	if c.flavour.Name == proxmox.Namespaced.Name {
		return object.Namespaced
	}

	return object.Cluster
}

// findObjectKind finds out whether the kind Object is installed: Crossplane could apply nothing of an answer with a kind that is not. A
// machine that has an Object need not ask. Crossplane before 2.2 knows no answer, and the kind counts as installed.
func (c *call) findObjectKind() (known bool) {
	if len(c.facts.Objects.Observed)+len(c.facts.Objects.Jobs) > 0 || !can(c.req, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS) {
		return true
	}

	requirements(c.rsp).Schemas = map[string]*fnv1.SchemaSelector{objectSchema: {ApiVersion: c.objectFlavour().APIVersion, Kind: object.Kind}}

	schema, known := c.req.GetRequiredSchemas()[objectSchema]
	c.facts.Objects.NoKind = known && len(schema.GetOpenapiV3().GetFields()) == 0

	return known
}

// readNodeThroughObject reads the machine's Node as provider-kubernetes read it last.
func (c *call) readNodeThroughObject(name string) (n *node.Node, sight object.Sight) {
	o, there := c.facts.Objects.Observed[object.Reading]

	switch {
	case c.facts.Objects.NoKind:
		return nil, object.SightNoKind
	case !there || o.APIVersion != c.objectFlavour().APIVersion:
		return nil, object.SightPending
	}

	return o.Sees(name)
}

// serverObjects asks for the Objects that read the Nodes of the other servers of a K3s cluster.
func (c *call) serverObjects(cluster string) (known bool, err error) {
	if known := c.findObjectKind(); !known || c.facts.Objects.NoKind {
		return known, nil
	}

	// Crossplane before 2.2 cannot answer at all if the kind is not installed. An Object of this machine shows that it is.
	if len(c.facts.Objects.Observed) == 0 && !can(c.req, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS) {
		return true, nil
	}

	items, known, err := c.objects(serverNodesRequirement, serversOf(cluster))
	if !known || err != nil {
		return known, err
	}

	servers := &c.facts.Servers
	servers.NodesRead, servers.NodesPolled, servers.Nodes = true, true, map[string]node.Node{}

	for _, vm := range servers.VMs {
		name := lifecycle.NodeNameOf(vm)

		for _, o := range items {
			if n, _ := o.Sees(name); n != nil && !o.MayDelete() && o.Metadata.DeletionTimestamp == "" {
				servers.Nodes[name] = *n
			}
		}
	}

	return true, nil
}

// findGoingNode finds out whether the Node of the VM that makes way is gone, which a call before let go: Crossplane observes no composed
// resource that is desired no more, so that the Object is asked for.
func (c *call) findGoingNode() (known bool, err error) {
	if !c.facts.AsksForGoingNode() {
		return true, nil
	}

	uid := c.facts.Machine.Identity.UUID(c.facts.Roles.Active)
	items, known, err := c.objects(goingNodeRequirement, map[string]string{node.UIDLabel: uid})
	c.facts.Objects.Going = len(items) > 0

	return known, err
}

// objects asks for Objects by label, in all namespaces.
func (c *call) objects(name string, labels map[string]string) (out []object.Observed, known bool, err error) {
	items, known := require(c.req, c.rsp, name, &fnv1.ResourceSelector{
		ApiVersion: c.objectFlavour().APIVersion,
		Kind:       object.Kind,
		Match:      &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: labels}},
	})

	for _, item := range items {
		o, err := object.Observe(item.GetResource())
		if err != nil {
			return nil, true, errors.Wrapf(err, "cannot read %s %q", object.Kind, nameOf(item.GetResource()))
		}

		out = append(out, o)
	}

	return out, known, nil
}

// writeObjects into the response. They never keep the composite from being ready: what the provider calls ready is the Node's.
func (c *call) writeObjects(objects map[string]object.Object, plan lifecycle.Plan) (map[string]step, error) {
	var steps map[string]step
	if len(objects)+len(c.facts.Objects.Observed) > 0 {
		steps = map[string]step{}
	}

	for name := range c.facts.Objects.Observed {
		steps[name] = objectRemoved(c.facts.Objects.Observed[name])
	}

	for name, o := range objects {
		m, err := object.ManifestOf(o)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot write composed resource %q", name)
		}

		steps[name] = objectStep(plan.NodeObjects[name], c.facts.Objects.Observed, name)
		c.rsp.Desired.Resources[name] = &fnv1.Resource{Resource: m, Ready: fnv1.Ready_READY_TRUE}
	}

	return steps, nil
}

// writeAllObjects into the response, and say what becomes of each.
func (c *call) writeAllObjects(rendered render.Result, plan lifecycle.Plan) (map[string]step, error) {
	out := map[string]step{}

	nodes, err := c.writeObjects(rendered.Objects, plan)
	if err != nil {
		return nil, err
	}

	jobs, err := c.writeJobs(rendered.Jobs, plan)

	maps.Copy(out, nodes)
	maps.Copy(out, jobs)

	return out, err
}

// writeJobs into the response: the Objects of Jobs that drain and uncordon Nodes.
func (c *call) writeJobs(jobs map[string]object.Of[object.Job], plan lifecycle.Plan) (map[string]step, error) {
	steps := map[string]step{}
	for name := range c.facts.Objects.Jobs {
		steps[name] = step{action: actionRemove, words: []string{"its Job has ended, or nobody waits for it; the Job stays for a day, with its log"}}
	}

	for name, o := range jobs {
		m, err := object.ManifestOf(o)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot write composed resource %q", name)
		}

		c.rsp.Desired.Resources[name] = &fnv1.Resource{Resource: m, Ready: fnv1.Ready_READY_TRUE}

		if _, there := c.facts.Objects.Jobs[name]; there {
			steps[name] = step{action: actionKeep}
			continue
		}

		does := "a Job uncordons Node "
		if plan.Drain.Jobs[name].Task == object.TaskDrain {
			does = "a Job cordons and drains Node "
		}

		steps[name] = step{action: actionCreate, words: []string{does + plan.Drain.Jobs[name].Node}}
	}

	return steps, nil
}

// objectStep is what becomes of an Object that is to be.
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

// objectRemoved is the step of an Object that is left out.
func objectRemoved(o object.Observed) step {
	s := step{action: actionRemove}
	if o.MayDelete() {
		s.words = []string{"Node " + o.NodeName() + " is deleted; if it is a server's, its member of etcd goes, too"}
	}

	return s
}

// removalReason is what a person reads who deletes a server that its cluster needs.
func removalReason(b lifecycle.Blocker) string {
	const wholeCluster = "To delete the whole cluster, first remove observe and providerConfig from its entry in the catalogue, and delete the machines then"

	if b.Reason == lifecycle.BlockedByOnlyServer {
		return "this machine is the last server of K3s cluster " + b.Cluster + ": with it the state of the cluster would be lost. " +
			"Create another server first. " + wholeCluster
	}

	return "K3s cluster " + b.Cluster + " would lose its quorum with this server: of the servers that remain, " + strings.Join(b.Names(), ", ") +
		" cannot vote now. Repair them first. " + wholeCluster
}
