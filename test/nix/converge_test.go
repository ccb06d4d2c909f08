package nix

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const dns01 = "flake.nixosConfigurations.dns01.config."

// A service is what the module makes of nix-gitops-apply.service.
type service struct {
	After, Wants, WantedBy []string
	RestartIfChanged       *bool
	UnitConfig             map[string]any
	ServiceConfig          map[string]any
	Path                   []string
	Environment            map[string]string
}

func serviceOf(t *testing.T, modules string) service {
	t.Helper()
	return must[service](t, modules, dns01+"systemd.services.nix-gitops-apply")
}

// The unit exists twice, as a module and as a file for images without it. A machine moves from one to the other in its first
// activation: they must say the same.
func TestModuleMatchesInjectedUnit(t *testing.T) {
	s := serviceOf(t, "")
	unit := readFile(t, filepath.Join(scriptsDir, unitName))

	module := append(lines(s.UnitConfig), "After="+strings.Join(s.After, " "), "Wants="+strings.Join(s.Wants, " "), "Description=Converge this machine from its Git flake")
	sort.Strings(module)

	injected := settings(unit, "Unit")
	sort.Strings(injected)

	if diff := cmp.Diff(injected, module); diff != "" {
		t.Errorf("[Unit]: -injected, +module:\n%s", diff)
	}

	// NixOS writes restartIfChanged = false as a setting of [Service].
	if s.RestartIfChanged == nil || *s.RestartIfChanged {
		t.Error("restartIfChanged must be false: an activation that changes the unit would kill itself")
	}

	if s.WantedBy != nil {
		t.Errorf("wanted by %v: inside the boot transaction activation would wait for its own unit", s.WantedBy)
	}

	module = append(lines(without(s.ServiceConfig, "ExecStart", "EnvironmentFile")), "X-RestartIfChanged=false")
	sort.Strings(module)

	injected = nil

	for _, line := range settings(unit, "Service") {
		if name, _, _ := strings.Cut(line, "="); name != "ExecStart" && name != "EnvironmentFile" && name != "Environment" {
			injected = append(injected, line)
		}
	}

	sort.Strings(injected)

	if diff := cmp.Diff(injected, module); diff != "" {
		t.Errorf("[Service]: -injected, +module:\n%s", diff)
	}
}

// lines renders settings as NixOS does: a list is the setting several times.
func lines(config map[string]any) []string {
	var out []string

	for name, value := range config {
		values, ok := value.([]any)
		if !ok {
			values = []any{value}
		}

		for _, v := range values {
			out = append(out, fmt.Sprintf("%s=%v", name, v))
		}
	}

	return out
}

func without[V any](config map[string]V, names ...string) map[string]V {
	rest := maps.Clone(config)
	for _, name := range names {
		delete(rest, name)
	}

	return rest
}

func TestModuleRunsTheScript(t *testing.T) {
	modules := `{ networking.proxy.envVars = { https_proxy = "http://proxy:3128"; }; nix.envVars = { CURL_CA_BUNDLE = "/ca"; HOME = "/"; }; }`
	s := serviceOf(t, modules)

	interpreter, script, _ := strings.Cut(fmt.Sprint(s.ServiceConfig["ExecStart"]), " ")
	if interpreter != "/nix/store/00000000000000000000000000000000-bash/bin/bash" || !strings.HasSuffix(script, "-nix-gitops-apply") {
		t.Errorf("ExecStart=%s %s: want bash and the script in the store", interpreter, script)
	}

	want := map[string]string{"HOME": "/root", "https_proxy": "http://proxy:3128", "CURL_CA_BUNDLE": "/ca"}
	if diff := cmp.Diff(want, without(s.Environment, "NIX_GITOPS_REPORTER")); diff != "" {
		t.Errorf("environment: -want, +got:\n%s", diff)
	}

	// coreutils, findutils, grep, sed and systemd are in the path of every NixOS service.
	var programs []string
	for _, path := range s.Path {
		programs = append(programs, strings.TrimPrefix(path, "/nix/store/00000000000000000000000000000000-"))
	}

	sort.Strings(programs)

	if diff := cmp.Diff([]string{"bash", "gitMinimal", "gnutar", "gzip", "iproute2", "kmod", "nix", "nixos-rebuild", "openssh", "util-linux", "xz"}, programs); diff != "" {
		t.Errorf("path: -want, +got:\n%s", diff)
	}
}

