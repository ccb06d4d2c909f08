package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/program"
)

// TestNoCluster has what somebody reads who has no kubeconfig: what to set, and for a plan, that it can do without a cluster.
func TestNoCluster(t *testing.T) {
	dir := t.TempDir()

	script := "#!/bin/sh\necho 'The connection to the server localhost:8080 was refused - did you specify the right host or port?' >&2\nexit 1\n"
	if err := program.Write(filepath.Join(dir, "kubectl"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}

	lintFiles(t, map[string]string{"catalogue.yaml": lintedCatalogue, "dns01.yaml": strings.Replace(rightClaim, "tiny", "small", 1)})
	t.Setenv("PATH", dir)

	const empty = "Without a cluster, --observed none shows what happens in an empty one"

	cases := map[string]struct {
		reason string
		args   []string
		empty  string // What the command can do without a cluster.
	}{
		"Plan":     {reason: "A plan is made without a cluster, too.", args: []string{"plan", "-f", "dns01.yaml"}, empty: empty},
		"Rehearse": {reason: "So is a rehearsal.", args: []string{"rehearse", "-f", "dns01.yaml"}, empty: empty},
		"Get":      {reason: "What there is, a cluster knows.", args: []string{"get"}},
		"Why":      {reason: "And why.", args: []string{"why", "dns01"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, _, said := runAt(t, "", tc.args...)
			if code != ExitFailed || !strings.Contains(said, "no kubeconfig names a cluster: set KUBECONFIG") || strings.Contains(said, "localhost") {
				t.Errorf("%s: got %d and %s", tc.reason, code, said)
			}

			if got := strings.Contains(said, empty); got != (tc.empty != "") {
				t.Errorf("%s: want %q, got %s", tc.reason, tc.empty, said)
			}
		})
	}
}
