package plane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
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
