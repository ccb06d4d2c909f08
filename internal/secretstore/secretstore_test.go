package secretstore

import (
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func store() *machine.SecretStore {
	return &machine.SecretStore{
		Address: "https://bao.home.arpa:8200", CACertificate: "-----BEGIN CERTIFICATE-----\n", Namespace: "home", Mount: "approle", RoleID: "role",
		SecretIDFile: "/etc/machine-secrets/secret-id", Wrapped: true,
		Files: []machine.StoredFile{
			{Path: "/etc/myapp/password", Mount: "secret", Secret: "app", Field: "password", Mode: "0640", Owner: "root:root"},
			{Path: "/etc/rancher/k3s/token", Mount: "secret", Secret: "home", Field: "token", Mode: "0600", Owner: "root:root"},
		},
	}
}

// TestFiles: test/secrets runs the script with this configuration, against a real server.
func TestFiles(t *testing.T) {
	files, err := Files(store())
	if err != nil {
		t.Fatal(err)
	}

	const golden = "testdata/config.json"

	if *update {
		if err := os.WriteFile(golden, []byte(files[0].Content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), files[0].Content); diff != "" {
		t.Errorf("Files(): -want, +got config.json:\n%s", diff)
	}

	type row struct {
		Path, Permissions string
		Constant          bool
	}

	var got []row
	for _, f := range files {
		got = append(got, row{f.Path, f.Permissions, f.Constant})
	}

	if diff := cmp.Diff([]row{
		{"/etc/machine-secrets/config.json", "0600", false},
		{"/usr/local/sbin/fetch-secrets", "0700", true},
		{"/etc/systemd/system/fetch-secrets.service", "0644", true},
	}, got); diff != "" {
		t.Errorf("Files(): -want, +got:\n%s", diff)
	}

	if files, err := Files(nil); len(files) > 0 || err != nil {
		t.Errorf("Files(nil): %v, %v", files, err)
	}
}

// certified is the store of a machine that logs in with a certificate, and refreshes.
func certified() *machine.SecretStore {
	s := store()
	s.Mount, s.RoleID, s.SecretIDFile, s.Wrapped, s.Refresh = "cert", "", "", false, 90*time.Minute
	s.TLS = &machine.CertificateLogin{Role: "web", CertificateFile: DefaultCertificateFile, KeyFile: DefaultKeyFile}
	s.Files[0].Restart, s.Files[1].Once = []string{"myapp.service"}, true

	return s
}

// TestFilesOfARefresh: the configuration that test/nix has the module write, too, and the units that refresh.
func TestFilesOfARefresh(t *testing.T) {
	files, err := Files(certified())
	if err != nil {
		t.Fatal(err)
	}

	got := map[string]string{}
	for _, f := range files {
		got[f.Path] = f.Content
	}

	for path, golden := range map[string]string{
		ConfigPath: "testdata/config-tls.json",
		"/etc/systemd/system/fetch-secrets-refresh.timer":   "testdata/fetch-secrets-refresh.timer",
		"/etc/systemd/system/fetch-secrets-refresh.service": "scripts/fetch-secrets-refresh.service",
	} {
		if *update && strings.HasPrefix(golden, "testdata/") {
			if err := os.WriteFile(golden, []byte(got[path]), 0o600); err != nil {
				t.Fatal(err)
			}
		}

		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(string(want), got[path]); diff != "" {
			t.Errorf("Files(): -want, +got %s:\n%s", path, diff)
		}

		if path != ConfigPath && !Owned(path) {
			t.Errorf("%s follows from the configuration", path)
		}
	}
}

// TestRefreshService: a refresh has the rights of the first run, and no others.
func TestRefreshService(t *testing.T) {
	settings := func(unit string) []string {
		_, unit, _ = strings.Cut(unit, "[Service]\n")
		unit, _, _ = strings.Cut(unit, "\n[Install]")

		return strings.Split(strings.TrimSpace(unit), "\n")
	}
	// It stays inactive, so that the timer starts it again; the timer, and no failure; and no line on the console.
	own := []string{"RemainAfterExit=", "Restart=", "RestartSec=", "StandardOutput="}

	first := slices.DeleteFunc(settings(service), func(line string) bool {
		return slices.ContainsFunc(own, func(name string) bool { return strings.HasPrefix(line, name) })
	})
	again := slices.DeleteFunc(settings(refreshService), func(line string) bool { return line == "StandardOutput=journal" })

	for i, line := range again {
		again[i] = strings.TrimSuffix(line, " refresh")
	}

	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("-first run, +refresh:\n%s", diff)
	}
}

func TestCompare(t *testing.T) {
	text := func(change func(s *machine.SecretStore)) string {
		s := store()
		change(s)

		files, err := Files(s)
		if err != nil {
			t.Fatal(err)
		}

		return files[0].Content
	}
	same := text(func(*machine.SecretStore) {})

	cases := map[string]struct {
		reason  string
		was, is string
		want    Change
	}{
		"Same":    {reason: "Nothing was edited.", was: same, is: same},
		"Address": {reason: "The store has moved.", was: same, is: text(func(s *machine.SecretStore) { s.Address = "https://x" }), want: Change{Store: true}},
		"CA":      {reason: "It is part of the store.", was: same, is: text(func(s *machine.SecretStore) { s.CACertificate = "" }), want: Change{Store: true}},
		"Token": {
			reason: "A node needs it to join, and not afterwards.", was: same,
			is: text(func(s *machine.SecretStore) { s.Files[1].Field = "other" }), want: Change{Token: true},
		},
		"TokenGone": {reason: "It comes from elsewhere now.", was: same, is: text(func(s *machine.SecretStore) { s.Files = s.Files[:1] }), want: Change{Token: true}},
		"File": {
			reason: "Another mode is another file.", was: same,
			is: text(func(s *machine.SecretStore) { s.Files[0].Mode = "0600" }), want: Change{Files: []string{"/etc/myapp/password"}},
		},
		"FileAdded": {
			reason: "The guest does not have it.", was: text(func(s *machine.SecretStore) { s.Files = s.Files[1:] }), is: same,
			want: Change{Files: []string{"/etc/myapp/password"}},
		},
		"Login":   {reason: "It logs in with a certificate now.", was: same, is: text(func(s *machine.SecretStore) { c := certified(); c.Files, c.Refresh = s.Files, 0; *s = *c }), want: Change{Store: true}},
		"Refresh": {reason: "That the token is written once follows from it.", was: text(func(s *machine.SecretStore) { *s = *certified(); s.Refresh, s.Files[1].Once = 0, false }), is: text(func(s *machine.SecretStore) { *s = *certified() }), want: Change{Store: true}},
		"Restart": {
			reason: "Another service reads it.", was: text(func(s *machine.SecretStore) { *s = *certified() }),
			is:   text(func(s *machine.SecretStore) { *s = *certified(); s.Files[0].Restart = []string{"other.service"} }),
			want: Change{Files: []string{"/etc/myapp/password"}},
		},
		"New": {reason: "A guest without a store fetches nothing.", is: same, want: Change{Token: true, Files: []string{"/etc/myapp/password"}, Store: true}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Compare(tc.was, tc.is, "/etc/rancher/k3s/token")); diff != "" {
				t.Errorf("%s\nCompare(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReserve(t *testing.T) {
	r := Reserve(cloudinit.MachineRules(), store())

	for path, refused := range map[string]bool{
		"/etc/machine-secrets/x": true, "/var/lib/machine-secrets/done": true, "/etc/myapp/password": true,
		"/etc/systemd/system/fetch-secrets.service.d/x.conf": true, "/etc/myapp/other": false,
	} {
		if got := r.Refuse(cloudinit.Document{}, path) != ""; got != refused {
			t.Errorf("Reserve(): %s is refused: %t", path, got)
		}
	}

	s := certified()
	s.TLS.KeyFile = "/etc/ssl/private/app.key"
	r = Reserve(cloudinit.MachineRules(), s)

	for _, path := range []string{"/etc/machine-secrets/tls.crt", "/etc/ssl/private/app.key", "/etc/systemd/system/fetch-secrets-refresh.timer.d/x.conf"} {
		if r.Refuse(cloudinit.Document{}, path) == "" {
			t.Errorf("Reserve(): %s is not refused", path)
		}
	}
}

// TestScript: the oldest Python of an image with cloud-init that still gets updates is 3.6, which has no newer syntax.
func TestScript(t *testing.T) {
	skipWithoutPython(t)

	if !strings.HasPrefix(script, "#!"+python+" -I\n") {
		t.Errorf("the program does not begin with %s", python)
	}

	cmd := exec.Command(python, "-c", "import ast, sys; ast.parse(sys.stdin.read(), feature_version=(3, 6))")
	cmd.Stdin = strings.NewReader(script)

	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
