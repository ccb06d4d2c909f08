package bootstrap

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/secretstore"
)

// stores has the guest fetch one file.
func stores(m *machine.Machine) {
	m.SecretStore = &machine.SecretStore{
		Address: "https://bao.home.arpa:8200", Mount: "approle", RoleID: "web", SecretIDFile: "/etc/machine-secrets/secret-id", Wrapped: true,
		Files: []machine.StoredFile{{Path: "/etc/app", Mount: "secret", Secret: "app", Field: "key", Mode: "0600", Owner: "root:root"}},
	}
}

// certified has the guest log in with a certificate, and refresh.
func certified(m *machine.Machine) {
	stores(m)
	m.SecretStore.Mount, m.SecretStore.RoleID, m.SecretStore.SecretIDFile = "cert", "", ""
	m.SecretStore.TLS = &machine.CertificateLogin{CertificateFile: "/etc/machine-secrets/tls.crt", KeyFile: "/etc/machine-secrets/tls.key"}
	m.SecretStore.Refresh = 12 * time.Hour
}

// fetchesToken has an agent fetch its token, after one other file.
func fetchesToken(m *machine.Machine) {
	agent(m)
	stores(m)
	m.K3s.TokenSecret, m.K3s.TokenFile = nil, k3s.DefaultTokenFile
	m.K3s.TokenStored = &v1alpha1.StoredSecret{Secret: "k3s/home", Field: "token"}
	m.SecretStore.Files = append(m.SecretStore.Files, machine.StoredFile{
		Path: k3s.DefaultTokenFile, Mount: "secret", Secret: "k3s/home", Field: "token", Mode: "0600", Owner: "root:root",
	})
}

// TestSecretStore holds what the user-data of a machine with a secret store has, and in which order things happen.
func TestSecretStore(t *testing.T) {
	fetch := []string{"systemctl daemon-reload", "systemctl enable fetch-secrets.service", "systemctl start fetch-secrets.service"}
	mount := []string{"systemctl daemon-reload", "systemctl enable data-disks.service", "systemctl start data-disks.service"}
	bootstrap := []string{"systemctl daemon-reload", "systemctl enable k3s-bootstrap.service", "systemctl start k3s-bootstrap.service"}
	qemu := "systemctl start --no-block qemu-guest-agent.service"

	cases := map[string]struct {
		reason   string
		change   func(m *machine.Machine)
		commands []string
	}{
		"Machine": {
			reason:   "The user's commands find the files; cloud-init's status says whether they are there.",
			change:   func(m *machine.Machine) { stores(m); m.UserData = "#cloud-config\nruncmd: [date]\n" },
			commands: append(append([]string{}, fetch...), "user", qemu, "systemctl is-active --quiet fetch-secrets.service"),
		},
		"Refresh": {
			reason: "The timer starts after the first fetch.", change: certified,
			commands: append(append([]string{}, fetch...), "systemctl enable --now fetch-secrets-refresh.timer", qemu, "systemctl is-active --quiet fetch-secrets.service"),
		},
		"Disks": {
			reason: "A disk is mounted before anything is written; the last command is about both.",
			change: func(m *machine.Machine) { stores(m); m.Disks = []machine.Disk{ext4("data", "/srv/data")} },
			commands: append(append(append([]string{}, mount...), fetch...), qemu,
				"sh -c systemctl is-active --quiet data-disks.service && systemctl is-active --quiet fetch-secrets.service"),
		},
		"K3s": {
			reason: "The bootstrap's status is cloud-init's: it waits for the token.", change: fetchesToken,
			commands: append(append(append([]string{}, fetch...), qemu), bootstrap...),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := plain()
			tc.change(m)

			b, errs := New(m, nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}

			if b.Mode != ModeRendered || b.Lack != nil || b.Hash == "" {
				t.Errorf("%s\nmode %s, lack %v, hash %q", tc.reason, b.Mode, b.Lack, b.Hash)
			}

			data, err := b.UserData()
			if err != nil {
				t.Fatal(err)
			}

			var document struct {
				RunCmd     []yaml.Node `yaml:"runcmd"`
				WriteFiles []struct {
					Path string
				} `yaml:"write_files"`
			}
			if err := yaml.Unmarshal(data, &document); err != nil {
				t.Fatal(err)
			}

			var got []string

			for _, c := range document.RunCmd {
				var words []string
				if c.Decode(&words) != nil || strings.Contains(strings.Join(words, " "), "date") {
					words = []string{"user"}
				}

				got = append(got, strings.Join(words, " "))
			}

			if diff := cmp.Diff(tc.commands, got); diff != "" {
				t.Errorf("%s\ncommands: -want, +got:\n%s", tc.reason, diff)
			}

			has := map[string]bool{}
			for _, f := range document.WriteFiles {
				has[f.Path] = true
			}

			if !has[secretstore.ConfigPath] || !has["/usr/local/sbin/fetch-secrets"] || has["/etc/app"] || has[k3s.DefaultTokenFile] {
				t.Errorf("%s\nfiles: %v", tc.reason, has)
			}
		})
	}
}

