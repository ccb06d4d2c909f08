package nix

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const madeTimer = "root/run/systemd/system/nix-gitops-apply.timer"

func TestSchedule(t *testing.T) {
	daily, weekly := []string{"NIX_GITOPS_SCHEDULE=daily"}, []string{"NIX_GITOPS_SCHEDULE=Sat *-*-* 04:00:00 Europe/Berlin"}
	ask := []string{"ask remote"}
	type run struct {
		before func(*machine)
		env    []string
		calls  []string
		timer  string // what the timer's OnCalendar must be, empty for no timer
	}
	cases := map[string]struct {
		reason string
		runs   []run
	}{
		"None": {
			reason: "Without a schedule there is no timer.",
			runs:   []run{{calls: applyCalls("a")}},
		},
		"MadeOnce": {
			reason: "A schedule makes a timer, before the remote is asked; the next run only sees that it is started.",
			runs: []run{
				{env: daily, calls: append([]string{"systemctl daemon-reload", "systemctl restart nix-gitops-apply.timer"}, applyCalls("a")...), timer: "daily"},
				{env: daily, calls: append([]string{"systemctl start nix-gitops-apply.timer"}, ask...), timer: "daily"},
			},
		},
		"Changed": {
			reason: "Another schedule must take effect at once.",
			runs: []run{
				{env: daily, calls: append([]string{"systemctl daemon-reload", "systemctl restart nix-gitops-apply.timer"}, applyCalls("a")...), timer: "daily"},
				{env: weekly, calls: append([]string{"systemctl daemon-reload", "systemctl restart nix-gitops-apply.timer"}, ask...), timer: "Sat *-*-* 04:00:00 Europe/Berlin"},
			},
		},
		"TimeZones": {
			reason: "Names of time zones have slashes, underscores, hyphens and signs; the timer has the schedule as it was written.",
			runs: []run{
				{env: []string{"NIX_GITOPS_SCHEDULE=Sat *-*-* 04:00 America/New_York"}, calls: append([]string{"systemctl daemon-reload", "systemctl restart nix-gitops-apply.timer"}, applyCalls("a")...), timer: "Sat *-*-* 04:00 America/New_York"},
				{env: []string{"NIX_GITOPS_SCHEDULE=04:00 America/Port-au-Prince"}, calls: append([]string{"systemctl daemon-reload", "systemctl restart nix-gitops-apply.timer"}, ask...), timer: "04:00 America/Port-au-Prince"},
				{env: []string{"NIX_GITOPS_SCHEDULE=04:00 Etc/GMT+5"}, calls: append([]string{"systemctl daemon-reload", "systemctl restart nix-gitops-apply.timer"}, ask...), timer: "04:00 Etc/GMT+5"},
			},
		},
		"Removed": {
			reason: "A schedule that is gone must not go on.",
			runs: []run{
				{env: daily, calls: append([]string{"systemctl daemon-reload", "systemctl restart nix-gitops-apply.timer"}, applyCalls("a")...), timer: "daily"},
				{env: continuous, calls: append([]string{"systemctl stop nix-gitops-apply.timer", "systemctl daemon-reload"}, ask...)},
			},
		},
		"DeclaredByTheFlake": {
			reason: "A timer that the flake declares takes the place of the claim's, and is left alone.",
			runs: []run{
				{env: daily, calls: append([]string{"systemctl daemon-reload", "systemctl restart nix-gitops-apply.timer"}, applyCalls("a")...), timer: "daily"},
				{
					before: func(m *machine) { m.write("root/etc/systemd/system/nix-gitops-apply.timer", "[Timer]\n") },
					env:    daily, calls: append([]string{"systemctl daemon-reload"}, ask...),
				},
				{env: daily, calls: ask},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			for i, r := range tc.runs {
				if r.before != nil {
					r.before(m)
				}

				got, printed := m.run(r.env...)
				if diff := cmp.Diff(outcome{Calls: r.calls, Running: "a", Boots: "a"}, got); diff != "" {
					t.Fatalf("%s\nrun %d: -want, +got:\n%s\nprinted:\n%s", tc.reason, i+1, diff, printed)
				}

				if diff := cmp.Diff(r.timer, onCalendar(t, m)); diff != "" {
					t.Errorf("%s\nrun %d: OnCalendar: -want, +got:\n%s", tc.reason, i+1, diff)
				}
			}
		})
	}
}

// The claim cannot be changed once the machine exists: a schedule that systemd does not understand must not keep the machine
// from its first configuration, which can bring a better one. But it must not pass in silence.
func TestBadSchedule(t *testing.T) {
	cases := map[string]struct {
		reason   string
		schedule string
	}{
		"Nonsense":  {"systemd must understand the schedule.", "at tea time"},
		"LineEnd":   {"A second line would be another setting of the unit.", "daily\nUnit=reboot.target"},
		"Specifier": {"A specifier would be expanded.", "%H"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)

			got, printed := m.run("NIX_GITOPS_SCHEDULE=" + tc.schedule)
			if diff := cmp.Diff(outcome{Exit: 78, Calls: applyCalls("a"), Running: "a", Boots: "a"}, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}

			if made := onCalendar(t, m); made != "" {
				t.Errorf("%s\na timer was made for %q", tc.reason, made)
			}

			if !strings.Contains(printed, "<3>nix-gitops: NIX_GITOPS_SCHEDULE must be a systemd calendar expression") {
				t.Errorf("%s\nwant an error about the schedule in:\n%s", tc.reason, printed)
			}
		})
	}
}

// onCalendar returns the schedule of the timer the script made, after systemd itself has found the timer to be in order.
func onCalendar(t *testing.T, m *machine) string {
	t.Helper()

	content, err := os.ReadFile(m.path(madeTimer))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}

	m.write("root/run/systemd/system/nix-gitops-apply.service", "[Service]\nType=oneshot\nExecStart=/bin/true\n")
	verify(t, m.path(madeTimer))

	_, after, _ := strings.Cut(string(content), "\nOnCalendar=")
	schedule, _, _ := strings.Cut(after, "\n")

	return schedule
}

// verify lets systemd load a unit file, beside which lie the units it refers to.
func verify(t *testing.T, path string) {
	t.Helper()
	needTools(t, "systemd-analyze")

	printed, err := exec.Command("systemd-analyze", "verify", "--man=no", path).CombinedOutput()
	if err != nil || strings.Contains(string(printed), path) {
		t.Errorf("systemd does not accept %s: %v\n%s", path, err, printed)
	}
}
