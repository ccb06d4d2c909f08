package nix

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// inNamespace marks the process in which the test mounts a disk of its own.
const inNamespace = "NIX_TEST_IN_NAMESPACE"

// ownMounts runs the calling test once more, in a namespace in which it may mount. It returns true in there.
func ownMounts(t *testing.T) bool {
	t.Helper()

	if os.Getenv(inNamespace) != "" {
		return true
	}

	needTools(t, "unshare")

	unshare := []string{"--mount", "--map-root-user"}
	if printed, err := exec.Command("unshare", append(unshare, "true")...).CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("cannot make a namespace for mounts: %v\n%s", err, printed)
		}

		t.Skipf("cannot make a namespace for mounts: %v\n%s", err, printed)
	}

	cmd := exec.Command("unshare", append(unshare, os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")...)
	cmd.Env = append(os.Environ(), inNamespace+"=1")

	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, printed)
	}

	return false
}

// smallDisk gives the machine's /var a disk of half a MiB.
func (m *machine) smallDisk() {
	m.t.Helper()

	if err := os.MkdirAll(m.path("root/var"), 0o755); err != nil {
		m.t.Fatal(err)
	}

	if err := syscall.Mount("tmpfs", m.path("root/var"), "tmpfs", 0, "size=512k,mode=0755"); err != nil {
		m.t.Fatalf("cannot mount: %v", err)
	}

	m.t.Cleanup(func() {
		if err := syscall.Unmount(m.path("root/var"), syscall.MNT_DETACH); err != nil {
			m.t.Errorf("cannot unmount: %v", err)
		}
	})
}

const ballast = "root/var/ballast"

// fill fills the disk of /var.
func (m *machine) fill() {
	m.t.Helper()

	file, err := os.Create(m.path(ballast))
	if err != nil {
		m.t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // It is full.

	for err == nil {
		_, err = file.Write(make([]byte, os.Getpagesize()))
	}

	if !errors.Is(err, syscall.ENOSPC) {
		m.t.Fatalf("the disk is not full: %v", err)
	}
}

// TestFullDisk has the disk of the script's state full at each moment that matters.
func TestFullDisk(t *testing.T) {
	if !ownMounts(t) {
		return
	}

	full := func(m *machine) { m.smallDisk(); m.fill() }
	freed := func(m *machine) { m.remove(ballast) }
	cases := map[string]struct {
		reason  string
		steps   []step
		outcome string
	}{
		"AfterBootEntry": {
			reason: "What is left to do after the boot entry must need no space: a good revision stays.",
			steps: []step{
				{before: func(m *machine) { m.smallDisk(); m.write("boot-fills-disk", "") }, env: continuous, want: firstApply.want, applied: "a"},
				{
					before: func(m *machine) { freed(m); m.remove("boot-fills-disk") }, env: continuous,
					want: outcome{Calls: []string{"ask remote"}, Running: "a", Boots: "a"}, says: "no change", applied: "a",
				},
			},
			outcome: "success",
		},
		"BeforeActivation": {
			reason: "What cannot be recorded must not be activated; with space again the machine converges.",
			steps: []step{
				{
					before: func(m *machine) {
						m.smallDisk()
						// The fetch has room, the record has none.
						m.write("build-fills-disk", "")
					},
					env:  continuous,
					want: outcome{Exit: 1, Calls: []string{"ask remote", "rebuild build 0a"}, Running: "t", Boots: "t"},
					says: "<3>nix-gitops: cannot write ",
				},
				{before: func(m *machine) { freed(m); m.remove("build-fills-disk") }, env: continuous, want: firstApply.want, applied: "a"},
			},
			outcome: "success",
		},
		"AllAlong": {
			reason: "A run on a full disk changes nothing.",
			steps:  []step{{before: full, env: continuous, want: outcome{Exit: 1, Calls: []string{"ask remote"}, Running: "t", Boots: "t"}}},
		},
		"FullSinceTheLastRun": {
			reason: "The report of a run that a full disk made fail must reach node-exporter, over the space that the last report set aside.",
			steps: []step{
				{before: (*machine).smallDisk, env: continuous, want: firstApply.want, applied: "a"},
				{before: (*machine).fill, env: continuous, want: outcome{Exit: 1, Calls: []string{"ask remote"}, Running: "a", Boots: "a"}, applied: "a"},
			},
			outcome: "unreachable",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := runSteps(t, tc.reason, tc.steps)
			if got := m.metrics()["nix_gitops_outcome"].label("outcome"); got != tc.outcome {
				t.Errorf("%s\noutcome for node-exporter: %q, want %q", tc.reason, got, tc.outcome)
			}
		})
	}
}
