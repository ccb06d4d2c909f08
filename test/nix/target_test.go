package nix

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// untouched is what a run must leave behind that refuses its parameters: 78 (EX_CONFIG) keeps the unit from retrying.
var untouched = outcome{Exit: 78, Running: "t", Boots: "t"}

func TestBadTarget(t *testing.T) {
	cases := map[string]struct {
		reason  string
		content string
		says    string
	}{
		"Empty":            {"Comments and blank lines name nothing.", "# none yet\n\n", "must hold one line"},
		"TwoTargets":       {"Which one is meant?", target + "\n" + target + "\n", "it holds 2"},
		"NoName":           {"A flake without a configuration is ambiguous.", "git+https://git.example.org/infra\n", "names no configuration"},
		"EmptyName":        {"A '#' alone names nothing.", "git+https://git.example.org/infra#\n", "is no name of a configuration"},
		"AttributePath":    {"Only a plain name may follow the '#'.", "git+https://git.example.org/infra#a/b\n", "is no name of a configuration"},
		"TwoFragments":     {"Only one '#'.", "git+https://git.example.org/infra#a#b\n", "is no name of a configuration"},
		"Path":             {"A path on the machine is not Git.", "path:/etc/nixos#dns01\n", "must start with"},
		"Absolute":         {"A path on the machine is not Git.", "/etc/nixos#dns01\n", "must start with"},
		"Registry":         {"A registry name means whatever the registry says today.", "nixpkgs#dns01\n", "must start with"},
		"PlainHTTP":        {"Without TLS everybody on the way is root on the machine.", "git+http://git.example.org/infra#dns01\n", "must start with"},
		"LocalRepository":  {"A repository on the machine is not the source of truth.", "git+file:///srv/infra#dns01\n", "must start with"},
		"Blank":            {"A blank ends the reference for every reader.", "git+https://git.example.org/in fra#dns01\n", "stray character"},
		"Quote":            {"No quote reaches a command line.", "git+https://git.example.org/infra#dns'01\n", "stray character"},
		"Substitution":     {"No shell syntax reaches a command line.", "git+https://git.example.org/$(reboot)#dns01\n", "stray character"},
		"CarriageReturn":   {"A file written on Windows must be said to be wrong, not looked up as another host.", target + "\r\n", "stray character"},
		"Password":         {"No credentials in a world-readable file.", "git+https://ops:hunter2@git.example.org/infra#dns01\n", "holds credentials"},
		"Token":            {"No credentials in a world-readable file.", "git+https://hunter2@git.example.org/infra#dns01\n", "holds credentials"},
		"SSHPassword":      {"SSH has a user name, and no password.", "git+ssh://git:hunter2@git.example.org/infra#dns01\n", "holds credentials"},
		"SSHSecondUser":    {"One user name, in its place.", "git+ssh://git@a:hunter2@git.example.org/infra#dns01\n", "holds credentials"},
		"GitHubToken":      {"No credentials in a world-readable file.", "github:hunter2@owner/repo#dns01\n", "holds credentials"},
		"TokenAsParameter": {"A token is no parameter.", "git+https://git.example.org/infra?access_token=hunter2#dns01\n", "unknown parameter"},
		"SecondParameter":  {"Every parameter counts.", "git+https://git.example.org/infra?ref=main&private_token=hunter2#dns01\n", "unknown parameter"},
		"OnlyCredentials":  {"Two faults must not make the credentials show.", "git+https://ops:hunter2@git.example.org/infra\n", "holds credentials"},
		"SecretWithBlank":  {"Two faults must not make the credentials show.", "git+https://ops:hunter2@git.example.org/in fra#dns01\n", "stray character"},
		"SecretAsScheme":   {"Two faults must not make the credentials show.", "https://ops:hunter2@git.example.org/infra#dns01\n", "must start with"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.write("root/etc/nix-flake-target", tc.content)

			got, printed := m.run()
			if diff := cmp.Diff(untouched, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}

			if !strings.Contains(printed, "<3>nix-gitops: ") || !strings.Contains(printed, tc.says) {
				t.Errorf("%s\nwant an error with %q, got:\n%s", tc.reason, tc.says, printed)
			}

			if strings.Contains(printed, "hunter2") {
				t.Errorf("%s\nthe message shows a secret:\n%s", tc.reason, printed)
			}
		})
	}
}

func TestMissingTarget(t *testing.T) {
	m := newMachine(t)
	m.remove("root/etc/nix-flake-target")

	got, printed := m.run()
	if diff := cmp.Diff(untouched, got); diff != "" {
		t.Errorf("nothing may happen without a target: -want, +got:\n%s", diff)
	}

	if !strings.Contains(printed, "etc/nix-flake-target is missing") {
		t.Errorf("the missing file must be named:\n%s", printed)
	}
}

func TestGoodTarget(t *testing.T) {
	cases := map[string]struct {
		reference string
		name      string
	}{
		"HTTPS":      {"git+https://git.example.org/infra", "dns01"},
		"Port":       {"git+https://git.example.org:8443/team/infra.git?ref=main&dir=nix", "dns01"},
		"IPv6":       {"git+https://[fd00::1]:8443/infra?shallow=1", "dns01"},
		"Revision":   {"git+https://git.example.org/infra?rev=" + revisionB, "dns01"},
		"SSH":        {"git+ssh://git@git.example.org/infra?ref=main", "dns01"},
		"SSHNoUser":  {"git+ssh://git.example.org:2222/infra", "dns01"},
		"GitHub":     {"github:owner/repo/main", "dns01"},
		"GitLab":     {"gitlab:group%2Fsub/repo?host=git.example.org", "dns01"},
		"Sourcehut":  {"sourcehut:~user/infra", "dns01"},
		"RareMarks":  {"git+https://git.example.org/a;b!c*d", "-dns01."},
		"DottedName": {"git+https://git.example.org/infra", "dns01.home.arpa"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.write("root/etc/nix-flake-target", tc.reference+"#"+tc.name+"\n")

			got, printed := m.run()
			if got.Exit != 0 || got.Running != "a" {
				t.Fatalf("%s#%s must be applied:\n%s", tc.reference, tc.name, printed)
			}

			if want := tc.reference + "#" + tc.name; m.applied()["target"] != want {
				t.Errorf("target on record: %q, want %q", m.applied()["target"], want)
			}
		})
	}
}

func TestBadParameters(t *testing.T) {
	cases := map[string]struct {
		reason string
		env    []string
		says   string
	}{
		"Mode":         {"An unknown mode must not pass for the default.", []string{"NIX_GITOPS_MODE=always"}, "NIX_GITOPS_MODE must be"},
		"Reboot":       {"An unknown policy must not pass for one that reboots, or does not.", []string{"NIX_GITOPS_REBOOT=yes"}, "NIX_GITOPS_REBOOT must be"},
		"ScheduleOnce": {"A schedule for what happens once is a contradiction.", []string{"NIX_GITOPS_MODE=first-boot", "NIX_GITOPS_SCHEDULE=daily"}, "needs NIX_GITOPS_MODE=continuous"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)

			got, printed := m.run(tc.env...)
			if diff := cmp.Diff(untouched, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}

			if !strings.Contains(printed, tc.says) {
				t.Errorf("%s\nwant %q in:\n%s", tc.reason, tc.says, printed)
			}
		})
	}
}
