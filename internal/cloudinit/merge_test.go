package cloudinit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit/schematest"
)

// node is a document with the lists that a machine's bootstrap has.
func node() Document {
	return Document{
		Hostname:         "dns01",
		PreserveHostname: new(false),
		Users:            []User{{Name: "ops", SSHAuthorizedKeys: []string{"ssh-ed25519 AAAA ops@home"}}},
		PackageUpdate:    new(true),
		PackageUpgrade:   new(false),
		Packages:         []string{"qemu-guest-agent", "curl"},
		WriteFiles:       []File{{Path: "/etc/ours", Permissions: "0644", Content: "x\n"}},
		RunCmd:           [][]string{{"systemctl", "start", "first.service"}, {"systemctl", "start", "last.service"}},
		FinalMessage:     "done",
		Extra:            map[string]any{"growpart": map[string]any{"mode": "auto"}},
	}
}

// rules are those of a machine that has more to protect than others.
func rules() Rules {
	r := MachineRules()
	r.Owned["power_state"] = "it would end the bootstrap"
	r.Reserved["/etc/app/conf.d/"] = "set spec.app.config"
	r.Reserved["/etc/app/token"] = "set spec.app.token"

	return r
}

// add parses and merges, as a caller does.
func add(t *testing.T, d *Document, r Rules, text string) []string {
	t.Helper()

	extra, faults := ParseUserData(Header+"\n"+text, userData)
	if len(faults) > 0 {
		t.Fatalf("cannot parse: %v", faults.ToAggregate())
	}

	return messages(d.Merge(extra, r, userData))
}

func TestMerge(t *testing.T) {
	d := node()

	faults := add(t, &d, rules(), `
locale: de_DE.UTF-8
package_reboot_if_required: yes   # YAML 1.1: a boolean
umask: 0022
packages: [vim, curl, [nginx, '1.2'], vim, snap: [htop]]
package_upgrade: true
final_message: "fertig"
write_files:
  - &file
    path: /etc/theirs
    permissions: '0640'
    content: |
      # kept
      a: b
  - path: /home/ann/x
    owner: ann:ann
    defer: true
users:
  - default
  - name: ann
    shell: /bin/zsh
ssh_authorized_keys:
  - ssh-ed25519 BBBB ann@home
runcmd:
  - cd /srv
  - [touch, "it's", 0644]
  -
  - |
    for i in 1 2; do
      echo $i
    done
  - exit 0
bootcmd:
  - echo early
apt:
  conf: |
    Acquire::Retries "3";
`)
	if len(faults) > 0 {
		t.Fatal(faults)
	}

	got, err := d.Marshal()
	if err != nil {
		t.Fatal(err)
	}

	golden(t, "merged.yaml", got)
}

// The schemas know no snap packages in 22.4.2 and no umask; what they know must fit.
func TestMergedFitsSchema(t *testing.T) {
	d := node()
	if faults := add(t, &d, rules(), `
locale: de_DE.UTF-8
packages: [vim, [nginx, '1.2']]
write_files: [{path: /etc/theirs, permissions: '0640', content: "a\nb\n"}]
users: [default, {name: ann, shell: /bin/zsh}]
ssh_authorized_keys: [ssh-ed25519 BBBB ann@home]
runcmd: [ls, [ls, -l]]
bootcmd: [ls]
ntp: {enabled: true, servers: [192.168.4.1]}
`); len(faults) > 0 {
		t.Fatal(faults)
	}

	got, err := d.Marshal()
	if err != nil {
		t.Fatal(err)
	}

	c := schematest.New(t)
	c.Check(t, "merged", got)

	// The check itself can fail.
	if len(c.Problems(t, []byte("#cloud-config\nwrite_files: [{path: 1}]\n"))) != len(schematest.Releases()) {
		t.Error("a path that is a number fits a schema")
	}
}

func TestMergeIsFree(t *testing.T) {
	d := node()
	if faults := add(t, &d, MachineRules(), "power_state: {mode: reboot}\nwrite_files: [{path: /etc/app/token}]\n"); len(faults) > 0 {
		t.Errorf("What other machines protect is refused without need: %v", faults)
	}

	if faults := d.Merge(nil, MachineRules(), userData); len(faults) > 0 {
		t.Error("nothing could not be merged")
	}
}

func TestMergeTwice(t *testing.T) {
	d := node()
	if faults := add(t, &d, rules(), "locale: a\npackages: [vim]\nusers: [ann]\nssh_authorized_keys: [k]\n"); len(faults) > 0 {
		t.Fatal(faults)
	}

	want := []string{
		"Forbidden: line 2: locale cannot be set here: this machine's own cloud-config sets it",
		"Forbidden: line 3: users[0] has the name of a user that this machine already creates; see spec.bootstrap.adminUser",
	}
	if diff := cmp.Diff(want, add(t, &d, rules(), "locale: b\nusers: [ann]\n")); diff != "" {
		t.Error(diff)
	}

	if faults := add(t, &d, rules(), "timezone: UTC\npackages: [vim, htop]\nssh_authorized_keys: [k]\n"); len(faults) > 0 {
		t.Fatal(faults)
	}

	got, err := d.Marshal()
	if err != nil {
		t.Fatal(err)
	}

	if strings.Count(string(got), "vim") != 1 || strings.Count(string(got), "- k\n") != 1 {
		t.Errorf("an entry is there twice:\n%s", got)
	}
}

func TestMergeLeavesTheOriginalAlone(t *testing.T) {
	base := node()
	one, two := base, base

	add(t, &one, rules(), "packages: [vim]\n")
	add(t, &two, rules(), "packages: [htop]\n")

	got, err := one.Marshal()
	if err != nil {
		t.Fatal(err)
	}

	if strings.Contains(string(got), "htop") || base.Fingerprint() != node().Fingerprint() {
		t.Error("copies of a document share what is merged into one of them")
	}
}

func BenchmarkParseAndMerge(b *testing.B) {
	text := Header + "\nlocale: de_DE.UTF-8\npackages: [vim, htop]\nusers: [default, {name: ann, shell: /bin/zsh}]\nruncmd:\n- ls\nwrite_files:\n- path: /etc/theirs\n  content: |\n" +
		strings.Repeat("    a line of some length, as in any script: \"$x\"\n", 20)

	for b.Loop() {
		d := node()

		extra, faults := ParseUserData(text, userData)
		if faults = append(faults, d.Merge(extra, rules(), userData)...); len(faults) > 0 {
			b.Fatal(faults)
		}
	}
}
