package nix

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/program"
)

const (
	scriptsDir = "../../internal/nixos/scripts"
	flakeDir   = "../../example/nix"
)

// needTools skips the test without the named programs, and fails it in CI: there, a skip would hide that nothing was tested.
func needTools(t *testing.T, names ...string) {
	t.Helper()

	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}

		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed", name)
		}

		t.Skipf("%s is not installed", name)
	}
}

// absolute returns the absolute form of a path below this package's directory.
func absolute(t *testing.T, path string) string {
	t.Helper()

	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatalf("cannot find %s: %v", path, err)
	}

	return abs
}

func readFile(t *testing.T, path string) string {
	t.Helper()

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("cannot read %s: %v", path, err)
	}

	return string(content)
}

// writeFile writes a file and the directories above it.
func writeFile(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()

	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatalf("cannot make a directory for %s: %v", path, err)
	}

	if err := program.Write(path, []byte(content), mode); err != nil {
		t.Fatalf("cannot write %s: %v", path, err)
	}
}
