package preview

import (
	"bytes"
	"context"
	"io"
	"net"
	"os/exec"
	"strings"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
)

// How long a function may take to listen, and how often the preview checks.
const (
	startTimeout = 10 * time.Second
	startPoll    = 5 * time.Millisecond
)

// A Function is a running function process.
type Function struct {
	Address string // At which it serves gRPC: 127.0.0.1 and a port.
	cancel  context.CancelFunc
	ended   chan struct{} // Closed when the process has ended.
	err     error         // How it ended. To be read after that.
}

// StartFunction starts the function binary on a free loopback port and returns once it listens. Its log goes to stderr
// if debug is set, and into the error if the function does not come up.
func StartFunction(ctx context.Context, binary string, debug bool, stderr io.Writer) (*Function, error) {
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

		return nil, errors.Wrap(err, "cannot start the function")
	}

	f := &Function{Address: address, cancel: cancel, ended: make(chan struct{})}

	go func() {
		f.err = cmd.Wait()
		close(f.ended)
	}()

	if err := f.await(ctx); err != nil {
		f.Stop()

		return nil, errors.Errorf("%v\n%s", err, strings.TrimSpace(log.String()))
	}

	return f, nil
}

// await returns once the function accepts connections, or an error if it ends or takes too long.
func (f *Function) await(ctx context.Context) error {
	deadline := time.After(startTimeout)
	dialer := net.Dialer{Timeout: time.Second}

	for {
		if conn, err := dialer.DialContext(ctx, "tcp", f.Address); err == nil {
			_ = conn.Close()

			return nil
		}

		select {
		case <-f.ended:
			return errors.Wrap(f.err, "the function ended before it listened")
		case <-deadline:
			return errors.Errorf("the function does not listen on %s after %s", f.Address, startTimeout)
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // An interrupt needs no explanation.
		case <-time.After(startPoll):
		}
	}
}

// Stop ends the process and waits for it. A function keeps no state, so it is killed without being asked first, and
// how it ended says nothing.
func (f *Function) Stop() {
	f.cancel()
	<-f.ended
}

// freeAddress is a loopback address with a port that nobody listens on. Somebody else may take the port before the
// function does; then the function ends with an error that says so.
func freeAddress(ctx context.Context) (string, error) {
	lc := net.ListenConfig{}

	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", errors.Wrap(err, "cannot find a free port")
	}

	address := l.Addr().String()

	if err := l.Close(); err != nil {
		return "", errors.Wrapf(err, "cannot free port of %s", address)
	}

	return address, nil
}
