package plane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync/atomic"
)

// pendingError is a reason to look again later.
type pendingError struct{ error }

// pending marks an error as a reason to look again; nil stays nil.
func pending(err error) error {
	if err == nil {
		return nil
	}

	return pendingError{err}
}

// eventually looks until done, or until nothing moves any more; then the last pending error tells why. Any other error ends it at once.
func (m *Motion) eventually(ctx context.Context, look func(ctx context.Context) (done bool, err error)) error {
	var fatal error

	err := m.Until(ctx, Ceiling, func(ctx context.Context) (bool, string) {
		done, err := look(ctx)
		if done {
			return true, ""
		}

		var p pendingError
		if err != nil && !errors.As(err, &p) {
			fatal = err

			return true, ""
		}

		return false, fmt.Sprint(err)
	})

	return errors.Join(fatal, err)
}

// httpReady returns a check that a URL answers with 200.
func httpReady(client *http.Client, url string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}

		rsp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer rsp.Body.Close()

		if rsp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", url, rsp.Status)
		}

		return nil
	}
}

// tcpReady returns a check that a port of the loopback interface is open.
func tcpReady(port int) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", loopback(port))
		if err != nil {
			return err
		}

		return c.Close()
	}
}

// loopback is an address on the loopback interface.
func loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// nextPort counts up from below the ports that the kernel gives to outgoing connections (32768 and above on Linux): such a connection
// could take a port between the moment it is found and the moment its program listens. Each process starts a hundred ports further.
var nextPort = func() *atomic.Int64 {
	n := &atomic.Int64{}
	n.Store(int64(os.Getpid()) * 100)

	return n
}()

// FreePorts finds ports on which nobody listens. No port is given twice.
func FreePorts(n int) ([]int, error) {
	const first, all = 20_000, 12_000

	ports := make([]int, 0, n)

	for tries := 0; len(ports) < n; tries++ {
		if tries == all {
			return nil, fmt.Errorf("cannot find a free port: all of %d to %d are in use", first, first+all-1)
		}

		port := first + int(nextPort.Add(1)%all)

		// On all interfaces: so do some programs.
		if l, err := net.Listen("tcp", fmt.Sprintf(":%d", port)); err == nil {
			ports = append(ports, port)
			_ = l.Close()
		}
	}

	return ports, nil
}
