// Command floor is a function that does nothing: it answers every request with one ready response. What it needs for that
// is the price of gRPC and of the messages, which every function pays.
package main

import (
	"context"
	"os"

	"github.com/alecthomas/kong"
	"google.golang.org/protobuf/proto"

	"github.com/crossplane/function-sdk-go"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

type cli struct {
	Address  string `help:"Address to listen at."                          required:""`
	Response string `help:"File with the response, as protobuf wire data." required:"" type:"existingfile"`
}

type floor struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	rsp *fnv1.RunFunctionResponse
}

// RunFunction returns the ready response.
func (f *floor) RunFunction(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return f.rsp, nil
}

// Run the server.
func (c *cli) Run() error {
	b, err := os.ReadFile(c.Response)
	if err != nil {
		return err
	}

	rsp := &fnv1.RunFunctionResponse{}
	if err := proto.Unmarshal(b, rsp); err != nil {
		return err
	}

	return function.Serve(&floor{rsp: rsp}, function.Listen("tcp", c.Address), function.Insecure(true), function.WithMetricsServer(""))
}

func main() {
	c := &cli{}
	ctx := kong.Parse(c)
	ctx.FatalIfErrorf(c.Run())
}
