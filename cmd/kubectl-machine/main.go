// Command kubectl-machine shows what a claim makes, before it is committed. As a plugin it is `kubectl machine`.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/homelab-io/function-proxmox-machine/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)

	code := cli.Run(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Now: time.Now})

	stop()
	os.Exit(int(code))
}
