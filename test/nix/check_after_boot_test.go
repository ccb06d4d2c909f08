package nix

import (
	"os"
	"testing"
)

// TestCheckAfterBoot: the health check is run once more when the machine has booted what was applied.
func TestCheckAfterBoot(t *testing.T) {
	const check = "NIX_GITOPS_HEALTH_CHECK=echo check >>$MACHINE/calls; test ! -e $MACHINE/ill"

	checked := func(calls ...string) []string {
		out := append([]string{}, calls[:4]...)
		return append(append(out, "check"), calls[4:]...)
	}
	once := []string{check}
	always := []string{check, "NIX_GITOPS_MODE=continuous"}
	kernel := []string{check, "NIX_GITOPS_MODE=continuous", "NIX_GITOPS_REBOOT=kernel"}

	ill := func(m *machine) { m.reboot("boot-2"); m.write("ill", "") }
	back := append(repeat("check", 12), "nix-env --set t", "switch boot t", "switch test t")
	rejected := outcome{Exit: 1, Calls: back, Running: "t", Boots: "t"}
	applies := step{env: always, want: outcome{Calls: checked(applyCalls("a")...), Running: "a", Boots: "a"}, applied: "a"}
	stays := outcome{Calls: []string{"ask remote"}, Running: "a", Boots: "a"}
	notAgain := outcome{Exit: 1, Calls: []string{"ask remote"}, Running: "t", Boots: "t"}

	cases := map[string]struct {
		reason  string
		steps   []step
		outcome string
	}{
		"Healthy": {
			reason: "A healthy machine is checked once after its boot, and not in every run to come.",
			steps: []step{
				applies,
				{env: always, want: stays, applied: "a"},
				{
					before: func(m *machine) { m.reboot("boot-2") },
					env:    always, want: outcome{Calls: []string{"check", "ask remote"}, Running: "a", Boots: "a"},
					says: "is healthy after its first boot", applied: "a",
				},
				{before: func(m *machine) { m.reboot("boot-3"); m.write("ill", "") }, env: always, want: stays, applied: "a"},
			},
			outcome: "success",
		},
		"NeedsAMoment": {
			reason: "Services that are still starting have their time.",
			steps: []step{
				{want: firstApply.want, applied: "a"},
				{
					before: func(m *machine) { m.reboot("boot-2") },
					env:    []string{"NIX_GITOPS_HEALTH_CHECK=test -e $MACHINE/up || { touch $MACHINE/up; false; }"},
					want:   outcome{Running: "a", Boots: "a"}, says: "is healthy after its first boot", applied: "a",
				},
			},
			outcome: "success",
		},
		"Unhealthy": {
			reason: "What does not come up by itself must go, running and at boot, and is not tried again; the next revision is.",
			steps: []step{
				applies,
				{before: ill, env: always, want: rejected, says: "the health check failed after its first boot; rolled back"},
				{env: always, want: notAgain, says: "is not tried again"},
				{
					before: func(m *machine) { push(revisionB)(m); m.remove("ill") },
					env:    always, want: outcome{Calls: checked(applyCalls("b")...), Running: "b", Boots: "b"}, applied: "b",
				},
			},
			outcome: "success",
		},
		"FirstBootMode": {
			reason: "In first-boot mode, too, a machine that went back must not pass for one that has its target.",
			steps: []step{
				{env: once, want: applies.want, applied: "a"},
				{before: ill, env: once, want: rejected, says: "rolled back"},
				{env: once, want: notAgain, says: "is not tried again"},
			},
			outcome: "given-up",
		},
		"NewKernel": {
			reason: "With the policy kernel the machine went into the new kernel by itself, and goes back so, once.",
			steps: []step{
				{
					before: func(m *machine) { m.addSystem("a", "kernel-2") }, env: kernel, applied: "a",
					want: outcome{Calls: append(checked(applyCalls("a")...), "systemctl reboot --no-block"), Running: "a", Boots: "a"},
				},
				{
					before: ill, env: kernel, says: "rebooting into a new kernel",
					want: outcome{Exit: 1, Calls: append(append([]string{}, back...), "systemctl reboot --no-block"), Running: "t", Boots: "t"},
				},
				{before: func(m *machine) { m.reboot("boot-3") }, env: kernel, want: notAgain},
			},
			outcome: "given-up",
		},
		"NewKernelNever": {
			reason: "With the policy never the machine waits for whoever rebooted it.",
			steps: []step{
				{before: func(m *machine) { m.addSystem("a", "kernel-2") }, env: always, want: applies.want, applied: "a"},
				{before: ill, env: always, want: rejected, says: "a new kernel waits for a reboot"},
			},
			outcome: "rolled-back",
		},
		"NothingToGoBackTo": {
			reason: "Where the system before is gone, the run must say what is wrong, at each run, and the way to a better revision stays open.",
			steps: []step{
				applies,
				{
					before: func(m *machine) { ill(m); m.remove("store/t/bin/switch-to-configuration") },
					env:    always, want: outcome{Exit: 1, Calls: append(repeat("check", 12), "ask remote"), Running: "a", Boots: "a"},
					says: "the health check fails after the first boot of ", applied: "a",
				},
				{
					before: func(m *machine) { push(revisionB)(m); m.remove("ill") },
					env:    always, want: outcome{Calls: append([]string{"check"}, checked(applyCalls("b")...)...), Running: "b", Boots: "b"}, applied: "b",
				},
			},
			outcome: "success",
		},
		"NothingToGoBackToIsSeen": {
			reason: "A monitor must see it.",
			steps: []step{
				applies,
				{
					before: func(m *machine) { ill(m); m.remove("store/t/bin/switch-to-configuration") },
					env:    always, want: outcome{Exit: 1, Calls: append(repeat("check", 12), "ask remote"), Running: "a", Boots: "a"}, applied: "a",
				},
			},
			outcome: "unhealthy",
		},
		"CutShort": {
			reason: "A return that was cut short is finished first.",
			steps: []step{
				applies,
				{
					before: func(m *machine) { ill(m); m.write("store/t/hangs", "") },
					env:    always, want: outcome{Exit: -1, Calls: back[:14], Running: "a", Boots: "t"},
				},
				{
					before: func(m *machine) { m.remove("store/t/hangs") },
					env:    always, want: outcome{Exit: 1, Calls: append(append([]string{}, back[12:]...), "ask remote"), Running: "t", Boots: "t"},
					says: "is not tried again",
				},
			},
			outcome: "given-up",
		},
		"CutShortAndReset": {
			reason: "A reset in the middle of the return must not bring the rejected system back for good.",
			steps: []step{
				applies,
				{
					before: func(m *machine) { ill(m); m.write("store/t/hangs", "") },
					env:    always, want: outcome{Exit: -1, Calls: back[:14], Running: "a", Boots: "t"},
				},
				{
					before: func(m *machine) {
						m.remove("store/t/hangs")
						m.symlink("store/a", "root/nix/var/nix/profiles/system")
						m.reboot("boot-3")
					},
					env: always, want: outcome{Exit: 1, Calls: append(append([]string{}, back[12:]...), "ask remote"), Running: "t", Boots: "t"},
				},
			},
			outcome: "given-up",
		},
		"ReturnFails": {
			reason: "A boot entry that cannot be restored is the loudest message, and the next run tries it again.",
			steps: []step{
				applies,
				{
					before: func(m *machine) { ill(m); m.write("store/t/no-boot-loader", "") },
					env:    always, want: rejected, says: "rolled back, but a reset of the machine may boot what was rejected",
				},
				{
					before: func(m *machine) { m.remove("store/t/no-boot-loader") },
					env:    always, want: outcome{Exit: 1, Calls: append(append([]string{}, back[12:]...), "ask remote"), Running: "t", Boots: "t"},
				},
			},
			outcome: "given-up",
		},
		"CannotBeRemembered": {
			reason: "A check whose success a full disk keeps from being recorded is made again.",
			steps: []step{
				applies,
				{
					before: func(m *machine) {
						m.reboot("boot-2")

						if err := os.Symlink("/dev/full", m.path("root/var/lib/nix-gitops/applied.new")); err != nil {
							m.t.Fatal(err)
						}
					},
					env: always, want: outcome{Calls: []string{"check", "ask remote"}, Running: "a", Boots: "a"}, says: "the next run checks again", applied: "a",
				},
				{
					before: func(m *machine) { m.remove("root/var/lib/nix-gitops/applied.new") },
					env:    always, want: outcome{Calls: []string{"check", "ask remote"}, Running: "a", Boots: "a"}, applied: "a",
				},
			},
			outcome: "success",
		},
		"BootedByHand": {
			reason: "Another system than the one that was applied says nothing about that one.",
			steps: []step{
				{env: once, want: applies.want, applied: "a"},
				{
					before: func(m *machine) {
						m.boot("boot-2")
						m.symlink("store/t", "root/run/current-system")
						m.symlink("store/t", "root/run/booted-system")
						m.write("ill", "")
					},
					env: once, want: outcome{Running: "t", Boots: "a"}, applied: "a",
				},
			},
			outcome: "success",
		},
		"SameSystemAgain": {
			reason: "A target that builds the same system takes over what is still to be checked.",
			steps: []step{
				applies,
				{
					before: func(m *machine) {
						m.write("root/etc/nix-flake-target", "git+https://git.example.org/infra?ref=main&dir=nix#dns01\n")
					},
					env: always,
					want: outcome{
						Calls:   []string{"ask remote&dir=nix", "rebuild build --flake git+https://git.example.org/infra?ref=main&dir=nix&rev=" + revisionA},
						Running: "a", Boots: "a",
					},
					says: "is the system that runs", applied: "a",
				},
				{before: ill, env: always, want: rejected},
			},
			outcome: "rolled-back",
		},
		"AfterPowerCut": {
			reason: "The first boot of what an activation did not come to record is checked, too.",
			steps: []step{
				{before: func(m *machine) { m.write("boot-hangs", "") }, env: always, want: outcome{Exit: -1, Calls: checked(applyCalls("a")...), Running: "a", Boots: "a"}},
				{
					before: func(m *machine) { m.remove("boot-hangs"); ill(m) },
					env:    always, want: outcome{Exit: 1, Calls: append([]string{"switch boot a"}, back...), Running: "t", Boots: "t"},
				},
			},
			outcome: "rolled-back",
		},
		"ByAnEarlierScript": {
			reason: "The record of an earlier release's script says nothing of boots: no check.",
			steps: []step{
				applies,
				{
					before: func(m *machine) {
						ill(m)
						m.write("root/var/lib/nix-gitops/applied", "target "+target+"\nrevision git+https://git.example.org/infra?ref=main&rev="+
							revisionA+"#dns01\nsystem "+m.path("store/a")+"\ncommitted 1700000000\napplied 2026-01-01T00:00:00Z\n")
					},
					env: always, want: stays, applied: "a",
				},
			},
			outcome: "success",
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
