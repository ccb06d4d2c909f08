// Package compose is the story of one call of the function: read the request, ask for what it names, decide, resolve,
// bootstrap, render, report, respond. It and fn.go are all that knows Crossplane's protocol.
package compose

import (
	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Answer a request of Crossplane. It is pure: the same request gives the same response. Every failure becomes one fatal
// result here, which makes Crossplane leave all managed resources as they are.
func Answer(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	rsp, _ := Decide(req)

	return rsp
}

// Decide is Answer together with the plan that the response carries out. The plan is nil where the call fails, and while
// Crossplane still fetches what the call asks for.
func Decide(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, *lifecycle.Plan) {
	c := answer(req)

	return c.rsp, c.planned
}

// Explain is [Answer] together with what the response does. The Input has to ask for it.
func Explain(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, Explanation) {
	c := answer(req)

	return c.rsp, c.explanation
}

// answer is a call from its beginning to its end.
func answer(req *fnv1.RunFunctionRequest) *call {
	leaveOthers(req)

	c := &call{req: req, rsp: newResponse(req), composite: composite(req), previous: previousStatus(req)}

	k := kindOf(c)

	err := answered(k)
	if err != nil {
		var invalid *invalidError
		if errors.As(err, &invalid) {
			c.explanation.Faults = invalid.errs
		}

		if invalid != nil && (releaser{c, k}).releases(invalid.errs) {
			err = releaser{c, k}.release(invalid)
		} else if invalid != nil && (announcer{c, k}).answers(invalid.errs) {
			err = announcer{c, k}.answer(invalid)
		}
	}

	switch {
	case err != nil:
		fail(c.rsp, err)
	case c.announces.has(proxmox.BringsAnnotation):
		// What waits for a restart or for approval stays announced until it is written.
		c.announces.write(c.rsp)
	}

	legible(c.rsp)

	return c
}

// Refuse a request: the response is a failure with this error, and all managed resources stay as they are.
func Refuse(req *fnv1.RunFunctionRequest, err error) *fnv1.RunFunctionResponse {
	rsp := newResponse(req)
	fail(rsp, err)
	legible(rsp)

	return rsp
}
