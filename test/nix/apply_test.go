package nix

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A step changes the machine's world, runs the script, and says what must have come of it.
type step struct {
	before  func(*machine)
	env     []string
	want    outcome
	says    string // part of what is printed
	applied string // last letter of the revision on record after the step; empty: none
}

func applyCalls(revision string) []string {
	return []string{
		"ask remote",
		"rebuild build 0" + revision,
		"rebuild test 0" + revision, "switch test " + revision,
		"ask remote",
		"rebuild boot 0" + revision,
	}
}

func failedCalls(revision, back string) []string {
	return []string{
		"ask remote",
		"rebuild build 0" + revision,
		"rebuild test 0" + revision, "switch test " + revision,
		"switch test " + back,
	}
}

func push(revision string) func(*machine) {
	return func(m *machine) { m.write("remote", revision+commitTime) }
}

var (
	firstApply = step{want: outcome{Calls: applyCalls("a"), Running: "a", Boots: "a"}, applied: "a"}
	continuous = []string{"NIX_GITOPS_MODE=continuous"}
)

// runSteps runs the script on a machine of its own, which it returns.
func runSteps(t *testing.T, reason string, steps []step) *machine {
	t.Helper()

	m := newMachine(t)
	for i, s := range steps {
		if s.before != nil {
			s.before(m)
		}

		got, printed := m.run(s.env...)
		if diff := cmp.Diff(s.want, got); diff != "" {
			t.Fatalf("%s\nstep %d: -want, +got:\n%s\nprinted:\n%s", reason, i+1, diff, printed)
		}

		if !strings.Contains(printed, s.says) {
			t.Errorf("%s\nstep %d: want %q in:\n%s", reason, i+1, s.says, printed)
		}

		if got := m.applied()["revision"]; !strings.HasSuffix(got, s.applied+"#dns01") && (s.applied != "" || got != "") {
			t.Errorf("%s\nstep %d: revision on record: %q, want that of %q", reason, i+1, got, s.applied)
		}
	}

	return m
}

func TestFirstBoot(t *testing.T) {
	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"OnceAndNoMore": {
			reason: "After the first success first-boot mode must do nothing, not even ask the remote, whatever is pushed, also after a reboot.",
			steps: []step{
				firstApply,
				{before: push(revisionB), want: outcome{Running: "a", Boots: "a"}, says: "was applied already", applied: "a"},
				{before: func(m *machine) { m.reboot("boot-2") }, want: outcome{Running: "a", Boots: "a"}, says: "was applied already", applied: "a"},
			},
		},
		"ChangedTarget": {
			reason: "Another line in the target file must converge again.",
			steps: []step{
				firstApply,
				{
					before: func(m *machine) {
						push(revisionB)(m)
						m.write("root/etc/nix-flake-target", "# moved\n\ngit+https://git.example.org/infra?ref=main&dir=nix#dns01\n")
					},
					want: outcome{
						Calls: []string{
							"ask remote&dir=nix", "rebuild build --flake git+https://git.example.org/infra?ref=main&dir=nix&rev=" + revisionB,
							"rebuild test --flake git+https://git.example.org/infra?ref=main&dir=nix&rev=" + revisionB, "switch test b",
							"ask remote&dir=nix", "rebuild boot --flake git+https://git.example.org/infra?ref=main&dir=nix&rev=" + revisionB,
						},
						Running: "b", Boots: "b",
					},
					applied: "b",
				},
			},
		},
		"RemoteAway": {
			reason: "A remote that is away must be a loud failure that touches nothing, and the next run must converge.",
			steps: []step{
				{
					before: func(m *machine) { m.write("remote-away", "") },
					want:   outcome{Exit: 1, Calls: []string{"ask remote"}, Running: "t", Boots: "t"},
					says:   "<3>nix-gitops: cannot read git+https://git.example.org/infra?ref=main",
				},
				{before: func(m *machine) { m.remove("remote-away") }, want: firstApply.want, applied: "a"},
			},
		},
		"DoesNotBuild": {
			reason: "A revision that does not build must not be activated, and must not count as an activation.",
			steps: []step{
				{
					before: push(revisionC),
					want:   outcome{Exit: 1, Calls: []string{"ask remote", "rebuild build 0c"}, Running: "t", Boots: "t"},
					says:   "does not build; nothing was changed",
				},
				{before: push(revisionA), want: firstApply.want, applied: "a"},
			},
		},
		"NotLocked": {
			reason: "Without a revision the build and the record could mean two things.",
			steps: []step{{
				before: push("main"),
				want:   outcome{Exit: 1, Calls: []string{"ask remote"}, Running: "t", Boots: "t"},
				says:   "which is no locked revision",
			}},
		},
		"SameSystem": {
			reason: "A revision that builds the system that runs needs no activation, only the record.",
			steps: []step{{
				before: func(m *machine) {
					for _, link := range []string{"root/run/current-system", "root/nix/var/nix/profiles/system"} {
						m.symlink("store/a", link)
					}
				},
				want:    outcome{Calls: []string{"ask remote", "rebuild build 0a"}, Running: "a", Boots: "a"},
				says:    "is the system that runs",
				applied: "a",
			}},
		},
		"SecondRun": {
			reason: "A second run beside a first one must stop at once.",
			steps: []step{{
				before: func(m *machine) { m.holdLock() },
				want:   outcome{Exit: 1, Running: "t", Boots: "t"},
				says:   "another run is going on",
			}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runSteps(t, tc.reason, tc.steps)
		})
	}
}

