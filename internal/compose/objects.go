package compose

import (
	"google.golang.org/protobuf/types/known/structpb"

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
	// objectKindRequirement is the definition of the kind Object: without it, provider-kubernetes is not installed.
	objectKindRequirement = "object-kind"
	// serverNodesRequirement are the Objects that read the Nodes of a K3s cluster's servers.
	serverNodesRequirement = "k3s-server-nodes"
	// goingNodeRequirement is the Object with which the Node of a replaced VM goes, while it is deleted.
	goingNodeRequirement = "k3s-going-node"
)

// readObjects reads the observed Objects, and which VMs a Usage keeps.
func (c *call) readObjects() error {
	is := &c.facts.Objects

	for name, r := range c.req.GetObserved().GetResources() {
		var err error

		switch {
		case object.Is(name, r.GetResource()):
			is.Observed, err = readInto(is.Observed, name, r.GetResource())
		case name == object.NodePlan:
			var plan object.ObservedPlan
			plan, err = object.Read[object.ObservedPlan](r.GetResource())
			is.Plan, err = &plan, errors.Wrapf(err, "cannot read observed composed resource %q", name)
		case name == object.NodeZone:
			var zone object.ObservedZone
			zone, err = object.Read[object.ObservedZone](r.GetResource())
			is.Zone, err = &zone, errors.Wrapf(err, "cannot read observed composed resource %q", name)
		case object.IsJob(name, r.GetResource()):
			is.Jobs, err = readInto(is.Jobs, name, r.GetResource())
		case usage.Is(name) && usage.VMOf(name) != "":
			if is.Uses == nil {
				is.Uses = map[string]bool{}
			}

			is.Uses[usage.VMOf(name)] = true
		case usage.Is(name) && usage.VMOfHA(name) != "":
			if c.facts.HAUses == nil {
				c.facts.HAUses = map[string]bool{}
			}

			c.facts.HAUses[usage.VMOfHA(name)] = true
		}

		if err != nil {
			return err
		}
	}

	return nil
}

// readInto reads an observed Object into a map by composed resource name, which is made if there is none.
func readInto[T any](into map[string]T, name string, o *structpb.Struct) (map[string]T, error) {
	read, err := object.Read[T](o)
	if err != nil {
		return into, errors.Wrapf(err, "cannot read observed composed resource %q", name)
	}

	if into == nil {
		into = map[string]T{}
	}

	into[name] = read

	return into, nil
}

// findObjectKind finds out whether the kind Object is installed: Crossplane could apply nothing of an answer with a kind that is not. A
// machine that has an Object need not ask.
func (c *call) findObjectKind() (known bool) {
	if len(c.facts.Objects.Observed)+len(c.facts.Objects.Jobs) > 0 || c.facts.Objects.Plan != nil || c.facts.Objects.Zone != nil {
		return true
	}

	flavour := object.FlavourOf(c.flavour)
	c.facts.Objects.NoKind, known = isMissing(c, objectKindRequirement, flavour.Definition(), flavour.Version())

	return known
}

// readNodeThroughObject reads the machine's Node as provider-kubernetes read it last.
func (c *call) readNodeThroughObject(name string) (n *node.Node, sight object.Sight) {
	o, there := c.facts.Objects.Observed[object.Reading]

	switch {
	case c.facts.Objects.NoKind:
		return nil, object.SightNoKind
	case !there || o.APIVersion != object.FlavourOf(c.flavour).APIVersion:
		return nil, object.SightPending
	}

	return o.Sees(name)
}

// serverObjects asks for the Objects that read the Nodes of the other servers of a K3s cluster.
func (c *call) serverObjects(cluster string) (known bool, err error) {
	if known := c.findObjectKind(); !known || c.facts.Objects.NoKind {
		return known, nil
	}

	return membership{c}.nodesOfObjects(serverNodesRequirement, serversOf(cluster), &c.facts.Servers)
}

// nodesOfObjects are the Nodes of some VMs of a K3s cluster, through the Objects that have labels.
func (c membership) nodesOfObjects(requirement string, labels map[string]string, of *lifecycle.Servers) (known bool, err error) {
	items, known, err := c.call.objects(requirement, labels)
	if !known || err != nil {
		return known, err
	}

	of.Reading, of.Nodes = lifecycle.NodesPolled, map[string]node.Node{}

	for _, vm := range of.VMs {
		name := lifecycle.NodeNameOf(vm)

		for _, o := range items {
			if n, _ := o.Sees(name); n != nil && !o.MayDelete() && o.Metadata.DeletionTimestamp == "" {
				of.Nodes[name] = *n
			}
		}
	}

	return true, nil
}

// findGoingNode finds out whether the Node of the VM that is replaced is gone, which a call before let go: Crossplane observes no composed
// resource that is desired no more, so that the Object is asked for.
func (c *call) findGoingNode() (known bool, err error) {
	if !lifecycle.AsksForGoingNode(c.facts) {
		return true, nil
	}

	uid := c.facts.Machine.Identity.UUID(c.facts.Roles.Active)
	items, known, err := c.objects(goingNodeRequirement, map[string]string{node.UIDLabel: uid})
	c.facts.Objects.Going = len(items) > 0

	return known, err
}

// objects asks for Objects by label, in all namespaces.
func (c *call) objects(name string, labels map[string]string) ([]object.Observed, bool, error) {
	return requireByLabels(c, name, object.FlavourOf(c.flavour).APIVersion, object.Kind, labels, object.Read[object.Observed])
}

// writeObjects into the response. They never keep the composite from being ready: what the provider calls ready is the Node's, or the Job's.
func (c *call) writeObjects(rendered render.Result) error {
	manifests := map[string]proxmox.Manifest{}

	err := errors.Join(addObjects(manifests, rendered.Objects), addObjects(manifests, rendered.Jobs), addObjects(manifests, rendered.Plans),
		addObjects(manifests, rendered.Zones))
	if err != nil {
		return err
	}

	for name, m := range manifests {
		c.rsp.Desired.Resources[name] = &fnv1.Resource{Resource: m, Ready: fnv1.Ready_READY_TRUE}
	}

	return nil
}