func TestSecretStoreRefuses(t *testing.T) {
	const at = "spec.bootstrap.secretStore."

	cases := map[string]struct {
		reason string
		change func(m *machine.Machine)
		want   []string
	}{
		"Nothing":      {reason: "All is right.", change: fetchesToken},
		"ItsProgram":   {reason: "It would replace itself.", change: func(m *machine.Machine) { m.SecretStore.Files[0].Path = "/usr/local/sbin/fetch-secrets" }, want: []string{at + "files[0].path"}},
		"ItsFolder":    {reason: "It belongs to the program.", change: func(m *machine.Machine) { m.SecretStore.Files[0].Path = "/var/lib/machine-secrets/done" }, want: []string{at + "files[0].path"}},
		"SecretIDFile": {reason: "It is removed.", change: func(m *machine.Machine) { m.SecretStore.Files[0].Path = m.SecretStore.SecretIDFile }, want: []string{at + "files[0].path"}},
		"BelowADisk": {
			reason: "If the disk is missing, the file would be on the boot disk.",
			change: func(m *machine.Machine) {
				m.Disks, m.SecretStore.Files[0].Path = []machine.Disk{ext4("data", "/srv/data")}, "/srv/data/key"
			},
			want: []string{at + "files[0].path"},
		},
		"TokenAsAFile": {
			reason: "The token has its own place.",
			change: func(m *machine.Machine) { fetchesToken(m); m.SecretStore.Files[0].Path = k3s.DefaultTokenFile },
			want:   []string{at + "files[0].path"},
		},
		"ConfigAsSecretID": {reason: "It is the program's.", change: func(m *machine.Machine) { m.SecretStore.SecretIDFile = secretstore.ConfigPath }, want: []string{at + "appRole.secretIDFile"}},
		"K3sConfigAsSecretID": {
			reason: "The program would remove it.", change: func(m *machine.Machine) { fetchesToken(m); m.SecretStore.SecretIDFile = k3s.ConfigPath },
			want: []string{at + "appRole.secretIDFile"},
		},
		"TokenAsSecretID": {
			reason: "K3s would take the wrapping token for its own.", change: func(m *machine.Machine) { fetchesToken(m); m.SecretStore.SecretIDFile = k3s.DefaultTokenFile },
			want: []string{at + "appRole.secretIDFile"},
		},
		"StateAsSecretID": {reason: "It is the program's.", change: func(m *machine.Machine) { m.SecretStore.SecretIDFile = "/var/lib/machine-secrets/token" }, want: []string{at + "appRole.secretIDFile"}},
		"SecretIDInUserData": {
			reason: "A claim is in Git.",
			change: func(m *machine.Machine) {
				m.UserData = "#cloud-config\nwrite_files: [{path: /etc/machine-secrets/secret-id, content: a}]\n"
			},
			want: []string{"spec.bootstrap.userData"},
		},
		"KeyInUserData": {
			reason: "A claim is in Git.",
			change: func(m *machine.Machine) {
				certified(m)
				m.UserData = "#cloud-config\nwrite_files: [{path: /etc/machine-secrets/tls.key, content: a}]\n"
			},
			want: []string{"spec.bootstrap.userData"},
		},
		"ConfigAsKey": {reason: "It is the program's.", change: func(m *machine.Machine) { certified(m); m.SecretStore.TLS.KeyFile = secretstore.ConfigPath }, want: []string{at + "tls.keyFile"}},
		"StateAsCert": {reason: "It is the program's.", change: func(m *machine.Machine) {
			certified(m)
			m.SecretStore.TLS.CertificateFile = "/var/lib/machine-secrets/done"
		}, want: []string{at + "tls.certificateFile"}},
		"KeyAsFile": {reason: "The store would replace the machine's identity.", change: func(m *machine.Machine) { certified(m); m.SecretStore.Files[0].Path = m.SecretStore.TLS.KeyFile }, want: []string{at + "files[0].path"}},
		"TimerAsFile": {reason: "It is the program's.", change: func(m *machine.Machine) {
			certified(m)
			m.SecretStore.Files[0].Path = "/etc/systemd/system/fetch-secrets-refresh.timer"
		}, want: []string{at + "files[0].path"}},
		"FileInUserData": {
			reason: "Two would write one file.",
			change: func(m *machine.Machine) { m.UserData = "#cloud-config\nwrite_files: [{path: /etc/app, content: a}]\n" },
			want:   []string{"spec.bootstrap.userData"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := plain()
			stores(m)
			tc.change(m)

			_, errs := New(m, nil)

			var got []string

			for _, err := range errs {
				path := err.Field
				if strings.HasPrefix(path, "spec.bootstrap.userData") {
					path = "spec.bootstrap.userData"
				}

				got = append(got, path)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nNew(): -want, +got:\n%s\n%v", tc.reason, diff, errs)
			}
		})
	}
}

