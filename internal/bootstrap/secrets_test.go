package bootstrap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

func withSecret(path string) *machine.Machine {
	m := plain()
	agent(m)
	m.Secrets = []machine.SecretFile{{Secret: "app", Key: "password", Path: path, Mode: "0640"}}

	return m
}

// TestSecrets holds what becomes of each content, and that no message and no fingerprint has any of it.
func TestSecrets(t *testing.T) {
	const value = "correct horse"

	text := func(s string) Content { return Content{Value: &s, Keys: []string{"password"}} }
	cases := map[string]struct {
		reason  string
		path    string
		content Content
		lack    *Lack
		fault   string
	}{
		"Written":     {reason: "A file of root's.", path: "/etc/app/password", content: text(value)},
		"LineEnds":    {reason: "It is written as it is.", path: "/etc/app/password", content: text("a\n\n b: ${x} %{y}\n")},
		"Missing":     {reason: "The Secret is not there.", path: "/etc/app", lack: &Lack{}},
		"WrongKey":    {reason: "It has other keys.", path: "/etc/app", content: Content{Keys: []string{"user"}}, lack: &Lack{Keys: []string{"user"}}},
		"Empty":       {reason: "An empty file is nobody's wish.", path: "/etc/app", content: text(""), lack: &Lack{Keys: []string{"password"}, Unfit: "is empty"}},
		"Large":       {reason: "A snippet has 1 MiB.", path: "/etc/app", content: text(strings.Repeat("x", 64<<10+1)), lack: &Lack{Keys: []string{"password"}, Unfit: "is 65537 bytes long, and a file has at most 65536"}},
		"Largest":     {reason: "A file may have 64 KiB.", path: "/etc/app", content: text(strings.Repeat("x", 64<<10))},
		"Binary":      {reason: "YAML has text.", path: "/etc/app", content: text("\xff\xfe"), lack: &Lack{Keys: []string{"password"}, Unfit: "is not UTF-8 text"}},
		"OwnFile":     {reason: "The bootstrap's own files stay.", path: "/etc/rancher/k3s/config.yaml", content: text(value), fault: "the machine's bootstrap writes this file"},
		"OwnToken":    {reason: "The token has a field.", path: "/etc/rancher/k3s/token", content: text(value), fault: "the machine's bootstrap writes this file"},
		"Reserved":    {reason: "As for files of userData.", path: "/etc/rancher/k3s/config.yaml.d/x.yaml", content: text(value), fault: "set spec.k3s.config"},
		"BelowAMount": {reason: "The disk would hide it.", path: "/srv/data/password", content: text(value), fault: "disk data is mounted there"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, token := withSecret(tc.path), full
			m.Disks = []machine.Disk{ext4("data", "/srv/data")}

			b, errs := New(m, &token, tc.content)

			if said := fmt.Sprint(errs); (len(errs) > 0) != (tc.fault != "") || !strings.Contains(said, tc.fault) || strings.Contains(said, value) {
				t.Fatalf("%s\nfaults: %v", tc.reason, errs)
			}

			if tc.fault != "" {
				return
			}

			if tc.lack != nil {
				tc.lack.Secret, tc.lack.Key, tc.lack.For, tc.lack.Field = "app", "password", "the content of "+tc.path, "spec.bootstrap.secrets[0].secretRef.key"
			}

			if diff := cmp.Diff(tc.lack, b.Lack); diff != "" || (b.Hash == "") != (tc.lack != nil) {
				t.Fatalf("%s\nhash %q: -want, +got:\n%s", tc.reason, b.Hash, diff)
			}

			if tc.lack != nil {
				return
			}

			data, err := b.UserData()
			if err != nil {
				t.Fatal(err)
			}

			d, err := readDocument(string(data))
			if err != nil {
				t.Fatal(err)
			}

			if got := d.files[tc.path]; got != *tc.content.Value {
				t.Errorf("%s\nfile: %q", tc.reason, got)
			}

			if want := "path: " + tc.path + "\n    permissions: '0640'\n    owner: root:root\n"; !strings.Contains(string(data), want) {
				t.Errorf("%s\nuser-data lacks\n%s", tc.reason, want)
			}
		})
	}
}

// TestFingerprintOfSecrets: it follows path and mode, and not the content, which somebody could guess from it.
func TestFingerprintOfSecrets(t *testing.T) {
	of := func(path, mode, value string) *Bootstrap {
		m, token := withSecret(path), full
		m.Secrets[0].Mode = mode

		b, errs := New(m, &token, Content{Value: &value})
		if len(errs) > 0 {
			t.Fatal(errs)
		}

		return b
	}

	first, rotated := of("/etc/app", "0600", "1234"), of("/etc/app", "0600", "4321")
	if first.Hash != rotated.Hash {
		t.Error("the hash follows the content")
	}

	if first.Hash == of("/etc/other", "0600", "1234").Hash || first.Hash == of("/etc/app", "0640", "1234").Hash {
		t.Error("the hash does not follow path or mode")
	}

	data, err := first.UserData()
	if err != nil {
		t.Fatal(err)
	}

	made := Made{UserData: string(data)}

	want := []Difference{{Kind: DifferenceSecret, Field: "spec.bootstrap.secrets[/etc/app]"}}
	if diff := cmp.Diff(want, rotated.Differences(made)); diff != "" {
		t.Errorf("rotated: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff([]Difference(nil), first.Differences(made)); diff != "" {
		t.Errorf("the same: -want, +got:\n%s", diff)
	}

	want = []Difference{inField("spec.bootstrap.secrets[/etc/other]"), inField("spec.bootstrap.userData (write_files /etc/app)")}
	if diff := cmp.Diff(want, of("/etc/other", "0600", "1234").Differences(made)); diff != "" {
		t.Errorf("another path: -want, +got:\n%s", diff)
	}
}