func TestModuleTimers(t *testing.T) {
	boot := map[string]any{
		"description": "Converge this machine from its Git flake after boot",
		"wantedBy":    []any{"timers.target"},
		"timerConfig": map[string]any{"OnActiveSec": "15s", "Unit": "nix-gitops-apply.service"},
	}
	daily := map[string]any{
		"description": "Converge this machine from its Git flake on schedule",
		"wantedBy":    []any{"timers.target"},
		"timerConfig": map[string]any{"OnCalendar": "daily", "RandomizedDelaySec": "15min", "FixedRandomDelay": true, "Persistent": true},
	}
	cases := map[string]struct {
		reason  string
		modules string
		want    map[string]any
	}{
		"Default": {"Without a schedule there is only the run after boot.", "", map[string]any{"nix-gitops-boot": boot}},
		"None":    {"An empty schedule is none.", `{ services.nix-gitops.schedule = ""; }`, map[string]any{"nix-gitops-boot": boot}},
		"Daily":   {"A schedule is a timer.", `{ services.nix-gitops.schedule = "daily"; }`, map[string]any{"nix-gitops-boot": boot, "nix-gitops-apply": daily}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, must[map[string]any](t, tc.modules, dns01+"systemd.timers")); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestModuleSettings(t *testing.T) {
	claim := []any{"-/etc/nix-gitops/env", "-/etc/nix-gitops/credentials"}
	cases := map[string]struct {
		reason  string
		options string
		want    map[string]string // what systemd and a shell read; nil: no file of the flake's
	}{
		"Nothing": {
			reason: "What the flake does not state is the claim's.",
		},
		"All": {
			reason:  "What the flake states wins over the claim: its file is read last.",
			options: `mode = "continuous"; schedule = "Sat 04:00"; reboot = "kernel"; report = "None"; healthChecks = [ "true" "curl -fsS http://localhost || exit 7" ];`,
			want: map[string]string{
				"NIX_GITOPS_MODE": "continuous", "NIX_GITOPS_SCHEDULE": "Sat 04:00", "NIX_GITOPS_REBOOT": "kernel", "NIX_GITOPS_REPORT": "None",
				"NIX_GITOPS_HEALTH_CHECK": "( true ) && ( curl -fsS http://localhost || exit 7 )",
			},
		},
		"NoSchedule": {
			reason:  "An empty schedule takes away the claim's.",
			options: `schedule = "";`,
			want:    map[string]string{"NIX_GITOPS_SCHEDULE": ""},
		},
		"Quoting": {
			reason:  "What systemd reads is what was written, whatever the check holds.",
			options: `healthChecks = [ (builtins.readFile ./CHECK) ];`,
			want:    map[string]string{"NIX_GITOPS_HEALTH_CHECK": "( " + awkward + " )"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			check := filepath.Join(t.TempDir(), "check")
			writeFile(t, check, awkward, 0o644)

			modules := `({ config, ... }: { services.nix-gitops = { ` + strings.ReplaceAll(tc.options, "./CHECK", check) + ` }; })`
			files := must[[]any](t, modules, "flake.nixosConfigurations.template.config.systemd.services.nix-gitops-apply.serviceConfig.EnvironmentFile")

			if diff := cmp.Diff(claim, files[:2]); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}

			if tc.want == nil {
				if len(files) != 2 {
					t.Errorf("%s\nfiles: %v", tc.reason, files)
				}

				return
			}

			content := readFile(t, files[2].(string))
			for key, want := range tc.want {
				for reader, got := range readEnv(t, content, key) {
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s\n%s as %s reads it: -want, +got:\n%s", tc.reason, key, reader, diff)
					}
				}
			}

			if got := len(strings.Split(strings.TrimSpace(content), "\n")); got != len(tc.want) {
				t.Errorf("%s\n%d lines, want %d:\n%s", tc.reason, got, len(tc.want), content)
			}
		})
	}
}

