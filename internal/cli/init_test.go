package cli

import (
	"os"
	"strings"
	"testing"
)

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cZ3m1H0f1l0a3mQ0k6r3Vn1bq8o4J9yM2s7u1xKzP ops@home\n"

func TestInit(t *testing.T) {
	const answers = `{"path":"/nodes","answer":[{"node":"pve"}]}
{"path":"/storage","answer":[{"storage":"local","content":"iso,import,snippets"},{"storage":"local-lvm","content":"images"}]}`

	cases := map[string]struct {
		reason string
		files  map[string]string
		stdin  string
		args   []string
		want   ExitCode
		out    []string
		err    string
	}{
		"Script": {reason: "the script only reads", args: []string{"--script"}, out: []string{"pvesh get"}},
		"Proxmox": {
			reason: "what Proxmox says becomes a catalogue", stdin: answers, files: map[string]string{"id.pub": publicKey},
			args: []string{"--from", "-", "--ssh-key", "id.pub", "--vm-ids", "4100-4199", "--site", "lab"},
			out:  []string{"    lab:\n", "datastores: {disks: local-lvm, images: local, snippets: local}", "vmIds: {from: 4100, to: 4199}", "ops@home"},
			err:  "# pvesh set /cluster/options --next-id lower=4200,upper=1000000\n",
		},
		"Person": {
			reason: "a person's answers do, too; an answer that is wrong is asked for again",
			stdin:  "pve2 pve1\n\ntank\n\n\n192.168.4.1\n192.168.4.1/24\ndns\n192.168.4.2, 1.1.1.1\nhome.arpa\n\n4100\n4100-4199\n",
			out: []string{
				"        pve1:\n          datastores: {disks: tank, images: local, snippets: local}\n        pve2:\n", "gateway: 192.168.4.1\n        cidr: 24\n",
				"dns: [192.168.4.2, 1.1.1.1]", "domain: home.arpa", "vmIds: {from: 4100, to: 4199}",
			},
			err: "write the gateway's address and the prefix length",
		},
		"Defaults": {reason: "who answers nothing gets the names of a fresh Proxmox VE", stdin: strings.Repeat("\n", 11), out: []string{"        pve:\n", "bridge: vmbr0"}},
		"WrongNames": {
			reason: "what the catalogue could not hold is asked for again at once, and not for all answers at the end",
			stdin:  "pve.home.lan\npve\nVM BR\nvmbr0\nLocal ZFS\nlocal-zfs\n\n\n\n\nHome.Arpa\nhome.arpa\n\n\n",
			out:    []string{"        pve:\n", "disks: local-zfs"},
			err:    `"pve.home.lan": must be the name of a Proxmox node`,
		},
		"Nobody": {
			reason: "without a terminal nobody answers, and who ends the input wants no catalogue", want: ExitFailed,
			err: "nobody answers \"Nodes of the Proxmox cluster",
		},
		"Ended": {
			reason: "half of the answers are no catalogue", stdin: "pve\nvmbr0\n", want: ExitFailed,
			err: "nobody answers \"Datastore for disks",
		},
		"NoSnippets": {
			reason: "what some machines need is said, with the command that adds it",
			stdin:  strings.ReplaceAll(answers, ",snippets", ""), args: []string{"--from", "-"},
			err: "# missing: node pve: no datastore has the content type snippets: no K3s node, no NixOS machine and none with its own user-data can be made there\n" +
				"# missing: an SSH key: nobody can log in to a machine; name yours with --ssh-key ~/.ssh/id_ed25519.pub\n" +
				"# to add it, as root on a node: pvesm set local --content import,iso,snippets\n",
		},
		"Fresh": {
			reason: "a fresh Proxmox has no datastore for images: with its catalogue every claim would fail",
			stdin:  strings.ReplaceAll(answers, "iso,import,snippets", "backup,iso,vztmpl"), args: []string{"--from", "-"}, want: ExitFound,
			out: []string{"datastores: {disks: local-lvm}"},
			err: "# to add it, as root on a node: pvesm set local --content backup,import,iso,snippets,vztmpl\nkubectl machine: no machine can be created with this catalogue",
		},
		"NoDisks": {
			reason: "nothing holds disks",
			stdin:  strings.ReplaceAll(answers, `"images"`, `"rootdir"`), args: []string{"--from", "-"}, want: ExitFound,
			err: "# missing: node pve: no datastore has the content type images: no VM can be created there\n",
		},
		"PrivateKey": {reason: "a private key is never read into a catalogue", files: map[string]string{"id": "-----BEGIN OPENSSH PRIVATE KEY-----\n"}, stdin: answers, args: []string{"--from", "-", "--ssh-key", "id"}, want: ExitFailed, err: "is a private key"},
		"Range":      {reason: "a range backwards", stdin: answers, args: []string{"--from", "-", "--vm-ids", "4199-4100"}, want: ExitUsage, err: "is no range of VMIDs"},
		"NoJSON":     {reason: "another file", stdin: "hello", args: []string{"--from", "-"}, want: ExitFailed, err: "cannot read the answers"},
		"Refused":    {reason: "a name that the catalogue cannot hold is said at once", stdin: strings.ReplaceAll(answers, "local-lvm", "4disks"), args: []string{"--from", "-"}, want: ExitFound, err: "must be the name of a Proxmox datastore"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			lintFiles(t, tc.files)
			t.Setenv("HOME", t.TempDir())

			code, out, err := runAt(t, tc.stdin, append([]string{"init"}, tc.args...)...)
			if code != tc.want || !strings.Contains(err, tc.err) {
				t.Errorf("%s: want exit code %d and %q, got %d and %s", tc.reason, tc.want, tc.err, code, err)
			}

			for _, want := range tc.out {
				if !strings.Contains(out, want) {
					t.Errorf("%s: want %q in:\n%s", tc.reason, want, out)
				}
			}

			if code != ExitOK || name == "Script" {
				return
			}

			if hint := "kubectl machine privileges --catalogue"; !strings.Contains(err, hint) {
				t.Errorf("%s: want %q in: %s", tc.reason, hint, err)
			}

			// Lint accepts what init writes.
			if err := os.WriteFile("catalogue.yaml", []byte(out), 0o600); err != nil {
				t.Fatal(err)
			}

			if code, faults, err := runAt(t, "", "lint", "-f", "catalogue.yaml", "--strict"); code != ExitOK {
				t.Errorf("%s: lint says:\n%s%s\nof:\n%s", tc.reason, faults, err, out)
			}
		})
	}
}
