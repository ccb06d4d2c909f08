package bootstrap

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/datadisks"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestDisks holds what the user-data of a machine with data disks has, and in which order things happen.
func TestDisks(t *testing.T) {
	two := []machine.Disk{xfs("inner", "/srv/data/inner"), {Name: "raw"}, ext4("data", "/srv/data")}
	k3sUnits := []string{"k3s-bootstrap.service", "k3s.service", "k3s-agent.service"}

	cases := map[string]struct {
		reason   string
		change   func(m *machine.Machine)
		mode     Mode
		table    string
		commands []string // The first word of each but "systemctl", and the unit.
		dropIns  bool
	}{
		"None":  {"A disk that nobody mounts changes nothing.", func(m *machine.Machine) { m.Disks = []machine.Disk{{Name: "raw"}} }, ModeNative, "", nil, false},
		"NixOS": {"The flake mounts it.", func(m *machine.Machine) { m.Disks, m.Boot.OS = two, machine.OSNixOS }, ModeNative, "", nil, false},
		"Machine": {
			"Outer paths come first; the user's commands find the disks; cloud-init's status says whether they are there.",
			func(m *machine.Machine) { m.Disks, m.UserData = two, "#cloud-config\nruncmd: [[touch, /srv/data/x]]\n" }, ModeRendered,
			"data ext4 /srv/data\ninner xfs /srv/data/inner\n",
			[]string{"daemon-reload", "enable data-disks.service", "start data-disks.service", "user", "start --no-block qemu-guest-agent.service", "is-active --quiet data-disks.service"},
			false,
		},
		"K3s": {
			"K3s' units have the disks before they start, and their bootstrap's status is cloud-init's.", func(m *machine.Machine) { agent(m); m.Disks = two[2:] }, ModeRendered,
			"data ext4 /srv/data\n",
			[]string{"daemon-reload", "enable data-disks.service", "start data-disks.service", "start --no-block qemu-guest-agent.service", "daemon-reload", "enable k3s-bootstrap.service", "start k3s-bootstrap.service"},
			true,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, token := plain(), full
			tc.change(m)

			b, errs := New(m, &token)
			if len(errs) > 0 {
				t.Fatal(errs)
			}

			if b.Mode != tc.mode {
				t.Fatalf("%s: mode %s", tc.reason, b.Mode)
			}

			if b.Mode == ModeNative {
				return
			}

			data, err := b.UserData()
			if err != nil {
				t.Fatal(err)
			}

			var document struct {
				RunCmd     []yaml.Node `yaml:"runcmd"`
				Packages   []string    `yaml:"packages"`
				WriteFiles []struct {
					Path, Content string
				} `yaml:"write_files"`
			}
			if err := yaml.Unmarshal(data, &document); err != nil {
				t.Fatal(err)
			}

			files := map[string]string{}
			for _, f := range document.WriteFiles {
				files[f.Path] = f.Content
			}

			if got := files[datadisks.TablePath]; got != tc.table {
				t.Errorf("%s\ntable:\n%s", tc.reason, got)
			}

			for _, u := range k3sUnits {
				dropIn := files["/etc/systemd/system/"+u+".d/10-data-disks.conf"]
				if strings.Contains(dropIn, "\nExecStartPre=/usr/local/sbin/data-disks\n") != tc.dropIns {
					t.Errorf("%s\ndrop-in of %s:\n%s", tc.reason, u, dropIn)
				}
			}

			var commands []string

			for _, c := range document.RunCmd {
				var words []string
				if c.Decode(&words) != nil || words[0] != "systemctl" {
					words = []string{"systemctl", "user"}
				}

				commands = append(commands, strings.Join(words[1:], " "))
			}

			if got, want := strings.Join(commands, "\n"), strings.Join(tc.commands, "\n"); got != want {
				t.Errorf("%s\ncommands:\n%s\nwant\n%s", tc.reason, got, want)
			}

			if got, want := strings.Contains(strings.Join(document.Packages, " "), "xfsprogs"), strings.Contains(tc.table, " xfs "); got != want {
				t.Errorf("%s\npackages: %v", tc.reason, document.Packages)
			}
		})
	}
}

// TestDisksHideFiles: cloud-init writes files before the disks are mounted, so no file may be below a mount path.
func TestDisksHideFiles(t *testing.T) {
	for path, refused := range map[string]bool{"/srv/data/app.env": true, "/srv/database.env": false, "/etc/data-disks/table": true, "/usr/local/sbin/data-disks": true} {
		m := plain()
		m.Disks = []machine.Disk{ext4("data", "/srv/data")}
		m.UserData = "#cloud-config\nwrite_files: [{path: " + path + ", content: x}]\n"

		if _, errs := New(m, nil); (len(errs) > 0) != refused {
			t.Errorf("%s: %v", path, errs)
		}
	}
}
