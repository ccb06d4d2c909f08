package compose

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/usage"
)

// A protector writes the Usages of a machine.
type protector struct {
	*call

	api   usage.API
	owner usage.Owner
	steps map[string]step
}

// protect renders the Usages that keep the claim from deletion, if the claim asks for protection or its K3s cluster needs the server, and
// those that keep VMs until their Node is gone. It returns the steps of the Usages. Crossplane reports its capabilities since 2.2; one
// that reports none gets the Usage that all generations have.
func (c *call) protect(plan lifecycle.Plan) (map[string]step, error) {
	apiVersion, _ := c.composite["apiVersion"].(string)
	kind, _ := c.composite["kind"].(string)
	id := c.facts.Machine.Identity

	p := protector{call: c, steps: map[string]step{}, api: usage.APIExtensions, owner: usage.Owner{
		APIVersion: apiVersion, Kind: id.Kind, Name: id.Name, Namespace: id.Namespace, Composite: id.Composite, CompositeKind: kind,
	}}

	if can(c.req, fnv1.Capability_CAPABILITY_CAPABILITIES) {
		p.api = usage.APIProtection
	}

	for name := range c.req.GetObserved().GetResources() {
		if usage.Is(name) {
			p.steps[name] = step{action: actionRemove}
		}
	}

	var err error

	if c.facts.Machine.Protection {
		name, u := usage.New(p.owner, p.api)
		err = p.write(name, u)
	}

	return p.steps, errors.Wrap(errors.Join(err, p.quorum(plan), p.nodes(plan)), "cannot protect the machine")
}

// quorum keeps a server that its cluster needs. While nobody can read its Node, the Usage of before stays.
func (p protector) quorum(plan lifecycle.Plan) error {
	if b := plan.RemovalBlocked(); b.Reason != "" {
		name, u := usage.ForQuorum(p.owner, p.api, removalReason(b))
		return p.write(name, u.InAPIOf(p.observed(name)))
	}

	if plan.Node.Sight == object.SightClear || !plan.AsksForRemoval() {
		return nil
	}

	for name, r := range p.req.GetObserved().GetResources() {
		if !usage.IsOfQuorum(name) {
			continue
		}

		manifest, err := usage.Kept(r.GetResource())
		if err != nil {
			return err
		}

		p.add(name, manifest)
	}

	return nil
}

// nodes keeps VMs until the Object is gone with which their Node goes.
func (p protector) nodes(plan lifecycle.Plan) error {
	var errs []error

	for vm, o := range lifecycle.NodeUses(plan) {
		of := plan.Observed.VMs[vm]
		name := usage.OfVM(vm)
		u := usage.ForNode(
			usage.Resource{APIVersion: of.APIVersion, Kind: of.Kind, ResourceRef: usage.Ref{Name: of.Metadata.Name}},
			usage.Resource{APIVersion: o.APIVersion, Kind: o.Kind, ResourceRef: usage.Ref{Name: o.Metadata.Name}},
			of.Metadata.Namespace, p.api)
		errs = append(errs, p.write(name, u.InAPIOf(p.observed(name))))
	}

	return errors.Join(errs...)
}

// observed Usage; nil where there is none.
func (p protector) observed(name string) *structpb.Struct {
	return p.req.GetObserved().GetResources()[name].GetResource()
}

func (p protector) write(name string, u usage.Usage) error {
	manifest, err := usage.Manifest(u)
	if err != nil {
		return err
	}

	p.add(name, manifest)

	return nil
}

func (p protector) add(name string, manifest *structpb.Struct) {
	action := actionCreate
	if _, ok := p.steps[name]; ok {
		action = actionKeep
	}

	p.steps[name] = step{action: action}
	p.rsp.Desired.Resources[name] = &fnv1.Resource{Resource: manifest, Ready: fnv1.Ready_READY_TRUE}
}
