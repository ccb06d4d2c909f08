package nix

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
	"github.com/homelab-io/function-proxmox-machine/internal/nixos"
)

// TestTellRevision: the link has the first digits of the commit that was applied or, of a run that failed, of the one that was tried.
func TestTellRevision(t *testing.T) {
	const (
		good = "3f9a0c000000000000000000000000000000000a"
		bad  = "bad0ff000000000000000000000000000000000b"
	)

	m := newMachine(t)
	tell := func(reason, revision string, want guestreport.Nix, parameters ...string) {
		t.Helper()
		m.write("remote", revision+commitTime)

		_, printed := m.run(append(continuous, parameters...)...)
		if diff := cmp.Diff(want, guestreport.ReadNix([]string{"lo", "ens18", m.link()})); diff != "" {
			t.Errorf("%s\n%s: -want, +got:\n%s\n%s", reason, m.link(), diff, printed)
		}
	}

	tell("The first revision.", good, guestreport.Nix{State: guestreport.NixApplied, Revision: "3f9a0c"})
	tell("A revision that fails its check.", bad, guestreport.Nix{State: guestreport.NixRolledBack, Revision: "bad0ff"}, healthFails...)
	tell("A revision that does not build.", "bad0ff000000000000000000000000000000000c", guestreport.Nix{State: guestreport.NixFailed, Revision: "bad0ff"})
	tell("It is taken back.", good, guestreport.Nix{State: guestreport.NixApplied, Revision: "3f9a0c"})

	m.write("root/etc/nix-gitops/hold", "")
	tell("Held with what it has.", bad, guestreport.Nix{State: guestreport.NixHeld, Revision: "3f9a0c"})
}

// TestTellAtEachBoot: a reboot removes the link, and the run after it makes it anew, also where there is nothing more to do.
func TestTellAtEachBoot(t *testing.T) {
	for _, mode := range []string{"continuous", "first-boot"} {
		m := runSteps(t, "The first boot.", []step{{env: []string{"NIX_GITOPS_MODE=" + mode}, want: firstApply.want, applied: "a"}})
		m.reboot("boot-2")
		m.remove("told/nix-ok-000000")
		m.remove("told")

		if got, printed := m.run("NIX_GITOPS_MODE=" + mode); got.Exit != 0 || m.link() != "nix-ok-000000" {
			t.Errorf("%s: exit %d, link %q:\n%s", mode, got.Exit, m.link(), printed)
		}
	}
}

// TestCannotTell: a report is never worth a revision.
func TestCannotTell(t *testing.T) {
	cases := map[string]struct {
		reason string
		before func(*machine)
		env    []string
		says   int
	}{
		"NoModule":   {reason: "A kernel without dummy links.", before: func(m *machine) { m.write("cannot-tell", "") }, says: 1},
		"Hangs":      {reason: "A kernel that does not answer.", before: func(m *machine) { m.write("guest-report", "sleep 60\n") }, env: []string{"NIX_GITOPS_REPORT_SECONDS=0.2"}, says: 1},
		"NoReporter": {reason: "A flake from before there was one.", before: func(m *machine) { m.remove("guest-report") }},
		"Empty":      {reason: "Power went while cloud-init wrote it.", before: func(m *machine) { m.write("guest-report", "") }},
		"Off":        {reason: "bootstrap.report is None.", before: func(*machine) {}, env: []string{"NIX_GITOPS_REPORT=None"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			tc.before(m)

			got, printed := m.run(tc.env...)
			if got.Exit != 0 || got.Running != "a" || strings.Count(printed, "cannot report to the outside") != tc.says {
				t.Errorf("%s\nexit %d, runs %s; want %d times that it cannot report:\n%s", tc.reason, got.Exit, got.Running, tc.says, printed)
			}

			if link := m.link(); link != "" {
				t.Errorf("%s\nreported %s", tc.reason, link)
			}
		})
	}
}

// TestReporterIsFound: an image without the unit gets the program beside the script, and a flake names its own.
func TestReporterIsFound(t *testing.T) {
	written := files(t, nixos.Target{FlakeRef: target})
	if file := written["/var/lib/nix-gitops/guest-report"]; file.Content != guestreport.Script || written["/var/lib/nix-gitops/nix-gitops-apply"].Content == "" {
		t.Errorf("guest-report is not beside the script: %+v", file)
	}

	if _, ok := files(t, nixos.Target{FlakeRef: target, InImage: true})["/var/lib/nix-gitops/guest-report"]; ok {
		t.Error("an image with the unit gets a program that it has")
	}

	type host struct {
		Reporter string
		Path     []string
		Ignored  []string
		Match    map[string]string
		Link     map[string]bool
	}

	for name, got := range must[map[string]host](t, "", `builtins.mapAttrs (_: host: with host.config; {
		Reporter = builtins.readFile systemd.services.nix-gitops-apply.environment.NIX_GITOPS_REPORTER;
		Path = map (p: p.name) systemd.services.nix-gitops-apply.path;
		Ignored = networking.dhcpcd.denyInterfaces;
		Match = systemd.network.networks."04-guest-report".matchConfig;
		Link = systemd.network.networks."04-guest-report".linkConfig;
	}) `+hosts) {
		patterns := strings.Join(got.Ignored, " ")
		if patterns != "nix-ok* nix-boot* nix-held* nix-bad* nix-back*" || got.Match["Name"] != patterns || got.Match["Kind"] != "dummy" || !got.Link["Unmanaged"] {
			t.Errorf("%s: who manages networks does not leave the links alone: %+v", name, got)
		}

		if got.Reporter != guestreport.Script || !strings.Contains(strings.Join(got.Path, " "), "iproute2 kmod") {
			t.Errorf("%s: the unit cannot report: path %q", name, got.Path)
		}
	}
}
