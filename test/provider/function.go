package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/homelab-io/function-proxmox-machine/test/ports"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A Function is the function of this repository as Crossplane runs it: a process that answers gRPC.
type Function struct {
	client fnv1.FunctionRunnerServiceClient
	conn   *grpc.ClientConn
	cmd    *exec.Cmd
	stderr *bytes.Buffer
}

// StartFunction runs the program of the function.
func StartFunction(ctx context.Context, program string) (*Function, error) {
	free, err := ports.Free(1)
	if err != nil {
		return nil, fmt.Errorf("cannot start the function: %w", err)
	}

	address := fmt.Sprintf("127.0.0.1:%d", free[0])
	f := &Function{stderr: &bytes.Buffer{}}
	f.cmd = exec.CommandContext(ctx, program, "--insecure", "--address", address, "--metrics-address=")
	f.cmd.Stderr = f.stderr

	if err := f.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the function: %w", err)
	}

	if f.conn, err = grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials())); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot call the function: %w", err), f.Close())
	}

	f.client = fnv1.NewFunctionRunnerServiceClient(f.conn)

	return f, nil
}

// Close stops the function.
func (f *Function) Close() error {
	var err error
	if f.conn != nil {
		err = f.conn.Close()
	}

	err = errors.Join(err, f.cmd.Process.Kill())
	_ = f.cmd.Wait() // It was killed, and says so.

	return err
}

// Run calls the function once. A fatal result is an error.
func (f *Function) Run(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()

	// The process may not listen yet.
	rsp, err := f.client.RunFunction(ctx, req, grpc.WaitForReady(true))
	if err != nil {
		return nil, fmt.Errorf("cannot call the function: %w\n%s", err, f.stderr)
	}

	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return nil, fmt.Errorf("the function refuses: %s", r.GetMessage())
		}
	}

	return rsp, nil
}
