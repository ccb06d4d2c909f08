package compose

import (
	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/usage"
)

// protect renders the Usage that protects the claim from deletion, if the claim asks for protection, and returns the step of the
// Usage. Crossplane reports its capabilities since 2.2; one that reports none gets the Usage that all generations have.
func (c *call) protect() (map[string]step, error) {
	m := c.facts.Machine
	steps := map[string]step{}

	for name := range c.req.GetObserved().GetResources() {
		if usage.Is(name) {
			steps[name] = step{action: actionRemove}
		}
	}

	if !m.Protection {
		return steps, nil
	}

	apiVersion, _ := c.composite["apiVersion"].(string)
	kind, _ := c.composite["kind"].(string)
	id := m.Identity

	api := usage.APIExtensions
	if can(c.req, fnv1.Capability_CAPABILITY_CAPABILITIES) {
		api = usage.APIProtection
	}

	name, u := usage.New(usage.Owner{
		APIVersion: apiVersion, Kind: id.Kind, Name: id.Name, Namespace: id.Namespace, Composite: id.Composite, CompositeKind: kind,
	}, api)

	manifest, err := usage.Manifest(u)
	if err != nil {
		return nil, errors.Wrap(err, "cannot protect the machine")
	}

	action := actionCreate
	if _, ok := steps[name]; ok {
		action = actionKeep
	}

	steps[name] = step{action: action}
	c.rsp.Desired.Resources[name] = &fnv1.Resource{Resource: manifest, Ready: fnv1.Ready_READY_TRUE}

	return steps, nil
}