// TestSecretIDFromASecret: a Secret of the cluster may have the wrapped secret id.
func TestSecretIDFromASecret(t *testing.T) {
	m, value := plain(), "hvs.wrapped"
	stores(m)
	m.Secrets = []machine.SecretFile{{Secret: "app", Key: "id", Path: m.SecretStore.SecretIDFile, Mode: "0600"}}

	if _, errs := New(m, nil, Content{Value: &value}); len(errs) > 0 {
		t.Error(errs)
	}
}

// TestSecretStoreDifferences: what an existing VM was created with, against what the claim describes now.
func TestSecretStoreDifferences(t *testing.T) {
	const at = "spec.bootstrap.secretStore"

	token := Difference{Kind: DifferenceToken, Field: "spec.k3s.token"}
	// A node whose user-data has the token.
	rendered := func(m *machine.Machine) { agent(m) }
	withDisk := func(change func(m *machine.Machine)) func(m *machine.Machine) {
		return func(m *machine.Machine) {
			change(m)
			m.Disks = []machine.Disk{ext4("data", "/srv/data")}
		}
	}
	userData := func(m *machine.Machine) { m.UserData = "#cloud-config\n{}\n" }

	cases := map[string]struct {
		reason  string
		was, is func(m *machine.Machine)
		want    []Difference
	}{
		"Same":    {reason: "Nothing was edited.", was: fetchesToken, is: fetchesToken},
		"Address": {reason: "The store has moved.", was: stores, is: func(m *machine.Machine) { stores(m); m.SecretStore.Address = "https://x" }, want: []Difference{inField(at)}},
		"File": {
			reason: "The guest fetched another field.", was: stores,
			is:   func(m *machine.Machine) { stores(m); m.SecretStore.Files[0].Field = "other" },
			want: []Difference{inField(at + ".files[/etc/app]")},
		},
		"Token": {
			reason: "A node needs it to join, and not afterwards.", was: fetchesToken,
			is: func(m *machine.Machine) { fetchesToken(m); m.SecretStore.Files[1].Secret = "k3s/other" }, want: []Difference{token},
		},
		"Refresh": {
			reason: "Units and the command follow from the field.", was: func(m *machine.Machine) { certified(m); m.SecretStore.Refresh = 0 }, is: certified,
			want: []Difference{inField(at)},
		},
		"RefreshAdded": {
			reason: "Program, units and commands follow from the field.", was: userData, is: func(m *machine.Machine) { userData(m); certified(m) },
			want: []Difference{inField(at + ".files[/etc/app]")},
		},
		"Login": {reason: "The guest logs in as it was created.", was: stores, is: func(m *machine.Machine) { certified(m); m.SecretStore.Refresh = 0 }, want: []Difference{inField(at)}},
		"Added": {
			reason: "Program and commands follow from the field.", was: userData, is: func(m *machine.Machine) { userData(m); stores(m) },
			want: []Difference{inField(at + ".files[/etc/app]")},
		},
		"Removed": {
			reason: "Program and commands follow from the field.", was: func(m *machine.Machine) { userData(m); stores(m) }, is: userData,
			want: []Difference{inField(at + ".files[/etc/app]")},
		},
		"AddedBesideDisks": {
			reason: "The last command is about both then.", was: withDisk(userData), is: withDisk(func(m *machine.Machine) { userData(m); stores(m) }),
			want: []Difference{inField(at + ".files[/etc/app]")},
		},
		"TokenMoves": {
			reason: "Another source of the token asks for nothing.", was: rendered,
			is:   func(m *machine.Machine) { fetchesToken(m); m.SecretStore.Files = m.SecretStore.Files[1:] },
			want: []Difference{token},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			of := func(change func(m *machine.Machine)) *Bootstrap {
				m := plain()
				change(m)

				var given *string
				if m.K3s != nil && m.K3s.TokenSecret != nil {
					given = new(full)
				}

				b, errs := New(m, given)
				if len(errs) > 0 {
					t.Fatal(errs)
				}

				return b
			}

			was, is := of(tc.was), of(tc.is)

			data, err := was.UserData()
			if err != nil {
				t.Fatal(err)
			}

			if (was.Hash == is.Hash) != (tc.want == nil) {
				t.Errorf("%s\nhashes %s and %s", tc.reason, was.Hash, is.Hash)
			}

			if diff := cmp.Diff(tc.want, is.Differences(Made{UserData: string(data)})); diff != "" {
				t.Errorf("%s\nDifferences(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
