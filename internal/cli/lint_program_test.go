package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/program"
)

// TestLintProgramBeside: where an archive of a release was unpacked, and where krew put it.
func TestLintProgramBeside(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are made of their mode here")
	}

	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}

	file := func(path string, mode os.FileMode) string {
		t.Helper()

		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}

		if err := program.Write(path, nil, mode); err != nil {
			t.Fatal(err)
		}

		return path
	}

	store, lint := file("store/kubectl-machine", 0o700), file("store/kubectl-machine-lint", 0o700)
	alone := file("alone/kubectl-machine", 0o700)
	text := file("text/kubectl-machine", 0o700)
	file("text/kubectl-machine-lint", 0o600)

	link := filepath.Join(dir, "bin-kubectl-machine")
	if err := os.Symlink(store, link); err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct{ reason, own, want string }{
		"Unpacked": {"an archive has both programs", store, lint},
		"Linked":   {"krew links one program of an archive, and leaves both in its store", link, lint},
		"Alone":    {"go install builds one program", alone, ""},
		"Text":     {"a file that cannot be run is no program", text, ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := lintProgramBeside(tc.own); got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
