package k3s

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
)

// reports returns what the machine reported to the outside since the last call, each word once in a row. Each has to be a name that
// the function can read.
func (r *rig) reports() []string {
	r.t.Helper()

	out := []string{}

	for line := range strings.Lines(r.read("reports")) {
		word := strings.TrimSuffix(line, "\n")
		if len(out) == 0 || out[len(out)-1] != word {
			out = append(out, word)
		}

		if guestreport.ReadK3s([]string{word}).State == guestreport.K3sUnknown {
			r.t.Errorf("the function cannot read %q", word)
		}
	}

	r.try(os.RemoveAll(filepath.Join(r.root, "reports")))

	return out
}

// last is what the outside sees after a run.
func (r *rig) last() guestreport.K3s {
	r.t.Helper()

	all := r.reports()
	if len(all) == 0 {
		return guestreport.K3s{}
	}

	return guestreport.ReadK3s(all[len(all)-1:])
}

func TestBootstrapTells(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.expect("A server joins.", 0)

	if diff := cmp.Diff([]string{"k3s-waiting", "k3s-installing", "k3s-joined"}, r.reports()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestBootstrapTellsFailures: each outcome of a run that fails has a word, and the function reads the same outcome from it.
func TestBootstrapTellsFailures(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	cases := map[string]struct {
		reason  string
		trouble func(r *rig)
	}{
		"configuration": {"Somebody renamed the machine.", func(r *rig) { r.write("bin/hostname", "#!/bin/sh\necho localhost\n", 0o755) }},
		"packages": {"There is no curl, and nothing to install it with.", func(r *rig) {
			r.try(os.Remove(filepath.Join(r.root, "bin/curl")))
			r.write("k3s-bootstrap", strings.Replace(r.read("k3s-bootstrap"), "command -v curl", "command -v no-curl-here", 2), 0o755)
			r.write("bin/apt-get", "#!/bin/sh\nexit 1\n", 0o755)
			r.write("bin/dpkg", "#!/bin/sh\nexit 1\n", 0o755)
		}},
		"token":     {"No snippet wrote it.", func(r *rig) { r.try(os.Remove(filepath.Join(r.root, DefaultTokenFile))) }},
		"endpoint":  {"Nobody answers.", func(r *rig) { r.try(os.Remove(filepath.Join(r.root, "world/endpoint"))) }},
		"installer": {"It serves a page.", func(r *rig) { r.write("world/install.sh", "<html>", 0o644) }},
		"k3s":       {"It does not become ready.", func(r *rig) { r.write("world/never-ready", "", 0o644) }},
		"refused": {"Its cluster does not take it.", func(r *rig) {
			r.env = append(r.env, "SHOW_AFTER=0")
			r.write("world/never-ready", "", 0o644)
			r.write("bin/journalctl", "#!/bin/sh\necho duplicate node name found\n", 0o755)
		}},
	}

	for outcome, tc := range cases {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()

			r := newRig(t, joiner())
			r.write("world/endpoint", "", 0o644)
			tc.trouble(r)
			r.expect(tc.reason, 1)

			if diff := cmp.Diff(guestreport.K3s{State: guestreport.K3sFailed, Outcome: outcome}, r.last()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}

	for _, report := range guestreport.K3sNames() {
		if _, tested := cases[report.Outcome]; report.State == guestreport.K3sFailed && !tested && report.Outcome != "error" {
			t.Errorf("no run of this test ends with %s", report.Outcome)
		}
	}
}

// TestBootstrapTellsTheLastFailure: a run takes minutes and the pause before it one, so a failure stays until a run gets beyond it.
func TestBootstrapTellsTheLastFailure(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.expect("Nobody answers.", 1)

	if diff := cmp.Diff([]string{"k3s-waiting", "k3s-bad-endpoin"}, r.reports()); diff != "" {
		t.Errorf("first run: -want, +got:\n%s", diff)
	}

	r.expect("Still nobody, for as long as it waits.", 1)

	if diff := cmp.Diff([]string{"k3s-bad-endpoin"}, r.reports()); diff != "" {
		t.Errorf("second run: -want, +got:\n%s", diff)
	}

	r.write("world/endpoint", "", 0o644)
	r.write("world/never-ready", "", 0o644)
	r.expect("The cluster answers, and K3s does not start.", 1)

	if diff := cmp.Diff([]string{"k3s-bad-endpoin", "k3s-installing", "k3s-bad-k3s"}, r.reports()); diff != "" {
		t.Errorf("third run: -want, +got:\n%s", diff)
	}

	r.try(os.Remove(filepath.Join(r.root, "world/never-ready")))
	r.expect("It joins.", 0)

	if diff := cmp.Diff([]string{"k3s-bad-k3s", "k3s-joined"}, r.reports()); diff != "" {
		t.Errorf("fourth run: -want, +got:\n%s", diff)
	}
}

// TestBootstrapTellsARefusalAtOnce: K3s that is refused goes on asking for a quarter of an hour. Then the cause is gone.
func TestBootstrapTellsARefusalAtOnce(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.env = append(r.env, "SHOW_AFTER=0")
	r.write("world/endpoint", "", 0o644)
	r.write("world/never-ready", "", 0o644)
	r.write("bin/journalctl", "#!/bin/sh\nrm -f "+r.root+"/world/never-ready\necho duplicate node name found\n", 0o755)
	r.expect("A person deleted the old node meanwhile.", 0)

	if diff := cmp.Diff([]string{"k3s-waiting", "k3s-installing", "k3s-bad-refused", "k3s-joined"}, r.reports()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestBootstrapTellsAfterAPowerCut: whatever is left of the last run's record, a run says no word that nobody reads.
func TestBootstrapTellsAfterAPowerCut(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	for name, record := range map[string]string{"Empty": "", "HalfALine": "2026-11-22T", "Zeros": strings.Repeat("\x00", 40), "Interrupted": "TIME\ninterrupted\nstopped\n"} {
		r := newRig(t, joiner())
		r.write("world/endpoint", "", 0o644)
		r.write("var/lib/k3s-bootstrap/last-run", record, 0o600)
		r.expect(name, 0)

		if diff := cmp.Diff([]string{"k3s-waiting", "k3s-installing", "k3s-joined"}, r.reports()); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
}

// TestBootstrapCannotTell: a report is never worth a node.
func TestBootstrapCannotTell(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	cases := map[string]struct {
		reason string
		make   func(r *rig)
		says   int
	}{
		"NoModule":   {"A kernel without dummy links, or no ip.", func(r *rig) { r.write("world/reporter-fails", "", 0o644) }, 1},
		"Hangs":      {"A kernel that does not answer.", func(r *rig) { r.write("world/reporter-hangs", "", 0o644) }, 1},
		"NoReporter": {"Power went while cloud-init wrote it.", func(r *rig) { r.write(reporterPath, "", 0o755) }, 0},
		"Off":        {"bootstrap.report is None.", func(r *rig) { r.env = append(r.env, "REPORT=None") }, 0},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := newRig(t, joiner())
			r.env = append(r.env, "REPORT_LIMIT=0.2")
			r.write("world/endpoint", "", 0o644)
			tc.make(r)

			output := r.expect(tc.reason, 0, "done: k3s-cp-2 runs K3s as server")
			if got := strings.Count(output, "cannot report to the outside"); got != tc.says {
				t.Errorf("%s\nsays %d times that it cannot report, want %d:\n%s", tc.reason, got, tc.says, output)
			}

			if reports := r.reports(); name != "NoModule" && len(reports) > 0 {
				t.Errorf("%s\nreported %q", tc.reason, reports)
			}
		})
	}
}

// TestReportCommand: what k3s-report.service runs at each boot. The mark that the node is done may be there without the node's
// being done: a power cut can leave it empty.
func TestReportCommand(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	for name, tc := range map[string]struct {
		done string
		env  []string
		want []string
	}{
		"Done":    {done: "server v1.33.6+k3s1 TIME\n", want: []string{"k3s-joined"}},
		"Empty":   {done: "", want: []string{}},
		"Off":     {done: "server v1.33.6+k3s1 TIME\n", env: []string{"REPORT=None"}, want: []string{}},
		"NotThis": {done: "server v1.33.6+k3s1 TIME\n", env: []string{"REPORT=Something"}, want: []string{"k3s-joined"}},
	} {
		r := newRig(t, joiner())
		r.write("var/lib/k3s-bootstrap/done", tc.done, 0o600)

		command := exec.Command("/bin/bash", filepath.Join(r.root, "k3s-bootstrap"), "report")
		command.Env = slices.Concat(r.env, tc.env)

		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}

		if diff := cmp.Diff(tc.want, r.reports()); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
}

// TestReportUnit: it is enabled with the unit whose commands the first boot runs, so that it starts at each boot.
func TestReportUnit(t *testing.T) {
	n := joiner()

	bootstrap, report := fileOf(t, n, "/etc/systemd/system/k3s-bootstrap.service"), fileOf(t, n, "/etc/systemd/system/k3s-report.service")
	if bootstrap == nil || report == nil || !strings.Contains(bootstrap.Content, "\nAlso=k3s-report.service\n") || !strings.Contains(report.Content, "\nWantedBy=multi-user.target\n") {
		t.Fatalf("k3s-report.service is not enabled with k3s-bootstrap.service: %+v, %+v", bootstrap, report)
	}

	// Whoever waits for the network must not wait for the link.
	if !strings.Contains(report.Content, "\nAfter=network-online.target\n") || !strings.Contains(bootstrap.Content, "\nAfter=network-online.target\n") {
		t.Error("a unit that reports starts before the network is online")
	}

	network := fileOf(t, n, "/etc/systemd/network/05-k3s-report.network")
	if network == nil {
		t.Fatal("systemd-networkd does not know of the links")
	}

	_, names, _ := strings.Cut(network.Content, "\nName=")
	names, _, _ = strings.Cut(names, "\n")

	for name := range guestreport.K3sNames() {
		matched := false

		for pattern := range strings.FieldsSeq(names) {
			ok, err := filepath.Match(pattern, name)
			matched = matched || ok && err == nil
		}

		if !matched {
			t.Errorf("systemd-networkd is not told to leave %s alone: %s", name, names)
		}
	}
}

// TestSilent: the parameter that the script reads. Without it the parameters are those of earlier releases.
func TestSilent(t *testing.T) {
	n := joiner()
	if env := fileOf(t, n, EnvPath); strings.Contains(env.Content, "REPORT") {
		t.Errorf("the parameters of a node that reports changed:\n%s", env.Content)
	}

	n.Silent = true
	r := newRig(t, n)
	r.write("world/endpoint", "", 0o644)
	r.expect("bootstrap.report is None.", 0)

	if reports := r.reports(); len(reports) > 0 {
		t.Errorf("reported %q", reports)
	}
}
