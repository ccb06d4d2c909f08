package tools

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/homelab-io/function-proxmox-machine/test/program"
)

// TestOneRun: a second .ci/run in a checkout says so and does nothing, since each takes the other's tools away; what a step left behind is no run.
func TestOneRun(t *testing.T) {
	if _, err := exec.LookPath("flock"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("no flock here, without which nothing is locked")
	}

	dir := t.TempDir()

	for file, content := range map[string]string{
		".ci/run": read(t, "../../.ci/run"), "hack/measured.sh": read(t, "../../hack/measured.sh"),
		// The first run leaves a program behind, and works until it is told to end.
		"hack/apt.sh": "#!/bin/sh\necho works\nsleep 5 >/dev/null 2>&1 &\nuntil [ -e end ]; do sleep 0.05; done\n",
	} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}

		if err := program.Write(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}

	run := func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, "bash", ".ci/run", "prepare")
		cmd.Dir, cmd.WaitDelay = dir, time.Minute

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

	if err := os.WriteFile(filepath.Join(dir, "end"), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	if err := first.Wait(); err != nil {
		t.Errorf("the first run: %v", err)
	}

	if out, err := run(t.Context()).CombinedOutput(); err != nil {
		t.Errorf("a run behind it: %v: %s", err, out)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()

	b, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}
