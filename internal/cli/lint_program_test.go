package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

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

// TestLintProgramIsAsked what a person asked for, and takes it.
func TestLintProgramIsAsked(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason      string
		typed, want []string
	}{
		"Files": {"what nobody typed is left out", []string{"-f", "a.yaml", "-f", "b"}, []string{"--file=a.yaml", "--file=b"}},
		"All": {
			"what somebody typed is handed on, but for the way to the program itself",
			[]string{"-f", "a.yaml,b", "--catalogue", "c.yaml", "--strict", "--api-server", "--flavour", "claims", "-o", "json", "--color", "never"},
			[]string{"--catalogue=c.yaml", "--color=never", "--file=a.yaml", "--file=b", "--flavour=claims", "--output=json", "--strict=true"},
		},
	}

	command := func(args []string) *cobra.Command {
		t.Helper()

		s, addColour := withColour(Streams{})
		cmd := newLint(s, nil)
		addColour(cmd)

		if err := cmd.ParseFlags(args); err != nil {
			t.Fatal(err)
		}

		return cmd
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			got := arguments(command(tc.typed).Flags())
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}

			if err := refuseFlags(command(got)); err != nil {
				t.Errorf("%s: the other program refuses that: %v", tc.reason, err)
			}
		})
	}
}
