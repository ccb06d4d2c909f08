package nix

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const unitName = "nix-gitops-apply.service"

// settings returns the settings of a section of a unit file, in order.
func settings(content, section string) []string {
	var (
		found []string
		in    bool
	)

	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)

		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			in = line == "["+section+"]"
		case in:
			found = append(found, line)
		}
	}

	return found
}

func TestInjectedUnit(t *testing.T) {
	unit := readFile(t, filepath.Join(scriptsDir, unitName))

	t.Run("Loads", func(t *testing.T) {
		// NixOS' bash is not on this machine, and RestartSteps= came with systemd 254.
		here := strings.Replace(unit, "/run/current-system/sw/bin/bash", "/bin/bash", 1)
		if here == unit {
			t.Fatal("the unit no longer starts NixOS' bash")
		}

		here = strings.NewReplacer("RestartSteps=6\n", "", "RestartMaxDelaySec=30min\n", "").Replace(here)
		path := filepath.Join(t.TempDir(), unitName)
		writeFile(t, path, here, 0o644)
		verify(t, path)
	})

	t.Run("NoPartOfTheBoot", func(t *testing.T) {
		if got := settings(unit, "Install"); got != nil {
			t.Errorf("inside the boot transaction activation would wait for its own unit; it is installed by %v", got)
		}

		want := []string{"network-online.target", "multi-user.target", "cloud-final.service"}
		if diff := cmp.Diff(want, strings.Fields(setting(t, unit, "Unit", "After"))); diff != "" {
			t.Errorf("the unit must wait for the end of the boot: -want, +got:\n%s", diff)
		}
	})

	t.Run("RunsWhileHeld", func(t *testing.T) {
		// A run that systemd skips leaves no report, and nobody sees that the machine is held: the script looks itself.
		if got := setting(t, unit, "Unit", "ConditionPathExists"); got != "/etc/nix-flake-target" {
			t.Errorf("ConditionPathExists=%s, want /etc/nix-flake-target alone", got)
		}
	})

	t.Run("SurvivesActivation", func(t *testing.T) {
		// The section matters: NixOS' switch-to-configuration looks for each in its own.
		if got := setting(t, unit, "Unit", "X-StopOnRemoval"); got != "false" {
			t.Errorf("X-StopOnRemoval=%s: an activation that removes the unit would kill itself", got)
		}

		if got := setting(t, unit, "Service", "X-RestartIfChanged"); got != "false" {
			t.Errorf("X-RestartIfChanged=%s: an activation that changes the unit would kill itself", got)
		}
	})
}

// setting returns the value of the one setting with that name.
func setting(t *testing.T, unit, section, name string) string {
	t.Helper()

	var values []string

	for _, line := range settings(unit, section) {
		if key, value, _ := strings.Cut(line, "="); key == name {
			values = append(values, value)
		}
	}

	if len(values) != 1 {
		t.Fatalf("section [%s] has %d settings %s=, want one", section, len(values), name)
	}

	return values[0]
}

func TestPerBoot(t *testing.T) {
	needTools(t, "sh")

	const inRun = "root/run/systemd/system/" + unitName

	cases := map[string]struct {
		reason string
		before func(*machine)
		calls  []string
		made   bool
		fails  bool
	}{
		"BareImage": {
			reason: "An image without the unit gets it, under /run, the only place that systemd on NixOS reads and we can write.",
			before: func(m *machine) { m.write("root/var/lib/nix-gitops/"+unitName, "[Service]\n") },
			calls:  []string{"systemctl daemon-reload", "systemctl start --no-block " + unitName},
			made:   true,
		},
		"EveryBoot": {
			reason: "What /run holds is replaced: the file of this boot's user-data is the one that counts.",
			before: func(m *machine) {
				m.write("root/var/lib/nix-gitops/"+unitName, "[Service]\n")
				m.write(inRun, "old")
			},
			calls: []string{"systemctl daemon-reload", "systemctl start --no-block " + unitName},
			made:  true,
		},
		"UnitOfTheFlake": {
			reason: "A unit of the flake or of a prepared template is started as it is.",
			before: func(m *machine) { m.write("root/etc/systemd/system/"+unitName, "[Service]\n") },
			calls:  []string{"systemctl start --no-block " + unitName},
		},
		"NothingThere": {
			reason: "A missing unit must be a failure that cloud-init reports.",
			before: func(*machine) {},
			fails:  true,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write("calls", "")
			tc.before(m)

			cmd := exec.Command("sh", absolute(t, filepath.Join(scriptsDir, "per-boot")))
			cmd.Env = []string{"PATH=" + absolute(t, "testdata/bin") + ":" + os.Getenv("PATH"), "MACHINE=" + m.dir, "NIX_GITOPS_ROOT=" + m.path("root")}

			printed, err := cmd.CombinedOutput()
			if (err != nil) != tc.fails {
				t.Fatalf("%s\nerror %v:\n%s", tc.reason, err, printed)
			}

			if diff := cmp.Diff(tc.calls, m.calls()); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}

			content, err := os.ReadFile(m.path(inRun))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}

			if made := string(content) == "[Service]\n"; made != tc.made {
				t.Errorf("%s\nunit in /run: %q", tc.reason, content)
			}
		})
	}
}
