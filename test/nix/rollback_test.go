package nix

import "testing"

var healthFails = []string{"NIX_GITOPS_HEALTH_CHECK=exit 1"}

func TestRollback(t *testing.T) {
	failed := outcome{Exit: 1, Calls: failedCalls("a", "t"), Running: "t", Boots: "t"}
	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"Activation": {
			reason: "Units that fail in activation (status 4) must bring the old system back, without touching the boot entry.",
			steps: []step{
				{before: func(m *machine) { m.write("store/a/status", "4") }, want: failed, says: "activation failed; rolled back"},
				{before: func(m *machine) { m.remove("store/a/status") }, want: firstApply.want, applied: "a"},
			},
		},
		"HealthCheck": {
			reason: "A failing health check must bring the old system back.",
			steps:  []step{{env: healthFails, want: failed, says: "the health check failed; rolled back"}},
		},
		"HealthCheckPasses": {
			reason: "A passing health check must not be in the way; one that needs a moment gets it.",
			steps: []step{{
				env:     []string{"NIX_GITOPS_HEALTH_CHECK=test -e $MACHINE/up || { touch $MACHINE/up; false; }"},
				want:    firstApply.want,
				applied: "a",
			}},
		},
		"RemoteLost": {
			reason: "A system that cannot reach the remote any more must go: it could never be repaired from Git.",
			steps: []step{{
				before: func(m *machine) { m.write("remote-away-with", m.path("store/a")) },
				want: outcome{
					Exit: 1,
					Calls: append(append([]string{"ask remote", "rebuild build 0a", "rebuild test 0a", "switch test a"},
						repeat("ask remote", 12)...), "switch test t"),
					Running: "t", Boots: "t",
				},
				says: "the remote is out of reach after activation; rolled back",
			}},
		},
		"BootEntry": {
			reason: "Without a boot entry the next reset would go back in silence: all must be as before.",
			steps: []step{{
				before: func(m *machine) { m.write("boot-fails", "") },
				want: outcome{
					Exit:    1,
					Calls:   append(applyCalls("a"), "nix-env --set t", "switch boot t", "switch test t"),
					Running: "t", Boots: "t",
				},
				says: "the boot entry could not be written; rolled back",
			}},
		},
		"BootEntryNotWritten": {
			reason: "A boot entry that still names the old system is not written, whatever nixos-rebuild says.",
			steps: []step{{
				before: func(m *machine) { m.write("boot-inert", "") },
				want: outcome{
					Exit:    1,
					Calls:   append(applyCalls("a"), "nix-env --set t", "switch boot t", "switch test t"),
					Running: "t", Boots: "t",
				},
				says: "the boot entry could not be written; rolled back",
			}},
		},
		"HealthCheckHangs": {
			reason: "A health check that never ends must fail.",
			steps: []step{{
				env:  []string{"NIX_GITOPS_HEALTH_CHECK=sleep 60", "NIX_GITOPS_LIMIT_SECONDS=0.05"},
				want: failed,
				says: "the health check failed; rolled back",
			}},
		},
		"HealthCheckLeavesProcess": {
			reason: "What a health check leaves running must not keep the next run out.",
			steps: []step{
				{env: append(continuous, "NIX_GITOPS_HEALTH_CHECK=sleep 5 >/dev/null 2>&1 &"), want: firstApply.want, applied: "a"},
				{env: continuous, want: outcome{Calls: []string{"ask remote"}, Running: "a", Boots: "a"}, applied: "a"},
			},
		},
		"GivesUpOnRevision": {
			reason: "Each activation of a bad revision disturbs the machine: three, then only a new revision is tried.",
			steps: []step{
				{env: healthFails, want: failed},
				{env: healthFails, want: failed},
				{env: healthFails, want: failed},
				{
					env: healthFails, want: outcome{Exit: 1, Calls: []string{"ask remote"}, Running: "t", Boots: "t"},
					says: "was activated 3 times without success and is not tried again",
				},
				{before: push(revisionB), want: outcome{Calls: applyCalls("b"), Running: "b", Boots: "b"}, applied: "b"},
			},
		},
		"RollbackFails": {
			reason: "A rollback that fails must be the loudest message, and the next run must try it again before anything else.",
			steps: []step{
				{
					before: func(m *machine) { m.write("store/t/inert", ""); m.write("store/a/status", "4") },
					want:   outcome{Exit: 1, Calls: failedCalls("a", "t"), Running: "a", Boots: "t"},
					says:   "THE ROLLBACK FAILED",
				},
				{
					before: func(m *machine) { m.remove("store/t/inert") },
					want: outcome{
						Exit:    1,
						Calls:   append([]string{"switch test t"}, failedCalls("a", "t")...),
						Running: "t", Boots: "t",
					},
					says: "was cut short",
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

func TestCutShort(t *testing.T) {
	killed := step{
		before: func(m *machine) { m.write("store/a/hangs", "") },
		want:   outcome{Exit: -1, Calls: failedCalls("a", "t")[:4], Running: "a", Boots: "t"},
	}
	written := step{
		before: func(m *machine) { m.write("boot-hangs", "") },
		env:    continuous,
		want:   outcome{Exit: -1, Calls: applyCalls("a"), Running: "a", Boots: "a"},
	}
	always := []string{"NIX_GITOPS_MODE=continuous", "NIX_GITOPS_REBOOT=always"}
	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"SameBoot": {
			reason: "Killed between activation and check, the machine runs a system that nobody judged: first back, then again.",
			steps: []step{killed, {
				before:  func(m *machine) { m.remove("store/a/hangs") },
				want:    outcome{Calls: append([]string{"switch test t"}, applyCalls("a")...), Running: "a", Boots: "a"},
				says:    "was cut short",
				applied: "a",
			}},
		},
		"AfterReset": {
			reason: "After a reset the boot entry has chosen the old system: there is nothing to go back from.",
			steps: []step{killed, {
				before:  func(m *machine) { m.remove("store/a/hangs"); m.reboot("boot-2") },
				want:    firstApply.want,
				says:    "was cut short",
				applied: "a",
			}},
		},
		"AfterBootEntry": {
			reason: "Killed between boot entry and record, the machine runs what passed all checks and what it boots: that is recorded, not undone.",
			steps: []step{written, {
				before:  func(m *machine) { m.remove("boot-hangs") },
				env:     continuous,
				want:    outcome{Calls: []string{"switch boot a", "ask remote"}, Running: "a", Boots: "a"},
				says:    "no change",
				applied: "a",
			}},
		},
		"AfterBootEntryAndReset": {
			reason: "The boot entry of a checked system was written, and the machine has booted it: that is recorded.",
			steps: []step{written, {
				before:  func(m *machine) { m.remove("boot-hangs"); m.reboot("boot-2") },
				env:     continuous,
				want:    outcome{Calls: []string{"switch boot a", "ask remote"}, Running: "a", Boots: "a"},
				says:    "no change",
				applied: "a",
			}},
		},
		"AfterBootEntryInFirstBootMode": {
			reason: "In first-boot mode, too, the machine has what it is to have, and needs no remote for it.",
			steps: []step{{before: written.before, want: written.want}, {
				before:  func(m *machine) { m.remove("boot-hangs"); m.write("remote-away", "") },
				want:    outcome{Calls: []string{"switch boot a"}, Running: "a", Boots: "a"},
				says:    "was applied already",
				applied: "a",
			}},
		},
		"RebootAfterBootEntry": {
			reason: "The reboot that the activation was to end with must not be lost with it.",
			steps: []step{{before: written.before, env: always, want: written.want}, {
				before:  func(m *machine) { m.remove("boot-hangs") },
				env:     always,
				want:    outcome{Calls: []string{"switch boot a", "ask remote", "systemctl reboot --no-block"}, Running: "a", Boots: "a"},
				applied: "a",
			}},
		},
		"WithinBootEntry": {
			reason: "Killed before the boot loader knew of it, a system runs well, but nobody knows what a reset brings: the run fails until it is written.",
			steps: []step{
				written,
				{
					before: func(m *machine) { m.remove("boot-hangs"); m.write("store/a/no-boot-loader", "") },
					env:    continuous,
					want:   outcome{Exit: 1, Calls: []string{"switch boot a"}, Running: "a", Boots: "a"},
					says:   "runs and is healthy, but its boot entry could not be written",
				},
				{
					before:  func(m *machine) { m.remove("store/a/no-boot-loader") },
					env:     continuous,
					want:    outcome{Calls: []string{"switch boot a", "ask remote"}, Running: "a", Boots: "a"},
					applied: "a",
				},
			},
		},
		"WithinBootEntryAndReset": {
			reason: "A reset before the boot loader knew brings the old system: the entry must name it again, as what a rollback goes back to.",
			steps: []step{
				written,
				{
					before: func(m *machine) {
						m.remove("boot-hangs")
						m.write("store/a/status", "4")
						m.boot("boot-2")
						m.symlink("store/t", "root/run/current-system")
					},
					env:  continuous,
					want: outcome{Exit: 1, Calls: append([]string{"nix-env --set t", "switch boot t"}, failedCalls("a", "t")...), Running: "t", Boots: "t"},
					says: "rolled back",
				},
			},
		},
		"WhileTidying": {
			reason: "Killed after the record, there is nothing left but to tidy up.",
			steps: []step{
				{env: continuous, want: firstApply.want, applied: "a"},
				{
					before: func(m *machine) {
						m.write("root/var/lib/nix-gitops/pending", "revision x\nsystem "+m.path("store/a")+"\nprevious "+m.path("store/t")+"\nentry "+m.path("store/t")+"\nboot boot-1\n")
					},
					env:     continuous,
					want:    outcome{Calls: []string{"ask remote"}, Running: "a", Boots: "a"},
					applied: "a",
				},
			},
		},
		"ByAnEarlierScript": {
			reason: "What the script of an earlier release left says nothing of the boot entry: the machine goes back, as that script would.",
			steps: []step{{
				before: func(m *machine) {
					for _, link := range []string{"root/run/current-system", "root/nix/var/nix/profiles/system"} {
						m.symlink("store/a", link)
					}
					m.write("root/var/lib/nix-gitops/pending", "revision x\nprevious "+m.path("store/t")+"\nboot boot-1\n")
				},
				want:    outcome{Calls: append([]string{"switch test t"}, applyCalls("a")...), Running: "a", Boots: "a"},
				says:    "was cut short",
				applied: "a",
			}},
		},
		"HandMadeActivation": {
			reason: "A boot entry that named the system before says nothing of checks: what was cut short is undone.",
			steps: []step{
				{
					before: func(m *machine) {
						m.symlink("store/a", "root/nix/var/nix/profiles/system")
						m.write("store/a/hangs", "")
					},
					want: outcome{Exit: -1, Calls: failedCalls("a", "t")[:4], Running: "a", Boots: "a"},
				},
				{
					before:  func(m *machine) { m.remove("store/a/hangs") },
					want:    outcome{Calls: append([]string{"switch test t"}, applyCalls("a")...), Running: "a", Boots: "a"},
					says:    "was cut short",
					applied: "a",
				},
			},
		},
		"HangsEachTime": {
			reason: "A revision that takes the machine down must not do so for ever.",
			steps: []step{
				killed,
				{before: func(m *machine) { m.reboot("boot-2") }, want: killed.want},
				{before: func(m *machine) { m.reboot("boot-3") }, want: killed.want},
				{
					before: func(m *machine) { m.reboot("boot-4") },
					want:   outcome{Exit: 1, Calls: []string{"ask remote"}, Running: "t", Boots: "t"},
					says:   "is not tried again",
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

func repeat(call string, times int) []string {
	var calls []string
	for range times {
		calls = append(calls, call)
	}

	return calls
}
