package k3s

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const metricsFile = "var/lib/prometheus/node-exporter/k3s_bootstrap.prom"

// times of a report, which no test knows.
var times = regexp.MustCompile(`\b[0-9]{10}\b|[0-9-]{10}T[0-9:]{8}Z`)

// metrics returns the samples of the report, without comments.
func (r *rig) metrics() []string {
	r.t.Helper()

	var samples []string

	for line := range strings.Lines(r.read(metricsFile)) {
		if !strings.HasPrefix(line, "#") {
			samples = append(samples, times.ReplaceAllString(strings.TrimSpace(line), "TIME"))
		}
	}

	return samples
}

// status runs "k3s-bootstrap status" as a person does: without the unit's environment.
func (r *rig) status() (output string, status int) {
	r.t.Helper()

	command := exec.Command("/bin/bash", filepath.Join(r.root, "k3s-bootstrap"), "status")
	command.Env = r.env[:2] // PATH and BOOTSTRAP_ROOT.
	out, _ := command.CombinedOutput()

	return times.ReplaceAllString(string(out), "TIME"), command.ProcessState.ExitCode()
}

func failed(outcome string) []string {
	return []string{"k3s_bootstrap_last_run_timestamp_seconds TIME", `k3s_bootstrap_outcome{outcome="` + outcome + `"} 1`}
}

// TestBootstrapReports: the unit of a run that fails is started again and never "failed", so the run itself says how it ended.
func TestBootstrapReports(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	cases := map[string]struct {
		reason  string
		trouble func(r *rig)
		outcome string
		why     string
	}{
		"HostName":  {"Somebody renamed the machine.", func(r *rig) { r.write("bin/hostname", "#!/bin/sh\necho localhost\n", 0o755) }, "configuration", "the host name is 'localhost'"},
		"Parameter": {"The parameters are not there.", func(r *rig) { r.env = append(r.env, "RELEASE=") }, "configuration", ""},
		"Token":     {"No snippet wrote it.", func(r *rig) { r.try(os.Remove(filepath.Join(r.root, DefaultTokenFile))) }, "token", "there is no token in"},
		"Endpoint":  {"Nobody answers.", func(r *rig) { r.try(os.Remove(filepath.Join(r.root, "world/endpoint"))) }, "endpoint", "https://k3s.home.arpa:6443 did not answer within 2s"},
		"Installer": {"It serves a page.", func(r *rig) { r.write("world/install.sh", "<html>", 0o644) }, "installer", installer[len("curl "):] + " serves a page and no script"},
		"K3s":       {"It does not become ready.", func(r *rig) { r.write("world/never-ready", "", 0o644) }, "k3s", "k3s.service is not ready after 1s"},
		"Refused": {
			"Its cluster does not take it.", func(r *rig) {
				r.env = append(r.env, "SHOW_AFTER=0")
				r.write("world/never-ready", "", 0o644)
				r.write("bin/journalctl", "#!/bin/sh\necho duplicate node name found\n", 0o755)
			}, "refused", "k3s.service is not ready after 1s: the cluster's etcd still has a member for k3s-cp-2",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := newRig(t, joiner())
			r.write("world/endpoint", "", 0o644)
			tc.trouble(r)
			r.expect(tc.reason, 1)

			if diff := cmp.Diff(failed(tc.outcome), r.metrics()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			said, status := r.status()
			if want := "k3s-bootstrap: the last run ended at TIME (" + tc.outcome + "): " + tc.why; status != 1 || !strings.Contains(said, want) {
				t.Errorf("%s\nthe status is %d, and it says:\n%s\nwant %q", tc.reason, status, said, want)
			}
		})
	}
}