// awkward holds every character that means something to systemd's parser, to a shell in double quotes, or to both.
const awkward = `test "$(printf '%s' "a\\b")" = 'a\b' && [ "` + "`echo x`" + `" = x ] # é ; $HOME \n \$ %H !`

// readEnv returns the value of a key in an EnvironmentFile= as systemd's parser and as a shell reads it. systemd reads
// os-release with the same parser, and systemd-tmpfiles writes out a field of that.
func readEnv(t *testing.T, content, key string) map[string]string {
	t.Helper()
	needTools(t, "systemd-tmpfiles", "bash")

	root := t.TempDir()
	writeFile(t, filepath.Join(root, "env"), content, 0o644)
	writeFile(t, filepath.Join(root, "etc/os-release"), strings.ReplaceAll(content, key+"=", "BUILD_ID="), 0o644)
	writeFile(t, filepath.Join(root, "tmpfiles.conf"), "f+ /value 0644 - - - %B\n", 0o644)

	if printed, err := exec.Command("systemd-tmpfiles", "--create", "--root="+root, filepath.Join(root, "tmpfiles.conf")).CombinedOutput(); err != nil {
		t.Fatalf("systemd-tmpfiles: %v\n%s", err, printed)
	}

	cmd := exec.Command("bash", "-c", `. "$1" && printf %s "${!2}"`, "bash", filepath.Join(root, "env"), key)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}

	shell, err := cmd.Output()
	if err != nil {
		t.Fatalf("a shell cannot read %q: %v", content, err)
	}

	return map[string]string{"systemd": readFile(t, filepath.Join(root, "value")), "a shell": string(shell)}
}

func TestModuleMistakes(t *testing.T) {
	cases := map[string]struct {
		reason  string
		options string
		want    string
	}{
		"Mode":         {"There are two modes.", `mode = "sometimes";`, "is not of type null or one of"},
		"Reboot":       {"There are three policies.", `reboot = true;`, "is not of type null or one of"},
		"CheckOfLines": {"A second line would be another parameter.", `healthChecks = [ "true\nNIX_GITOPS_REBOOT=always" ];`, "is not of type list of string matching"},
		"Schedule":     {"A second line would be another setting of the unit.", `schedule = "daily\nUnit=reboot.target";`, "is not of type null or string matching"},
		"Typo":         {"A misspelt option must not be ignored.", `healthCheck = "true";`, "services.nix-gitops.healthCheck' does not exist"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var result any

			failure := evaluate(t, `{ services.nix-gitops = { `+tc.options+` }; }`, dns01+"systemd.services.nix-gitops-apply", &result)
			if !strings.Contains(failure, tc.want) {
				t.Errorf("%s\nwant %q, got:\n%s", tc.reason, tc.want, failure)
			}
		})
	}

	t.Run("ScheduleOnce", func(t *testing.T) {
		messages := must[[]string](t, keys+` { services.nix-gitops = { mode = "first-boot"; schedule = "daily"; }; }`,
			"map (a: a.message) (builtins.filter (a: !a.assertion) "+dns01+"assertions)")
		if diff := cmp.Diff([]string{`services.nix-gitops.schedule needs mode "continuous": first-boot happens once.`}, messages); diff != "" {
			t.Errorf("a schedule for what happens once is a contradiction: -want, +got:\n%s", diff)
		}
	})
}
