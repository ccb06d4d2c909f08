package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"time"
)

// How long a function may take to listen, and how often the preview checks.
const (
	startTimeout = 10 * time.Second
	startPoll    = 5 * time.Millisecond
)

// A function is a running function process.
type function struct {
	address string // Where it serves gRPC: 127.0.0.1 and a port.
	cancel  context.CancelFunc
	ended   chan struct{} // Closed when the process has ended.
	err     error         // How it ended. To be read after that.
}

// startFunction starts the function binary on a free loopback port and returns once it listens. Its log goes to stderr
// if debug is set, and into the error if the function does not come up.
func startFunction(ctx context.Context, binary string, debug bool, stderr io.Writer) (*function, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}

	log := &bytes.Buffer{}
	args := []string{"--insecure", "--address", address}

	var out io.Writer = log
	if debug {
		args = append(args, "--debug")
		out = stderr
	}

	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Stdout, cmd.Stderr = out, out

	if err := cmd.Start(); err != nil {
		cancel()

		return nil, fmt.Errorf("cannot start the function: %w", err)
	}

	f := &function{address: address, cancel: cancel, ended: make(chan struct{})}

	go func() {
		f.err = cmd.Wait()
		close(f.ended)
	}()

	if err := f.await(ctx); err != nil {
		f.stop()

		return nil, fmt.Errorf("%w\n%s", err, strings.TrimSpace(log.String()))
	}

	return f, nil
}

// await returns once the function accepts connections, or an error if it ends or takes too long.
func (f *function) await(ctx context.Context) error {
	deadline := time.After(startTimeout)
	dialer := net.Dialer{Timeout: time.Second}

	for {
		if conn, err := dialer.DialContext(ctx, "tcp", f.address); err == nil {
			_ = conn.Close()

			return nil
		}

		select {
		case <-f.ended:
			return fmt.Errorf("the function ended before it listened: %w", f.err)
		case <-deadline:
			return fmt.Errorf("the function does not listen on %s after %s", f.address, startTimeout)
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // An interrupt needs no explanation.
		case <-time.After(startPoll):
		}
	}
}

// stop ends the process and waits for it. A function keeps no state, so it is killed without being asked first, and
// how it ended says nothing.
func (f *function) stop() {
	f.cancel()
	<-f.ended
}

// freeAddress is a loopback address with a port that nobody listens on. Somebody else may take the port before the
// function does; then the function ends with an error that says so.
func freeAddress(ctx context.Context) (string, error) {
	lc := net.ListenConfig{}

	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("cannot find a free port: %w", err)
	}

	address := l.Addr().String()

	if err := l.Close(); err != nil {
		return "", fmt.Errorf("cannot free port of %s: %w", address, err)
	}

	return address, nil
}
