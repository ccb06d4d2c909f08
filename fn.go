package main

import (
	"context"
	"runtime"

	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/observe"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// A Function turns Machine and K3sNode composites into managed resources of provider-proxmox-bpg. It is pure: the same
// request gives the same response.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log   logging.Logger
	slots chan struct{}
}

// NewFunction makes a function that logs to log.
func NewFunction(log logging.Logger) *Function {
	return &Function{log: log, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// RunFunction runs the Function. A failure is a fatal result, which makes Crossplane leave everything as it is; the error
// is always nil.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	f.log.Debug("Running function", "tag", req.GetMeta().GetTag())

	rsp := newResponse(req)

	// More calls at once than there are processors would only hold memory while they wait for each other.
	f.slots <- struct{}{}
	defer func() { <-f.slots }()

	// Every failure leaves by this one door, so none can be lost or doubled.
	if err := f.guarded(req, rsp); err != nil {
		fail(rsp, err)
	}

	return rsp, nil
}

// compose is the story of one call: read, look up, resolve, render, observe, respond.
func compose(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) error {
	in, err := readInput(req)
	if err != nil {
		return err
	}

	composite := req.GetObserved().GetComposite().GetResource().AsMap()

	c := claim.Decode(composite)

	state, err := readState(req)
	if err != nil {
		return err
	}

	// While Crossplane looks for what we asked for, everything that exists is kept: to leave it out is to delete it.
	cat, looked, err := catalogue(req, rsp, in)
	if err != nil {
		return err
	}

	if !looked {
		return keep(rsp, state)
	}

	m, errs := resolve.Claim(c, cat, sticky(state))
	if len(errs) > 0 {
		return invalid(errs)
	}

	token, looked := k3sToken(req, rsp, m)
	if !looked {
		return keep(rsp, state)
	}

	boot, errs := bootstrap.New(m, token)
	if len(errs) > 0 {
		return invalid(errs)
	}

	rendered, err := render.Render(render.Request{Machine: m, Bootstrap: boot, Flavour: flavour(in, composite), State: state})
	if err != nil {
		return errors.Wrap(err, "cannot render machine")
	}

	seen := observe.Machine(observe.Input{
		Machine: m, Bootstrap: boot, Rendered: rendered, State: state, Previous: previousStatus(composite),
	})

	return respond(req, rsp, rendered, seen)
}
