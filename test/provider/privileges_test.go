package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCheckPrivileges holds that a call without a row is found, on which the privileges that people grant depend.
func TestCheckPrivileges(t *testing.T) {
	const (
		read    = `{"method":"GET","path":"/nodes/pve/qemu/160/config","status":200}` + "\n"
		execute = `{"method":"POST","path":"/nodes/pve/execute","status":501}` + "\n"
		job     = `{"method":"POST","path":"/cluster/backup","status":200}` + "\n"
	)

	cases := map[string]struct {
		reason, requests string
		own              map[string]int
		want             []string
	}{
		"Known":    {reason: "A call with a row is fine.", requests: read},
		"Unknown":  {reason: "A call without a row is named once, also where it failed.", requests: read + execute + execute, want: []string{"POST /nodes/pve/execute"}},
		"Own":      {reason: "A call of the test itself is nobody's business.", requests: job, own: map[string]int{"POST /cluster/backup": 1}},
		"OwnTwice": {reason: "The plugin's own call counts beside it.", requests: job + job, own: map[string]int{"POST /cluster/backup": 1}, want: []string{"POST /cluster/backup"}},
		"Killed":   {reason: "The last line of a simulator that was killed may be half a line.", requests: execute + read[:20], want: []string{"POST /nodes/pve/execute"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &Simulator{requests: filepath.Join(t.TempDir(), "requests"), own: tc.own}
			if err := os.WriteFile(s.requests, []byte(tc.requests), 0o600); err != nil {
				t.Fatal(err)
			}

			requests, err := readRequests(strings.NewReader(tc.requests))
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, withoutRow(requests, tc.own)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if err := s.checkPrivileges(); (err != nil) != (len(tc.want) > 0) {
				t.Errorf("\n%s\nwant an error for %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}
