package nix

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/nixos"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

func files(t *testing.T, target nixos.Target) map[string]cloudinit.File {
	t.Helper()

	list, err := target.Files()
	if err != nil {
		t.Fatalf("cannot make the files: %v", err)
	}

	named := map[string]cloudinit.File{}
	for _, file := range list {
		named[file.Path] = file
	}

	return named
}

// What the function writes, the machine must read as it was meant.
func TestFunctionParameters(t *testing.T) {
	written := files(t, nixos.Target{FlakeRef: target, Schedule: "Sat 04:00", Reboot: "kernel", HealthCheck: awkward})
	want := map[string]string{
		"NIX_GITOPS_MODE": "continuous", "NIX_GITOPS_SCHEDULE": "Sat 04:00", "NIX_GITOPS_REBOOT": "kernel", "NIX_GITOPS_HEALTH_CHECK": awkward,
	}

	for key, value := range want {
		for reader, got := range readEnv(t, written["/etc/nix-gitops/env"].Content, key) {
			if diff := cmp.Diff(value, got); diff != "" {
				t.Errorf("%s as %s reads it: -want, +got:\n%s", key, reader, diff)
			}
		}
	}

	silent := files(t, nixos.Target{FlakeRef: target, Silent: true})["/etc/nix-gitops/env"].Content
	for reader, got := range readEnv(t, silent, nixos.EnvReport) {
		if got != "None" {
			t.Errorf("%s as %s reads it: %q", nixos.EnvReport, reader, got)
		}
	}

	if env := written["/etc/nix-gitops/env"].Content; strings.Contains(env, nixos.EnvReport) {
		t.Errorf("the parameters of a machine that reports changed:\n%s", env)
	}

	m := newMachine(t)
	m.write("root/etc/nix-flake-target", written["/etc/nix-flake-target"].Content)

	if got, printed := m.run(); got.Exit != 0 || m.applied()["target"] != target {
		t.Errorf("the target must be applied as it is written; exit %d:\n%s", got.Exit, printed)
	}
}

// The files refer to each other by path.
func TestFunctionFiles(t *testing.T) {
	written := files(t, nixos.Target{FlakeRef: target})

	words := strings.Fields(setting(t, written["/var/lib/nix-gitops/"+unitName].Content, "Service", "ExecStart"))
	if script := words[len(words)-1]; written[script].Content != readFile(t, filepath.Join(scriptsDir, "nix-gitops-apply")) {
		t.Errorf("the unit starts %s, which is not the script", script)
	}

	perBoot := written["/var/lib/cloud/scripts/per-boot/10-nix-gitops"]
	if perBoot.Permissions != "0755" || !strings.Contains(perBoot.Content, "/var/lib/nix-gitops/$unit") {
		t.Errorf("cloud-init executes the per-boot script, which copies the unit; mode %s:\n%s", perBoot.Permissions, perBoot.Content)
	}

	for path, mode := range map[string]string{"/etc/nix-gitops/env": "0600", "/etc/nix-flake-target": "0644"} {
		if written[path].Permissions != mode {
			t.Errorf("%s: mode %s, want %s", path, written[path].Permissions, mode)
		}
	}
}

// A reference that the function takes and the machine refuses would be found out when the machine is there, too late to
// change the claim.
func TestFunctionTakesWhatTheMachineTakes(t *testing.T) {
	references := []string{
		target,
		"git+https://git.home.arpa/infra#dns01",
		"git+https://git.home.arpa:8443/team/infra.git?ref=main&dir=nix#dns01.home.arpa",
		"git+https://git.home.arpa/a;b!c*d#dns01",
		"git+ssh://git@git.home.arpa/infra?shallow=1#dns01",
		"git+ssh://git.home.arpa:2222/infra#-dns01",
		"github:owner/repo#dns01",
		"github:owner/repo/release/1#dns_01",
		"gitlab:owner/group%2Frepo?host=git.home.arpa#dns01",
		"git+https://ops:secret@git.home.arpa/infra#dns01",
		"git+ssh://git:secret@git.home.arpa/infra#dns01",
		"git+https://git.home.arpa/infra?access_token=secret#dns01",
		"git+https://git.home.arpa/infra?ref=main&x=1#dns01",
		"git+https://git.home.arpa/in@fra#dns01",
		"path:/etc/nixos#dns01",
		"nixpkgs#dns01",
		"git+http://git.home.arpa/infra#dns01",
		"git+https://git.home.arpa/in fra#dns01",
		"git+https://git.home.arpa/infra#dns01#dns02",
	}

	var taken, refused []string

	for _, reference := range references {
		m := newMachine(t)
		m.write("root/etc/nix-flake-target", reference+"\n")

		got, _ := m.run()
		errs := validate.FlakeRef(field.NewPath("spec", "nix", "flakeRef"), reference)

		if len(errs) == 0 {
			taken = append(taken, reference)
		}

		if got.Exit == 78 {
			refused = append(refused, reference)
		}
	}

	if len(taken) == 0 || len(refused) == 0 {
		t.Fatalf("taken: %q, refused: %q", taken, refused)
	}

	for _, reference := range taken {
		if slices.Contains(refused, reference) {
			t.Errorf("the function takes %s and the machine refuses it", reference)
		}
	}
}
