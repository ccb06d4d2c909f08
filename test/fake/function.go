package fake

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// Flags that hold every answer of the tests against that of another build of the function, for changes that must not change an
// answer: build the other one, run it with --insecure, and name its address.
var (
	against      = flag.String("against", "", "address of another build of the function, whose answers must be the same")
	againstTexts = flag.Bool("against-texts", true, "with -against: whether the messages of conditions and results must be the same, too")
)

// other is the other build of the function.
var other = sync.OnceValues(func() (fnv1.FunctionRunnerServiceClient, error) {
	conn, err := grpc.NewClient(*against, grpc.WithTransportCredentials(insecure.NewCredentials()))

	return fnv1.NewFunctionRunnerServiceClient(conn), err
})

// Compared is a function whose every answer is held against that of the other build, where -against names one. Every cluster of
// this package compares; a test that calls the function in another way has to do so itself.
func Compared(f world.Function) world.Function {
	return func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		if *against == "" {
			return f(req)
		}

		client, err := other()
		if err != nil {
			differs(errors.Wrap(err, "cannot reach the other build of the function"))
		}

		want, err := client.RunFunction(context.Background(), proto.CloneOf(req))
		if err != nil {
			differs(errors.Wrap(err, "the other build of the function does not answer"))
		}

		got := f(req)

		// A comparison that can say what differs takes many times as long as the two calls.
		if proto.Equal(compared(want), compared(got)) {
			return got
		}

		opts := []cmp.Option{protocmp.Transform()}
		if !*againstTexts {
			opts = append(opts, protocmp.IgnoreFields(&fnv1.Condition{}, "message"), protocmp.IgnoreFields(&fnv1.Result{}, "message"))
		}

		if diff := cmp.Diff(want, got, opts...); diff != "" {
			differs(errors.Errorf("the other build of the function answers otherwise: -it, +this:\n%s", diff))
		}

		return got
	}
}

// NewCluster with nothing in it. The function's answers are compared, see [Compared], and its errors say each thing once.
func NewCluster(t testing.TB, f world.Function) *world.Cluster {
	t.Helper()

	compared := Compared(f)

	var c *world.Cluster

	c = world.NewCluster(t, func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		rsp := compared(req)

		if message := world.Fatal(rsp); SaidTwice(message) != "" {
			c.Fault("the error says %q twice: %s", SaidTwice(message), message)
		}

		return rsp
	})

	return c
}

// compared is what must be the same of an answer.
func compared(rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	if *againstTexts {
		return rsp
	}

	rsp = proto.CloneOf(rsp)

	for _, c := range rsp.GetConditions() {
		c.Message = nil
	}

	for _, r := range rsp.GetResults() {
		r.Message = ""
	}

	return rsp
}

// differs ends all tests. Neither a test that recovers from panics nor one that expects a failure can swallow that.
func differs(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
