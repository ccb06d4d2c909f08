// Command kubectl-machine-lint says what is wrong with claims and the catalogue, as `kubectl machine lint`. It is a program of its own
// because it has the API server's validation, which takes minutes to compile.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/homelab-io/function-proxmox-machine/internal/cli"
	"github.com/homelab-io/function-proxmox-machine/internal/judge"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	streams := cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}

	code := cli.RunLint(ctx, os.Args[1:], streams, func() (cli.Judge, error) { return judge.New() })

	stop()
	os.Exit(int(code))
}