func TestBootstrapReportsSuccess(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.expect("Nobody answers yet.", 1)
	r.write("world/endpoint", "", 0o644)
	r.expect("Then it joins.", 0)

	want := append(failed("success"), "k3s_bootstrap_last_success_timestamp_seconds TIME", `k3s_bootstrap_info{revision="v1.33.6+k3s1"} 1`)
	if diff := cmp.Diff(want, r.metrics()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	// node-exporter is not root.
	info, err := os.Stat(filepath.Join(r.root, metricsFile))
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("the metrics' file is %v (%v), want 0644", info.Mode(), err)
	}

	if promtool, err := exec.LookPath("promtool"); err == nil {
		check := exec.Command(promtool, "check", "metrics")
		check.Stdin = strings.NewReader(r.read(metricsFile))

		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("promtool: %v\n%s", err, out)
		}
	}

	said, status := r.status()
	if diff := cmp.Diff("k3s-bootstrap: done: this node was set up with K3s v1.33.6+k3s1 (role server) on TIME\n", said); diff != "" || status != 0 {
		t.Errorf("the status is %d: -want, +got:\n%s", status, diff)
	}
}

// TestBootstrapStatus: what systemd knows of the unit is in the first line.
func TestBootstrapStatus(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	for state, want := range map[string]string{
		"start": "a run is under way\n", "auto-restart": "the next run starts within a minute\n", "dead": "systemctl start --no-block k3s-bootstrap\n",
	} {
		r := newRig(t, joiner())
		r.write("bin/systemctl", "#!/bin/sh\necho "+state+"\n", 0o755)

		said, status := r.status()
		if !strings.Contains(said, want) || strings.Contains(said, "the last run") || status != 1 {
			t.Errorf("%s: the status is %d, and it says:\n%s\nwant %q, and nothing of a run that there was not", state, status, said, want)
		}
	}
}

// TestBootstrapReportsInterruption: systemd ends a run after two hours, and so does a shutdown.
func TestBootstrapReportsInterruption(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.env = append(r.env, "JOIN_TIMEOUT=600")

	command := exec.Command("/bin/bash", filepath.Join(r.root, "k3s-bootstrap"))
	command.Env = r.env
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r.try(command.Start())

	for look := time.NewTicker(10 * time.Millisecond); !strings.Contains(r.read("calls"), "/cacerts"); <-look.C {
		if t.Context().Err() != nil {
			t.Fatal("the script asks nobody")
		}
	}

	r.try(syscall.Kill(-command.Process.Pid, syscall.SIGTERM))

	if err := command.Wait(); err == nil {
		t.Error("a run that was stopped ended well")
	}

	if diff := cmp.Diff(failed("interrupted"), r.metrics()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestBootstrapCannotReport: a disk that is full must not fail a node that is up.
func TestBootstrapCannotReport(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.write("var/lib/prometheus", "a file where a folder should be", 0o644)
	r.expect("The metrics cannot be written.", 0, "done: k3s-cp-2", "cannot report how this run ended")
}

// TestMotd: a line for whoever logs in, until the node is in its cluster.
func TestMotd(t *testing.T) {
	file := fileOf(t, joiner(), "/etc/update-motd.d/90-k3s-bootstrap")
	if file == nil || file.Permissions != "0755" {
		t.Fatalf("the login message is %+v", file)
	}

	root := t.TempDir()
	script := strings.NewReplacer("/var/lib", root, "/usr/local/sbin/k3s-bootstrap", "echo k3s-bootstrap").Replace(file.Content)

	said, err := exec.Command("/bin/sh", "-c", script).CombinedOutput()
	if err != nil || string(said) != "k3s-bootstrap status\n" {
		t.Errorf("a node that is not in its cluster says %q (%v)", said, err)
	}

	if err := errors.Join(os.MkdirAll(filepath.Join(root, "k3s-bootstrap"), 0o755), os.WriteFile(filepath.Join(root, "k3s-bootstrap/done"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}

	if said, err := exec.Command("/bin/sh", "-c", script).CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("a node that is in its cluster says %q (%v)", said, err)
	}
}
