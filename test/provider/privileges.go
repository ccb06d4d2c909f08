package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/privilege"
)

// checkPrivileges looks for every request that the plugin made in the table of privileges, from which people grant them: a call without a row
// would fail with HTTP 403 on their Proxmox, and nowhere before. It reads a file, because the simulator ends with the context of its test.
func (s *Simulator) checkPrivileges() error {
	b, err := os.ReadFile(s.requests)
	if err != nil {
		return fmt.Errorf("cannot read the requests: %w", err)
	}

	requests, err := readRequests(bytes.NewReader(b))
	if err != nil {
		return err
	}

	if s.firewalls != nil {
		requests = append(requests, s.firewalls.requests...)
	}

	return haveRows(requests, s.own)
}

// haveRows returns an error that lists the calls which the table of privileges lacks: [withoutRow].
func haveRows(requests []Request, own map[string]int) error {
	if unknown := withoutRow(requests, own); len(unknown) > 0 {
		return fmt.Errorf("the plugin made calls that internal/privilege/calls.go has no row for:\n%s", strings.Join(unknown, "\n"))
	}

	return nil
}

// readRequests reads requests, one in a line. A simulator that was killed while it wrote leaves half a line at the end.
func readRequests(r io.Reader) ([]Request, error) {
	var out []Request

	for d := json.NewDecoder(r); ; {
		var q Request

		switch err := d.Decode(&q); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("cannot read a request: %w", err)
		}

		out = append(out, q)
	}
}

// withoutRow are the calls of requests that the table does not have, each once. What the tests asked for themselves, as often as own says, is
// not the plugin's.
func withoutRow(requests []Request, own map[string]int) []string {
	var out []string

	left, seen := maps.Clone(own), map[string]bool{}

	for _, q := range requests {
		call := q.Method + " " + q.Path
		if left[call] > 0 {
			left[call]--
			continue
		}

		if _, ok := privilege.Find(q.Method, q.Path); !ok && !seen[call] {
			seen[call] = true

			out = append(out, call)
		}
	}

	return out
}
