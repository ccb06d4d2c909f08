package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/program"
)

// TestReproduce: hack/reproduce.sh passes only if both folders have the same release. make is a script here, which writes one.
func TestReproduce(t *testing.T) {
	script, err := filepath.Abs("../../hack/reproduce.sh")
	if err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct{ reason, asset, want string }{
		"Same":    {"what depends on the sources alone is the same", "cat source", "two builds, the same bytes"},
		"Folder":  {"the folder must not be in a file", "pwd", "two builds of one release differ"},
		"Zone":    {"nor the time zone", `echo "$TZ"`, "two builds of one release differ"},
		"Umask":   {"nor what the person's files are like", "umask", "two builds of one release differ"},
		"Ignored": {"a file that Git does not know is not needed", "cat ignored", "No such file"},
		"Nothing": {"a release without files is none", "", "the release has no assets"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir, bin := t.TempDir(), t.TempDir()

			made := "#!/bin/sh\nset -eu\nrm -rf _output\nmkdir -p _output/release/assets _output/release/packages/p\n"
			if tc.asset != "" {
				made += tc.asset + " >_output/release/assets/a\n"
			}

			for path, content := range map[string]string{
				filepath.Join(bin, "make"): made, filepath.Join(dir, "source"): "source\n", filepath.Join(dir, "ignored"): "ignored\n",
				filepath.Join(dir, ".gitignore"): "ignored\n_output\n",
			} {
				if err := program.Write(path, []byte(content), 0o700); err != nil {
					t.Fatal(err)
				}
			}

			run := func(program string, args ...string) (string, error) {
				cmd := exec.CommandContext(t.Context(), program, args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "TZ=UTC")

				out, err := cmd.CombinedOutput()

				return string(out), err //nolint:wrapcheck // For the test.
			}

			for _, args := range [][]string{
				{"init", "--quiet"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message=t"},
			} {
				if out, err := run("git", args...); err != nil {
					t.Fatal(out, err)
				}
			}

			out, err := run(script)
			if (err == nil) != (name == "Same") || !strings.Contains(out, tc.want) {
				t.Errorf("%s: want %q, got %v:\n%s", tc.reason, tc.want, err, out)
			}
		})
	}
}
