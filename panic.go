package main

import (
	"runtime/debug"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// guarded composes, and makes an error of a fault in this program: one odd composite must not take the process down, and
// with it every other machine's function.
func (f *Function) guarded(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) (err error) {
	defer func() {
		if p := recover(); p != nil {
			// The stack has no values in it, and a request may hold a token.
			f.log.Info("Recovered from a panic", "tag", req.GetMeta().GetTag(), "stack", string(debug.Stack()))

			err = errPanic
		}
	}()

	return compose(req, rsp)
}

// errPanic is all that a person is told of a fault in this program.
var errPanic = errors.New("internal error: this is a fault of the function, whose log says where")
