package main

import (
	"context"
	"runtime"
	"runtime/debug"

	"google.golang.org/grpc/status"

	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
)

// A Function turns Machine and K3sNode composites into managed resources of provider-proxmox-bpg, and K3sCluster composites into K3sNodes. It is
// pure: the same request gives the same response.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log    logging.Logger
	slots  chan struct{}
	answer func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse
}

// NewFunction makes a function that logs to log.
func NewFunction(log logging.Logger) *Function {
	return &Function{log: log, slots: make(chan struct{}, runtime.GOMAXPROCS(0)), answer: compose.Answer}
}

// RunFunction answers one call. A failure is a fatal result, which makes Crossplane leave everything as it is. The error is
// that of a context that ended before the call had its turn, with the status code of gRPC; else it is nil.
func (f *Function) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	f.log.Debug("Running function", "tag", req.GetMeta().GetTag())

	// More calls at once than there are processors would only hold memory while they wait for each other.
	select {
	case f.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, status.FromContextError(ctx.Err()).Err() //nolint:wrapcheck // The status code is the message.
	}

	defer func() { <-f.slots }()

	return f.guarded(req), nil
}

// errPanic is all that a person is told of a fault in this program.
var errPanic = errors.New("internal error: this is a fault of the function, whose log says where")

// guarded makes a failure of a fault in this program: one odd composite must not take the process down, and with it every
// other machine's function.
func (f *Function) guarded(req *fnv1.RunFunctionRequest) (rsp *fnv1.RunFunctionResponse) {
	defer func() {
		if p := recover(); p != nil {
			// The stack has no values in it, and a request may hold a token.
			f.log.Info("Recovered from a panic", "tag", req.GetMeta().GetTag(), "stack", string(debug.Stack()))

			rsp = compose.Refuse(req, errPanic)
		}
	}()

	return f.answer(req)
}