func TestRecord(t *testing.T) {
	m := newMachine(t)
	if got, printed := m.run(); got.Exit != 0 {
		t.Fatalf("the first apply failed:\n%s", printed)
	}

	want := map[string]string{
		"target":    target,
		"revision":  "git+https://git.example.org/infra?ref=main&rev=" + revisionA + "#dns01",
		"system":    "store/a",
		"committed": "1700000000",
		// Until the machine has booted it and is healthy.
		"previous": "store/t",
		"boot":     "boot-1",
	}
	if diff := cmp.Diff(want, m.applied()); diff != "" {
		t.Errorf("the record must say what was applied and from where: -want, +got:\n%s", diff)
	}

	info, err := os.Stat(m.path("root/var/lib/nix-gitops/applied"))
	if err != nil || info.Mode() != 0o644 {
		t.Errorf("everybody may read what was applied; mode %v, error %v", info.Mode(), err)
	}

	left, err := m.stateFiles()
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff([]string{"applied", "lock", "result"}, left); diff != "" {
		t.Errorf("nothing else may be left behind: -want, +got:\n%s", diff)
	}
}

func TestContinuous(t *testing.T) {
	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"NoChange": {
			reason: "With the same revision only the remote is asked.",
			steps: []step{
				{env: continuous, want: firstApply.want, applied: "a"},
				{env: continuous, want: outcome{Calls: []string{"ask remote"}, Running: "a", Boots: "a"}, says: "no change", applied: "a"},
			},
		},
		"NewRevision": {
			reason: "A pushed revision must be applied; a schedule alone means continuous mode.",
			steps: []step{
				{env: continuous, want: firstApply.want, applied: "a"},
				{before: push(revisionB), env: continuous, want: outcome{Calls: applyCalls("b"), Running: "b", Boots: "b"}, applied: "b"},
			},
		},
		"Drift": {
			reason: "A machine that no longer runs what was applied must be brought back, and say so.",
			steps: []step{
				{env: continuous, want: firstApply.want, applied: "a"},
				{
					before:  func(m *machine) { m.symlink("store/b", "root/run/current-system") },
					env:     continuous,
					want:    outcome{Calls: applyCalls("a"), Running: "a", Boots: "a"},
					says:    "<4>nix-gitops: the machine no longer runs what was applied",
					applied: "a",
				},
			},
		},
		"RemoteAwayWithCache": {
			reason: "What Nix has in its cache must never pass for the remote's answer: the run fails and the machine stays.",
			steps: []step{
				{env: continuous, want: firstApply.want, applied: "a"},
				{
					before: func(m *machine) {
						m.write("home/.cache/remote", revisionB+commitTime)
						m.write("remote-away", "")
					},
					env:     continuous,
					want:    outcome{Exit: 1, Calls: []string{"ask remote"}, Running: "a", Boots: "a"},
					says:    "nothing was changed",
					applied: "a",
				},
			},
		},
		"BranchReset": {
			reason: "Git decides, also when it goes back, but that must be seen.",
			steps: []step{
				{before: func(m *machine) { m.write("remote", revisionB+" 1700000100\n") }, env: continuous, want: outcome{Calls: applyCalls("b"), Running: "b", Boots: "b"}, applied: "b"},
				{before: push(revisionA), env: continuous, want: firstApply.want, says: "<4>nix-gitops: going back", applied: "a"},
			},
		},
		"OldRevisionStays": {
			reason: "A bad revision on a machine that works must leave it with the old one, running and at boot.",
			steps: []step{
				{env: continuous, want: firstApply.want, applied: "a"},
				{
					before:  func(m *machine) { push(revisionB)(m); m.write("store/b/status", "4") },
					env:     continuous,
					want:    outcome{Exit: 1, Calls: failedCalls("b", "a"), Running: "a", Boots: "a"},
					says:    "activation failed; rolled back",
					applied: "a",
				},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runSteps(t, tc.reason, tc.steps)
		})
	}
}
