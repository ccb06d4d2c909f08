package nix

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
)

const metricsFile = "root/var/lib/prometheus/node-exporter/nix_gitops.prom"

// A sample is a metric's only series.
type sample struct {
	labels map[string]string
	value  float64
}

func (s sample) label(name string) string { return s.labels[name] }

// metrics returns what node-exporter reads, by name of the metric; nil without a file.
func (m *machine) metrics() map[string]sample {
	m.t.Helper()

	file, err := os.Open(m.path(metricsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	if err != nil {
		m.t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // It was only read.

	// The parser that node-exporter has.
	parser := expfmt.NewTextParser(model.LegacyValidation)

	families, err := parser.TextToMetricFamilies(file)
	if err != nil {
		m.t.Fatalf("node-exporter could not read the metrics: %v\n%s", err, readFile(m.t, m.path(metricsFile)))
	}

	samples := map[string]sample{}

	for name, family := range families {
		if len(family.GetMetric()) != 1 || family.GetType() != dto.MetricType_GAUGE || family.GetHelp() == "" {
			m.t.Errorf("%s must be a gauge with a help text and one series: %v", name, family)
		}

		s := sample{labels: map[string]string{}, value: family.GetMetric()[0].GetGauge().GetValue()}
		for _, l := range family.GetMetric()[0].GetLabel() {
			s.labels[l.GetName()] = l.GetValue()
		}

		samples[name] = s
	}

	return samples
}

// TestReport: what node-exporter shows after each kind of run.
func TestReport(t *testing.T) {
	// figures without the times.
	type figures struct {
		Outcome, Revision string
		Held, Reboot      float64
		// Link is what the outside sees of it.
		Link string
	}

	newKernel := func(m *machine) { m.addSystem("a", "kernel-2") }
	cases := map[string]struct {
		reason string
		steps  []step
		want   figures
		// ever says that a run succeeded, next that a timer has the next one.
		ever, next bool
	}{
		"Success": {
			reason: "The first success.",
			steps:  []step{firstApply},
			want:   figures{Outcome: "success", Revision: revisionA, Link: "nix-ok-000000"}, ever: true,
		},
		"NoChange": {
			reason: "A run that had nothing to do is a success.",
			steps: []step{
				{env: continuous, want: firstApply.want, applied: "a"},
				{env: continuous, want: outcome{Calls: []string{"ask remote"}, Running: "a", Boots: "a"}, applied: "a"},
			},
			want: figures{Outcome: "success", Revision: revisionA, Link: "nix-ok-000000"}, ever: true,
		},
		"AppliedAlready": {
			reason: "So is one that looks at its record only.",
			steps:  []step{firstApply, {want: outcome{Running: "a", Boots: "a"}, applied: "a"}},
			want:   figures{Outcome: "success", Revision: revisionA, Link: "nix-ok-000000"}, ever: true,
		},
		"Schedule": {
			reason: "A timer has a next run, and an alert needs to know when.",
			steps: []step{{
				env:     []string{"NIX_GITOPS_SCHEDULE=*-*-* 04:00 America/New_York"},
				want:    outcome{Calls: append([]string{"systemctl daemon-reload", "systemctl restart nix-gitops-apply.timer"}, applyCalls("a")...), Running: "a", Boots: "a"},
				applied: "a",
			}},
			want: figures{Outcome: "success", Revision: revisionA, Link: "nix-ok-000000"}, ever: true, next: true,
		},
		"NeverElapses": {
			reason: "A schedule in the past has no next run.",
			steps: []step{{
				before: func(m *machine) {
					m.write("root/etc/systemd/system/nix-gitops-apply.timer", "[Timer]\nOnCalendar=2020-01-01\n")
				},
				env:     continuous,
				want:    firstApply.want,
				applied: "a",
			}},
			want: figures{Outcome: "success", Revision: revisionA, Link: "nix-ok-000000"}, ever: true,
		},
		"Unreachable": {
			reason: "The remote is away, and the last success stays.",
			steps: []step{
				{env: continuous, want: firstApply.want, applied: "a"},
				{
					before: func(m *machine) { m.write("remote-away", "") },
					env:    continuous, want: outcome{Exit: 1, Calls: []string{"ask remote"}, Running: "a", Boots: "a"}, applied: "a",
				},
			},
			want: figures{Outcome: "unreachable", Revision: revisionA, Link: "nix-bad"}, ever: true,
		},
		"NoRevision": {
			reason: "What the remote answers makes no sense.",
			steps:  []step{{before: push("main"), want: outcome{Exit: 1, Calls: []string{"ask remote"}, Running: "t", Boots: "t"}}},
			want:   figures{Outcome: "failed", Link: "nix-bad"},
		},
		"BuildFailed": {
			reason: "The revision does not build.",
			steps:  []step{{before: push(revisionC), want: outcome{Exit: 1, Calls: []string{"ask remote", "rebuild build 0c"}, Running: "t", Boots: "t"}}},
			want:   figures{Outcome: "build-failed", Link: "nix-bad-000000"},
		},
		"RolledBack": {
			reason: "The revision was activated in vain.",
			steps:  []step{{env: healthFails, want: outcome{Exit: 1, Calls: failedCalls("a", "t"), Running: "t", Boots: "t"}}},
			want:   figures{Outcome: "rolled-back", Link: "nix-back-000000"},
		},
		"GivenUp": {
			reason: "The revision is not tried again.",
			steps: []step{{
				before: func(m *machine) {
					m.write("root/var/lib/nix-gitops/attempts", "revision git+https://git.example.org/infra?ref=main&rev="+revisionA+"#dns01\ncount 3\n")
				},
				want: outcome{Exit: 1, Calls: []string{"ask remote"}, Running: "t", Boots: "t"},
			}},
			want: figures{Outcome: "given-up", Link: "nix-back-000000"},
		},
		"RollbackFailed": {
			reason: "The machine is neither here nor there.",
			steps: []step{{
				before: func(m *machine) { m.write("store/t/inert", ""); m.write("store/a/status", "4") },
				want:   outcome{Exit: 1, Calls: failedCalls("a", "t"), Running: "a", Boots: "t"},
			}},
			want: figures{Outcome: "rollback-failed", Link: "nix-bad-000000"},
		},
		"Refused": {
			reason: "The parameters are wrong; no retry will come.",
			steps:  []step{{env: []string{"NIX_GITOPS_REBOOT=yes"}, want: untouched}},
			want:   figures{Outcome: "refused", Link: "nix-bad"},
		},
		"BadSchedule": {
			reason: "The machine converged, and will not again.",
			steps: []step{{
				env: []string{"NIX_GITOPS_SCHEDULE=at tea time"}, want: outcome{Exit: 78, Calls: applyCalls("a"), Running: "a", Boots: "a"}, applied: "a",
			}},
			want: figures{Outcome: "refused", Revision: revisionA, Link: "nix-bad-000000"},
		},
		"Held": {
			reason: "A person stopped the machine from converging: a run changes nothing and is no failure, nor a success.",
			steps: []step{
				firstApply,
				{
					before: func(m *machine) { push(revisionB)(m); m.write("root/etc/nix-gitops/hold", "") },
					env:    continuous, want: outcome{Running: "a", Boots: "a"}, says: "held by ", applied: "a",
				},
			},
			want: figures{Outcome: "held", Revision: revisionA, Held: 1, Link: "nix-held-000000"}, ever: true,
		},
		"RebootPending": {
			reason: "A new kernel waits, by the policy never.",
			steps:  []step{{before: newKernel, want: firstApply.want, applied: "a"}},
			want:   figures{Outcome: "success", Revision: revisionA, Reboot: 1, Link: "nix-boot-000000"}, ever: true,
		},
		"Rebooted": {
			reason: "The machine came up in it.",
			steps: []step{
				{before: newKernel, want: firstApply.want, applied: "a"},
				{before: func(m *machine) { m.reboot("boot-2") }, want: outcome{Running: "a", Boots: "a"}, applied: "a"},
			},
			want: figures{Outcome: "success", Revision: revisionA, Link: "nix-ok-000000"}, ever: true,
		},
		"RebootOnceMore": {
			reason: "With the policy always, each new system waits until it is booted.",
			steps: []step{
				{env: []string{"NIX_GITOPS_REBOOT=always"}, want: reboots("a"), applied: "a"},
				{env: []string{"NIX_GITOPS_REBOOT=always"}, want: outcome{Running: "a", Boots: "a"}, says: "waits for a reboot", applied: "a"},
			},
			want: figures{Outcome: "success", Revision: revisionA, Reboot: 1, Link: "nix-boot-000000"}, ever: true,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := time.Now().Truncate(time.Second)
			m := runSteps(t, tc.reason, tc.steps)
			got := m.metrics()

			shown := figures{
				Outcome: got["nix_gitops_outcome"].label("outcome"), Revision: got["nix_gitops_info"].label("revision"),
				Held: got["nix_gitops_held"].value, Reboot: got["nix_gitops_reboot_pending"].value, Link: m.link(),
			}
			if diff := cmp.Diff(tc.want, shown); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if guestreport.ReadNix([]string{shown.Link}).State == guestreport.NixUnknown {
				t.Errorf("%s\nthe function cannot read %q", tc.reason, shown.Link)
			}

			within := func(metric string, from, to time.Time) bool {
				at := int64(got[metric].value)
				return from.Unix() <= at && at <= to.Unix()
			}
			if !within("nix_gitops_last_run_timestamp_seconds", before, time.Now()) {
				t.Errorf("%s\nthe last run was at %v", tc.reason, got["nix_gitops_last_run_timestamp_seconds"].value)
			}

			if _, ok := got["nix_gitops_last_success_timestamp_seconds"]; ok != tc.ever || ok && !within("nix_gitops_last_success_timestamp_seconds", before, time.Now()) {
				t.Errorf("%s\nlast success: %v", tc.reason, got["nix_gitops_last_success_timestamp_seconds"])
			}

			if _, ok := got["nix_gitops_next_run_timestamp_seconds"]; ok != tc.next || ok && !within("nix_gitops_next_run_timestamp_seconds", time.Now(), time.Now().Add(25*time.Hour)) {
				t.Errorf("%s\nnext run: %v", tc.reason, got["nix_gitops_next_run_timestamp_seconds"])
			}
		})
	}
}

// TestLastSuccess: the time of a success survives a run that fails, and is not that run's.
func TestLastSuccess(t *testing.T) {
	m := runSteps(t, "A first success.", []step{{env: continuous, want: firstApply.want, applied: "a"}})
	m.write(metricsFile, "nix_gitops_last_run_timestamp_seconds 1700000007\nnix_gitops_last_success_timestamp_seconds 1700000000\n")
	m.write("remote-away", "")

	if got, printed := m.run(continuous...); got.Exit != 1 {
		t.Fatalf("exit %d:\n%s", got.Exit, printed)
	}

	if got := m.metrics()["nix_gitops_last_success_timestamp_seconds"].value; got != 1700000000 {
		t.Errorf("last success: %v, want 1700000000", got)
	}
}

// TestReportFile: how the file gets to where node-exporter reads it, and what happens where it does not.
func TestReportFile(t *testing.T) {
	const folder = "root/var/lib/prometheus/node-exporter"

	cases := map[string]struct {
		reason string
		before func(*machine)
		says   string
		want   []string // names in the folder
	}{
		"NoFolder": {
			reason: "Without a node-exporter the folder is made: one that is installed later finds the file.",
			before: func(*machine) {},
			want:   []string{"nix_gitops.prom", "nix_gitops.prom.next"},
		},
		"OtherFiles": {
			reason: "Other programs' files are theirs.",
			before: func(m *machine) { m.write(folder+"/smart.prom", "x 1\n") },
			want:   []string{"nix_gitops.prom", "nix_gitops.prom.next", "smart.prom"},
		},
		"CannotBeMade": {
			reason: "A folder that cannot be made must not fail the run.",
			before: func(m *machine) { m.write("root/var/lib/prometheus", "") },
			says:   "<4>nix-gitops: cannot write ",
		},
		"CannotBeWritten": {
			reason: "Nor must a file that cannot be written.",
			before: func(m *machine) {
				m.write(folder+"/README", "")

				if err := os.Symlink("/dev/full", m.path(folder+"/nix_gitops.prom.next")); err != nil {
					m.t.Fatal(err)
				}
			},
			says: "<4>nix-gitops: cannot write ",
			want: []string{"README", "nix_gitops.prom.next"},
		},
		"Nonsense": {
			reason: "What an earlier file holds must not fail the run, nor get into the new one.",
			before: func(m *machine) {
				m.write(metricsFile, "nix_gitops_last_success_timestamp_seconds $(reboot)\nnix_gitops_last_run_timestamp_seconds\n")
			},
			want: []string{"nix_gitops.prom", "nix_gitops.prom.next"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := firstApply
			s.before, s.says = tc.before, tc.says
			m := runSteps(t, tc.reason, []step{s})

			var names []string

			entries, err := os.ReadDir(m.path(folder))
			if err != nil && tc.want != nil {
				t.Fatal(err)
			}

			for _, e := range entries {
				names = append(names, e.Name())
			}

			if diff := cmp.Diff(tc.want, names); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if info, err := os.Stat(m.path(metricsFile)); err == nil && info.Mode() != 0o644 {
				t.Errorf("%s\nnode-exporter is not root; mode %v", tc.reason, info.Mode())
			}
		})
	}
}

// TestReportOnce: a run that does not begin because another is going on says nothing about that one, and a run that borrows
// git to begin anew is one run.
func TestReportOnce(t *testing.T) {
	inBorrowed := func(m *machine) string { withGit, _ := withoutGit(t, m); return withGit }
	cases := map[string]struct {
		reason string
		before func(*machine) string // a parameter
		want   string                // outcome; empty: no report
	}{
		"SecondRun": {
			reason: "The run that goes on reports itself.",
			before: func(m *machine) string { m.holdLock(); return "NIX_GITOPS_REBOOT=never" },
		},
		"BorrowedGit": {
			reason: "The run with the borrowed git has said all.",
			before: inBorrowed,
			want:   "success",
		},
		"BorrowedGitFails": {
			reason: "The run with the borrowed git has said why it failed.",
			before: func(m *machine) string { m.write("remote-away", ""); return inBorrowed(m) },
			want:   "unreachable",
		},
		"BorrowedInVain": {
			reason: "So has one that finds none there.",
			before: func(m *machine) string { _, inVain := withoutGit(t, m); return inVain },
			want:   "failed",
		},
		"NothingToBorrow": {
			reason: "Without the registry there is no second run that could report itself, and an old success is over.",
			before: func(m *machine) string {
				m.write("nixpkgs-away", "")
				m.write(metricsFile, "nix_gitops_last_run_timestamp_seconds 1700000000\nnix_gitops_outcome{outcome=\"success\"} 1\n")

				return inBorrowed(m)
			},
			want: "failed",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)

			_, printed := m.run(tc.before(m))
			if got := m.metrics()["nix_gitops_outcome"].label("outcome"); got != tc.want {
				t.Errorf("%s\noutcome %q, want %q; printed:\n%s", tc.reason, got, tc.want, printed)
			}
		})
	}
}

