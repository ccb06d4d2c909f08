package boot

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/test/boot/documents"
	"github.com/homelab-io/function-proxmox-machine/test/boot/sandbox"
)

// TestFirstBoot puts every claim's drive through a first boot, checks what must hold of every machine, and holds the
// whole of what came of it against a golden file.
func TestFirstBoot(t *testing.T) {
	booted := 0

	for _, m := range machines {
		drive, err := m.Drive()
		if errors.Is(err, documents.ErrNoDrive) {
			continue
		}

		booted++

		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()

			if err != nil {
				t.Fatal(err)
			}

			w := wantOf(t, m, drive)
			g := boot(t, drive, macs(m)...)

			for name, check := range checks {
				for _, fault := range check(w, g) {
					t.Errorf("%s: %s", name, fault)
				}
			}

			if t.Failed() {
				t.Logf("the end of cloud-init's output:\n%s", tail(g.Files["/var/log/cloud-init-output.log"].Content))
			}

			if *claims == "" {
				golden(t, guestFile(m.Name), describe(g))
			}
		})
	}

	if booted == 0 {
		t.Error("no claim has a cloud-init drive")
	}
}

// guestFile is where a machine's guest is described.
func guestFile(machine string) string {
	return filepath.Join("testdata", "guests", strings.ReplaceAll(machine, "/", "-")+".txt")
}

// TestGuestFiles: there is a description of each machine's guest, and of no other. The smoke boots three machines, and would not tell.
func TestGuestFiles(t *testing.T) {
	if *claims != "" {
		t.Skip("claims of somebody else have no descriptions")
	}

	var want []string

	for _, m := range machines {
		if _, err := m.Drive(); !errors.Is(err, documents.ErrNoDrive) {
			want = append(want, guestFile(m.Name))
		}
	}

	got, err := filepath.Glob(guestFile("*"))
	if err != nil {
		t.Fatal(err)
	}

	slices.Sort(want)

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run go test -run TestFirstBoot -update in test/boot: -want, +got:\n%s", diff)
	}
}

func tail(s string) string { return s[max(0, len(s)-3000):] }

// quiet are parts of the names of files that change with every run or package, and hold nothing of ours but logs, which
// the checks look at.
var quiet = []string{
	"/var/log/", "/var/cache/", "/var/lib/apt/", "/var/lib/dpkg/", "/var/lib/cloud/seed/", "/var/lib/cloud/data/",
	"/__pycache__/", "/sem/", "/run/",
}

// instance is the folder of one boot: its name, a hash of all that the drive has, says nothing to a person.
var instance = regexp.MustCompile("^(/var/lib/cloud/instances)/[^/]+/")

// describe a guest for a golden file: all of it that a person would want to know, and nothing that changes by chance.
func describe(g *sandbox.Guest) string {
	b := &strings.Builder{}
	section := func(title string, lines ...string) {
		fmt.Fprintf(b, "%s:\n", title)

		for _, line := range lines {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}

	section("host name",
		"init-local: "+g.Fact("hostname-init-local"), "final: "+g.Fact("hostname-final"), "full: "+g.Fact("fqdn"))
	section("/etc/hosts", strings.Split(g.Fact("hosts"), "\n")...)

	links := []string{}

	for line := range strings.SplitSeq(g.Fact("links"), "\n") {
		if f := strings.Fields(line); len(f) > 2 && strings.HasPrefix(f[0], "e") {
			links = append(links, strings.Split(f[0], "@")[0]+" "+f[2])
		}
	}

	slices.Sort(links)
	section("network devices", links...)

	for _, a := range g.Accounts() {
		section("account "+a.Name, append([]string{fmt.Sprintf("uid %s, %s, shell %s, locked %t, groups %s", a.UID, a.Home, a.Shell, a.Locked, strings.Join(a.Groups, " "))}, a.Keys...)...)
	}

	sshd := []string{}
	for _, key := range []string{"passwordauthentication", "kbdinteractiveauthentication", "pubkeyauthentication", "permitrootlogin", "x11forwarding"} {
		sshd = append(sshd, key+" "+g.SSHD(key))
	}

	section("sshd", sshd...)
	section("netplan", strings.Split(strings.TrimSpace(g.Files["/etc/netplan/50-cloud-init.yaml"].Content), "\n")[4:]...)
	section("systemctl", g.Calls()...)

	files := []string{}

	for _, path := range slices.Sorted(maps.Keys(g.Files)) {
		f := g.Files[path]
		if f.Mode.IsDir() || slices.ContainsFunc(quiet, func(dir string) bool { return strings.Contains(path, dir) }) {
			continue
		}

		files = append(files, fmt.Sprintf("%s %s %s", f.Mode, f.Owner, instance.ReplaceAllString(path, "$1/ID/")))
	}

	section("files", files...)

	return b.String()
}
