package controlplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// commandLine builds kubectl-machine, once.
var commandLine = sync.OnceValues(func() (string, error) { //nolint:gochecknoglobals // Built for all tests.
	program, err := filepath.Abs(filepath.Join(logs, "kubectl-machine"))
	if err != nil {
		return "", err
	}

	cmd := exec.Command("go", "build", "-o", program, "./cmd/kubectl-machine")
	cmd.Dir = repository

	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build kubectl-machine: %w\n%s", err, said)
	}

	return program, nil
})

// TestCommandLine plans edits of machines that there are, and says how they are, as people do it: kubectl machine reads the control plane through
// kubectl. Nothing is written.
func TestCommandLine(t *testing.T) {
	for i, on := range []*installation{claims, namespaced} {
		t.Run(on.configuration, func(t *testing.T) {
			t.Parallel()

			r := on.rig(t)
			id := int64(5321 + i)
			claim := with(machine("plan-me", id), "size.cores", int64(2))

			t.Cleanup(func() {
				must(t, r.remove(context.Background(), claim))
				r.world.Remove(int(id))
			})
			must(t, r.apply(t.Context(), claim))
			must(t, r.ready(t.Context(), claim))
			must(t, r.still(t.Context(), claim))

			written := len(r.world.Journal())
			cases := []struct {
				name   string
				reason string
				claim  *unstructured.Unstructured
				args   []string
				want   []string
				code   int
			}{
				{name: "Kept", reason: "The file is what there is.", claim: claim, args: []string{"plan"}, want: []string{"Plan: 1 kept."}},
				{
					name: "Memory", reason: "More memory is there after a power cycle.", claim: with(claim, "size.memory", "6Gi"),
					args: []string{"plan", "--fail-on=reboot"}, want: []string{"needs a reboot: spec.size.memory: ", " GiB to 6 GiB"}, code: 3,
				},
				{
					name: "Refused", reason: "A VM cannot get another image.", claim: with(claim, "image", "debian-13"),
					args: []string{"plan", "--fail-on=refused"}, want: []string{"refused: spec.image: "}, code: 3,
				},
				{
					name: "Gone", reason: "Its disk goes with it.", claim: claim, args: []string{"plan", "--delete", "--fail-on=destroy"},
					want: []string{fmt.Sprintf("VM %d: remove", id), "is destroyed with its disks"}, code: 3,
				},
				{
					name: "New", reason: "There is none of that name.", claim: machine("plan-new", id+100), args: []string{"plan"},
					want: []string{"plan-new: new", fmt.Sprintf("VM %d", id+100)},
				},
				{name: "Why", reason: "It waits for nothing.", args: []string{"why", "plan-me", "-n", machines}, want: []string{"plan-me"}},
				{name: "Trace", reason: "Its resources.", args: []string{"trace", "plan-me", "-n", machines}, want: []string{"EnvironmentVM"}},
			}

			for _, tc := range cases {
				t.Run(tc.name, func(t *testing.T) {
					said, code := r.commandLine(t, tc.claim, tc.args...)
					t.Log(said)

					if code != tc.code {
						t.Errorf("%s\nexit code %d, want %d", tc.reason, code, tc.code)
					}

					for _, want := range tc.want {
						if !strings.Contains(said, want) {
							t.Errorf("%s\nit does not say %q", tc.reason, want)
						}
					}
				})
			}

			if now := r.world.Journal()[written:]; len(now) > 0 && strings.Contains(strings.Join(now, "\n"), fmt.Sprint(id)) {
				t.Errorf("written to Proxmox: %v", now)
			}
		})
	}
}

// commandLine runs kubectl-machine over this plane, with a claim in a file; nil is none. It returns all that was printed, and the exit code.
func (r *rig) commandLine(t *testing.T, claim *unstructured.Unstructured, args ...string) (said string, code int) {
	t.Helper()

	program, err := commandLine()
	must(t, err)

	if claim != nil {
		content, err := yaml.Marshal(claim.Object)
		must(t, err)

		file := filepath.Join(t.TempDir(), "claim.yaml")
		must(t, os.WriteFile(file, content, 0o600))

		args = append(args, "-f", file)
	}

	var out bytes.Buffer

	cmd := exec.CommandContext(t.Context(), program, append(args, "--kubeconfig", r.Kubeconfig)...)
	// What kubectl remembers of an API server at an address is another plane's, which had the port before.
	cmd.Env = append(os.Environ(), "KUBECACHEDIR="+t.TempDir())
	cmd.Stdout, cmd.Stderr = &out, &out

	if err := cmd.Run(); err != nil {
		if ended := (&exec.ExitError{}); errors.As(err, &ended) {
			return out.String(), ended.ExitCode()
		}

		t.Fatalf("%v\n%s", err, &out)
	}

	return out.String(), 0
}