// TestReportOfTimeout: systemd ends a run that takes too long with a signal.
func TestReportOfTimeout(t *testing.T) {
	m := newMachine(t)
	m.write("store/a/terminated", "")

	got, printed := m.run()
	if got.Exit == 0 || got.Running != "a" {
		t.Fatalf("the run was to end in its activation; exit %d:\n%s", got.Exit, printed)
	}

	if outcome := m.metrics()["nix_gitops_outcome"].label("outcome"); outcome != "failed" {
		t.Errorf("outcome %q, want failed; printed:\n%s", outcome, printed)
	}
}

var update = flag.Bool("update", false, "rewrite testdata/nix_gitops.prom")

var figure = regexp.MustCompile(`(?m)_seconds \d+$`)

// TestReportGolden: the whole report, which tools/observability compares with what alerts and panels ask for.
func TestReportGolden(t *testing.T) {
	const golden = "testdata/nix_gitops.prom"

	m := runSteps(t, "A success of a machine with a schedule.", []step{{
		env:     []string{"NIX_GITOPS_SCHEDULE=daily"},
		want:    outcome{Calls: append([]string{"systemctl daemon-reload", "systemctl restart nix-gitops-apply.timer"}, applyCalls("a")...), Running: "a", Boots: "a"},
		applied: "a",
	}})
	// Without the times, and the comment that fills the block.
	report, filler, _ := strings.Cut(readFile(t, m.path(metricsFile)), "\n#  ")
	report = figure.ReplaceAllString(report, "_seconds 1700000000") + "\n"

	if strings.Trim(filler, " \n") != "" {
		t.Errorf("after the metrics: %q", filler)
	}

	if *update {
		writeFile(t, golden, report, 0o644)
	}

	if diff := cmp.Diff(readFile(t, golden), report); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestOutcomesAreDocumented: the words of the script are those of the table in docs/observability.md.
func TestOutcomesAreDocumented(t *testing.T) {
	script := readFile(t, filepath.Join(scriptsDir, "nix-gitops-apply"))

	_, table, _ := strings.Cut(readFile(t, "../../docs/observability.md"), "Outcomes of `nix_gitops`")
	table, _, _ = strings.Cut(table, "\n## ")
	table, _, _ = strings.Cut(table, "\nOutcomes of ")

	words := func(pattern, text string) []string {
		var out []string
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			out = append(out, found[1])
		}

		slices.Sort(out)

		return slices.Compact(out)
	}

	documented := words("(?m)^\\| `([a-z-]+)` \\|", table)
	if len(documented) < 10 {
		t.Fatalf("only %v are documented", documented)
	}

	if diff := cmp.Diff(documented, words(`(?m)(?:fail |outcome=)([a-z-]+)(?: "|$|; printf)`, script)); diff != "" {
		t.Errorf("-documented, +in the script:\n%s", diff)
	}
}
