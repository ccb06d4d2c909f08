package cloudinit

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit/schematest"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares with a file in testdata, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()

	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: -want, +got:\n%s", name, diff)
	}
}

// script has what hand-made YAML gets wrong: a colon, quotes, a backslash, a hash, blank lines, a tab.
const script = "#!/bin/sh\nset -eu\n\necho \"a: b\" 'c' \\n # no comment\n\ttrue\n"

// machine is a document with every field set.
func machine() Document {
	return Document{
		Hostname:               "dns01",
		FQDN:                   "dns01.home.arpa",
		PreferFQDNOverHostname: new(false),
		PreserveHostname:       new(false),
		ManageEtcHosts:         "localhost",
		Users: []User{{
			Name: "ops", Gecos: "Operator: first", PrimaryGroup: "ops", Groups: []string{"adm", "sudo"}, HomeDir: "/home/ops", Shell: "/bin/bash",
			Sudo: "ALL=(ALL) NOPASSWD:ALL", LockPasswd: new(true), HashedPasswd: "$6$salt$hash",
			SSHAuthorizedKeys: []string{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4y ops@home"},
		}, {Name: DefaultUser}},
		SSHPasswordAuth:   new(false),
		DisableRoot:       new(true),
		SSHAuthorizedKeys: []string{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4z ops@home"},
		SSHDeleteKeys:     new(true),
		SSHGenKeyTypes:    []string{"ed25519"},
		PackageUpdate:     new(true),
		PackageUpgrade:    new(false),
		Packages:          []string{"qemu-guest-agent", "curl"},
		Extra: map[string]any{
			"timezone": "Europe/Berlin",
			"growpart": map[string]any{"mode": "auto", "devices": []any{"/"}, "ignore_growroot_disabled": false},
		},
		WriteFiles: []File{
			{Path: "/usr/local/sbin/run", Permissions: "0700", Owner: "root:root", Content: script, Constant: true},
			{Path: "/etc/empty"},
			{Path: "/home/ops/.profile", Owner: "ops:ops", Content: "x=1", Append: true, Defer: true},
		},
		RunCmd: [][]string{
			{"systemctl", "daemon-reload"},
			{"systemctl", "start", "--no-block", "qemu-guest-agent.service"},
			{"sh", "-c", "echo yes\necho no\n"},
		},
		FinalMessage: "done after $UPTIME s",
	}
}

func TestMarshal(t *testing.T) {
	got, err := machine().Marshal()
	if err != nil {
		t.Fatal(err)
	}

	golden(t, "machine.yaml", got)
	schematest.New(t).Check(t, "machine.yaml", got)

	again, err := machine().Marshal()
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("the second Marshal gave other bytes (%v)", err)
	}

	if bytes.Contains(got, []byte("\r")) {
		t.Error("the document has a CR")
	}
}

func TestMarshalEmpty(t *testing.T) {
	got, err := Document{}.Marshal()
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff("#cloud-config\n", string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestMarshalErrors(t *testing.T) {
	cases := map[string]struct {
		reason   string
		document Document
		want     string
	}{
		"TooLarge": {
			"Proxmox would cut the document off without a word.",
			Document{WriteFiles: []File{{Path: "/x", Content: strings.Repeat("x\n", MaxUserDataBytes/2)}}},
			"Proxmox reads at most 1048576",
		},
		"NotText": {
			"Bytes that are no UTF-8 have no place in YAML.",
			Document{WriteFiles: []File{{Path: "/x", Content: "\xff\xfe"}}},
			"content of /x is not UTF-8 text",
		},
		"UnknownType": {
			"A type that YAML has no word for is a mistake of the caller.",
			Document{Extra: map[string]any{"x": []any{map[string]any{"y": struct{}{}}}}},
			`cannot write key "x": key "y": cannot write a value of type struct {}`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := tc.document.Marshal()
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\ngot %v, want an error with %q", tc.reason, err, tc.want)
			}
		})
	}
}

func TestMarshalJustFits(t *testing.T) {
	d := Document{WriteFiles: []File{{Path: "/x", Content: "x\n"}}}

	small, err := d.Marshal()
	if err != nil {
		t.Fatal(err)
	}

	d.WriteFiles[0].Content = strings.Repeat("x", MaxUserDataBytes-len(small)+1) + "\nx\n"
	// The second line costs its indentation, too.
	for len(d.WriteFiles[0].Content) > 0 {
		got, err := d.Marshal()
		if err == nil {
			if len(got) != MaxUserDataBytes {
				t.Errorf("the largest document that is taken has %d bytes, want %d", len(got), MaxUserDataBytes)
			}

			return
		}

		d.WriteFiles[0].Content = d.WriteFiles[0].Content[1:]
	}
}

func TestFileNeverPrintsItsContent(t *testing.T) {
	d := Document{WriteFiles: []File{{Path: "/etc/rancher/k3s/token", Content: "s3cret"}}}

	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{d, &d, d.WriteFiles, d.WriteFiles[0], &d.WriteFiles[0]} {
			got := fmt.Sprintf(verb, value)
			if strings.Contains(got, "s3cret") || strings.Contains(got, fmt.Sprintf("%x", "s3cret")) {
				t.Errorf("%s of %T shows the content: %s", verb, value, got)
			}
		}
	}

	if got, want := fmt.Sprint(d.WriteFiles[0]), "file /etc/rancher/k3s/token (6 bytes)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMetaData(t *testing.T) {
	got, err := MetaData{InstanceID: "dns01-1", LocalHostname: "dns01"}.Marshal()
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff("instance-id: dns01-1\nlocal-hostname: dns01\n", string(got)); diff != "" {
		t.Error(diff)
	}

	got, err = MetaData{InstanceID: "114"}.Marshal()
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff("instance-id: '114'\n", string(got)); diff != "" {
		t.Errorf("An id that looks like a number stays text, and an empty name is left out.\n%s", diff)
	}

	if _, err := (MetaData{LocalHostname: "dns01"}).Marshal(); err == nil {
		t.Error("meta-data without an instance id was written")
	}
}

func BenchmarkMarshal(b *testing.B) {
	d := machine()
	d.WriteFiles[0].Content = strings.Repeat(script, 200)

	for b.Loop() {
		if _, err := d.Marshal(); err != nil {
			b.Fatal(err)
		}
	}
}
