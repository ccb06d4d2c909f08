package nix

import (
	"os"
	"testing"
)

func reboots(system string) outcome {
	return outcome{Calls: append(applyCalls(system), "systemctl reboot --no-block"), Running: system, Boots: system}
}

func TestReboot(t *testing.T) {
	never, kernel, always := "NIX_GITOPS_REBOOT=never", "NIX_GITOPS_REBOOT=kernel", "NIX_GITOPS_REBOOT=always"
	stays := func(system string) outcome {
		return outcome{Calls: []string{"ask remote"}, Running: system, Boots: system}
	}
	newKernel := func(m *machine) { m.addSystem("a", "kernel-2") }
	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"Default": {
			reason: "Nobody asked for reboots: there are none, but the wait for one is told.",
			steps:  []step{{before: newKernel, want: firstApply.want, says: "a new kernel waits for a reboot", applied: "a"}},
		},
		"Never": {
			reason: "never is never.",
			steps:  []step{{before: newKernel, env: []string{never}, want: firstApply.want, says: "a new kernel waits for a reboot", applied: "a"}},
		},
		"KernelSame": {
			reason: "Without a new kernel the policy kernel must not reboot.",
			steps:  []step{{env: []string{kernel}, want: firstApply.want, applied: "a"}},
		},
		"KernelNew": {
			reason: "A new kernel reboots once; the machine that came up in it has nothing more to do.",
			steps: []step{
				{before: newKernel, env: []string{kernel}, want: reboots("a"), says: "rebooting into a new kernel", applied: "a"},
				{before: func(m *machine) { m.reboot("boot-2") }, env: []string{kernel}, want: outcome{Running: "a", Boots: "a"}, applied: "a"},
			},
		},
		"Always": {
			reason: "always means once for every new system.",
			steps: []step{
				{env: append(continuous, always), want: reboots("a"), says: "rebooting into a new system", applied: "a"},
				{before: func(m *machine) { m.reboot("boot-2") }, env: append(continuous, always), want: stays("a"), applied: "a"},
				{before: push(revisionB), env: append(continuous, always), want: reboots("b"), applied: "b"},
			},
		},
		"LostReboot": {
			reason: "A reboot that did not happen is reported, not forced on a machine that is at work by now.",
			steps: []step{
				{before: newKernel, env: append(continuous, kernel), want: reboots("a"), applied: "a"},
				{env: append(continuous, kernel), want: stays("a"), says: "a new kernel waits for a reboot", applied: "a"},
			},
		},
		"PolicyLater": {
			reason: "A run that changed nothing is no reason to reboot, whatever waits since an earlier one.",
			steps: []step{
				{before: newKernel, env: append(continuous, never), want: firstApply.want, applied: "a"},
				{env: append(continuous, kernel), want: stays("a"), says: "nix-gitops: a new kernel waits for a reboot\n", applied: "a"},
			},
		},
		"BackToBooted": {
			reason: "Brought back to the system that it booted, a machine has nothing to reboot for.",
			steps: []step{
				{env: append(continuous, always), want: reboots("a"), applied: "a"},
				{
					before: func(m *machine) {
						m.reboot("boot-2")
						m.remove("root/var/lib/nix-gitops/rebooted")
						m.symlink("store/b", "root/run/current-system")
					},
					env:     append(continuous, always),
					want:    outcome{Calls: applyCalls("a"), Running: "a", Boots: "a"},
					applied: "a",
				},
			},
		},
		"NoLoop": {
			reason: "A machine that comes up in another system than its boot entry names must not be rebooted again for it.",
			steps: []step{
				{before: newKernel, env: append(continuous, kernel), want: reboots("a"), applied: "a"},
				{
					before: func(m *machine) {
						m.boot("boot-2")
						m.symlink("store/t", "root/run/current-system")
					},
					env:     append(continuous, kernel),
					want:    outcome{Calls: applyCalls("a"), Running: "a", Boots: "a"},
					says:    "one was made for it already",
					applied: "a",
				},
			},
		},
		"CannotBeRemembered": {
			reason: "A reboot that a full disk keeps from being remembered could be made again and again: it waits, and the revision stays.",
			steps: []step{{
				before: func(m *machine) {
					newKernel(m)
					m.write("root/var/lib/nix-gitops/lock", "")

					if err := os.Symlink("/dev/full", m.path("root/var/lib/nix-gitops/rebooted.new")); err != nil {
						m.t.Fatal(err)
					}
				},
				env: []string{kernel}, want: firstApply.want, says: "a new kernel waits for a reboot: cannot write ", applied: "a",
			}},
		},
		"NotAfterRollback": {
			reason: "A system that was rolled back is no reason to reboot.",
			steps: []step{{
				before: func(m *machine) { newKernel(m); m.write("store/a/status", "4") },
				env:    []string{always},
				want:   outcome{Exit: 1, Calls: failedCalls("a", "t"), Running: "t", Boots: "t"},
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
