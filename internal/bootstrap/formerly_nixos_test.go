package bootstrap

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestFormerlyNixOS: the user-data of a NixOS machine whose image lacks the converge unit, as v0.1.0 wrote it: with script and unit of
// that release, and nothing else changed. Otherwise a lost snippet of such a VM could not be written again, since its name is
// a hash of its bytes.
func TestFormerlyNixOS(t *testing.T) {
	const (
		folder = "../nixos/scripts/former/"
		// Of the bytes that v0.1.0 rendered for this machine.
		rendered = "29ed61a94622278640513a67ea9329af0055078864723db48018ae2fc8afe79d"
	)

	m := plain()
	m.Boot.OS, m.Boot.GuestAgent = machine.OSNixOS, true
	m.Nix = &machine.Nix{FlakeRef: "github:o/r#web", Reboot: "never"}

	b, errs := New(m, nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}

	former, err := b.Formerly()
	if err != nil || len(former) != 1 {
		t.Fatalf("want the scripts of one earlier release, got %d (%v)", len(former), err)
	}

	sum := sha256.Sum256(former[0])
	if got := hex.EncodeToString(sum[:]); got != rendered {
		t.Errorf("the hash is %s, want %s; former files are never edited:\n%s", got, rendered, former[0])
	}

	now, err := b.UserData()
	if err != nil {
		t.Fatal(err)
	}

	want := files(t, now)
	delete(want, "/var/lib/nix-gitops/guest-report") // Of a later release.

	for path, name := range map[string]string{
		"/var/lib/nix-gitops/nix-gitops-apply":         folder + "nix-gitops-apply-v0.1.0",
		"/var/lib/nix-gitops/nix-gitops-apply.service": folder + "nix-gitops-apply-v0.1.0.service",
	} {
		content, err := os.ReadFile(name)
		if err != nil || want[path] == "" || want[path] == string(content) {
			t.Fatalf("%s is to differ from %s (%v)", path, name, err)
		}

		want[path] = string(content)
	}

	if diff := cmp.Diff(want, files(t, former[0])); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// files of a user-data, by path.
func files(t *testing.T, userData []byte) map[string]string {
	t.Helper()

	var document struct {
		WriteFiles []struct {
			Path    string `json:"path"`
			Content string `json:"content"`
		} `json:"write_files"`
	}
	if err := yaml.Unmarshal(userData, &document); err != nil {
		t.Fatal(err)
	}

	out := map[string]string{}
	for _, f := range document.WriteFiles {
		out[f.Path] = f.Content
	}

	return out
}
