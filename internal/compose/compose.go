// Package compose is the story of one call of the function: read the request, ask for what it names, decide, resolve,
// bootstrap, render, report, respond. It and fn.go are all that knows Crossplane's protocol.
package compose

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/observe"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// Answer a request of Crossplane. It is pure: the same request gives the same response. Every failure becomes one fatal
// result here, which makes Crossplane leave all managed resources as they are.
func Answer(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	rsp := newResponse(req)

	if err := compose(req, rsp); err != nil {
		fail(rsp, err)
	}

	return rsp
}

// Refuse a request: the response is a failure with this error, and all managed resources stay as they are.
func Refuse(req *fnv1.RunFunctionRequest, err error) *fnv1.RunFunctionResponse {
	rsp := newResponse(req)
	fail(rsp, err)

	return rsp
}

// A call is one call of the function, as far as it has come.
type call struct {
	req *fnv1.RunFunctionRequest
	rsp *fnv1.RunFunctionResponse

	composite map[string]any
	input     *v1beta1.Input
	request   render.Request
	adopting  bool // Whether the VM is, or is to be, one that somebody else made.
}

// compose is the story of one call: read, look up, resolve, render, observe, respond.
func compose(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) error {
	c := &call{req: req, rsp: rsp, composite: req.GetObserved().GetComposite().GetResource().AsMap()}

	cl, err := c.read()
	if err != nil {
		return err
	}

	// While Crossplane looks for what we asked for, everything that exists is kept: to leave it out is to delete it.
	looked, err := c.lookUp(cl)
	if err != nil {
		return err
	}

	if !looked {
		return c.keep()
	}

	rendered, err := render.Render(c.request)
	if err != nil {
		return errors.Wrap(err, "cannot render machine")
	}

	seen := observe.Machine(observe.Input{
		Machine: c.request.Machine, Bootstrap: c.request.Bootstrap, Rendered: rendered, State: c.request.State,
		Previous: previousStatus(c.composite), Spec: claim.Written(c.composite),
	})

	return c.respond(rendered, seen)
}

// read what is known without asking for anything.
func (c *call) read() (claim.Claim, error) {
	cl := claim.Decode(c.composite)

	var err error
	if c.input, err = readInput(c.req); err != nil {
		return cl, err
	}

	c.request.Flavour = flavour(c.input, c.composite)
	c.request.Composite, c.request.Namespace = ownName(c.composite)
	c.request.Intent, c.request.Explain = claim.Intent(c.composite), c.input.Explain
	c.request.State, err = readState(c.req)

	return cl, err
}

// lookUp all that a claim names or depends on. looked is false while Crossplane has not looked for all of it yet.
func (c *call) lookUp(cl claim.Claim) (looked bool, err error) {
	cat, haveCatalogue, err := catalogue(c.req, c.rsp, c.input)
	if err != nil {
		return false, err
	}

	haveServers, err := c.incarnate(cl)
	if err != nil || !haveCatalogue || !haveServers {
		return false, err
	}

	haveNeighbours, err := c.resolve(cl, cat)
	if err != nil {
		return false, err
	}

	token, haveToken := k3sToken(c.req, c.rsp, c.request.Machine)
	if !haveNeighbours || !haveToken {
		return false, nil
	}

	// Nobody knows what a guest was set up with that somebody else made.
	if c.adopting {
		c.request.Bootstrap = &bootstrap.Bootstrap{Mode: bootstrap.ModeNone}
		return true, nil
	}

	if readsSecret(c.request.Machine) && !looksIntoNamespaces(c.req) {
		return false, invalid(field.ErrorList{field.Forbidden(field.NewPath("spec", "k3s", "token", "secretRef"), noSecrets)})
	}

	boot, errs := bootstrap.New(c.request.Machine, token)
	if len(errs) > 0 {
		return false, invalid(errs)
	}

	c.request.Bootstrap = boot

	return true, nil
}
