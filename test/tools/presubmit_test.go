package tools

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOneRun: a second .ci/run in a checkout says so and does nothing, since each takes the other's tools away; what a step left behind is no run.
func TestOneRun(t *testing.T) {
	if _, err := exec.LookPath("flock"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("no flock here, without which nothing is locked")
	}

	p := newProof(t)
	p.write(t, filepath.Join(p.dir, ".ci/run"), text(t, ".ci/run"))
	// The first run leaves a program behind, and works until it is told to end.
	p.write(t, filepath.Join(p.dir, "hack/apt.sh"), "#!/bin/sh\necho works\nsleep 5 >/dev/null 2>&1 &\nuntil [ -e end ]; do sleep 0.05; done\n")

	run := func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, "bash", ".ci/run", "prepare")
		cmd.Dir, cmd.WaitDelay = p.dir, time.Minute

		return cmd
	}

	first := run(t.Context())

	says, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}

	if err := first.Start(); err != nil {
		t.Fatal(err)
	}

	for said := ""; !strings.Contains(said, "works"); {
		b := make([]byte, 100)

		n, err := says.Read(b)
		if err != nil {
			t.Fatalf("the first run said %q: %v", said, err)
		}

		said += string(b[:n])
	}

	if out, err := run(t.Context()).CombinedOutput(); err == nil || !strings.Contains(string(out), "another .ci/run works in this checkout") {
		t.Errorf("the second run: %v: %s", err, out)
	}

	if err := os.WriteFile(filepath.Join(p.dir, "end"), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	if err := first.Wait(); err != nil {
		t.Errorf("the first run: %v", err)
	}

	if out, err := run(t.Context()).CombinedOutput(); err != nil {
		t.Errorf("a run behind it: %v: %s", err, out)
	}
}
