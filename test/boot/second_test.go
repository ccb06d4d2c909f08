package boot

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/test/boot/documents"
	"github.com/homelab-io/function-proxmox-machine/test/boot/sandbox"
)

// TestSecondBoot is a cold start after the user-data has changed: Proxmox makes the drive anew then. With the stable
// instance id of rendered meta-data nothing is done again; with Proxmox's own, which is a hash, all of it is.
func TestSecondBoot(t *testing.T) {
	const added = "write_files:\n  - {path: /etc/added, content: added}\n"

	cases := map[string]struct {
		reason string
		claim  string
		change func(*documents.Drive)
		again  bool
	}{
		"SameDrive": {
			reason: "a reboot changes nothing",
			claim:  "claims/first",
			change: func(*documents.Drive) {},
		},
		"RenderedK3s": {
			reason: "a node that runs is not set up a second time",
			claim:  "claims/first",
			change: func(d *documents.Drive) { d.UserData = strings.Replace(d.UserData, "write_files:\n", added, 1) },
		},
		"RenderedNixOS": {
			reason: "the same for a machine that is configured from a flake",
			claim:  "claims/bare",
			change: func(d *documents.Drive) { d.UserData = strings.Replace(d.UserData, "write_files:\n", added, 1) },
		},
		"Native": {
			reason: "the id that Proxmox makes is a hash of the user-data: a changed key is a new instance to cloud-init",
			claim:  "plain-debian/files01",
			change: func(d *documents.Drive) { d.UserData += added; d.MetaData = "instance-id: another\n" },
			again:  true,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m := find(t, tc.claim)

			drive, err := m.Drive()
			if err != nil {
				t.Fatal(err)
			}

			disk := newDisk(t)
			first := bootDisk(t, disk, drive, macs(m)...)

			tc.change(&drive)

			second := bootDisk(t, disk, drive, macs(m)...)

			if len(second.Errors) > 0 {
				t.Errorf("%s\ncloud-init reports %q", tc.reason, second.Errors)
			}

			if _, written := second.Files["/etc/added"]; written != tc.again {
				t.Errorf("%s\nnew write_files were written: %t; want %t", tc.reason, written, tc.again)
			}

			if keysStay := cmp.Equal(hostKeys(first), hostKeys(second)); keysStay == tc.again {
				t.Errorf("%s\nthe SSH host keys stay: %t; want %t", tc.reason, keysStay, !tc.again)
			}

			if diff := cmp.Diff(first.Fact("hostname-final"), second.Fact("hostname-init-local")); diff != "" {
				t.Errorf("%s\nthe host name of the second boot: %s", tc.reason, diff)
			}

			for _, call := range second.Calls() {
				if !tc.again && strings.Contains(call, "k3s-bootstrap") {
					t.Errorf("%s\nthe second boot runs %q", tc.reason, call)
				}
			}
		})
	}
}

func hostKeys(g *sandbox.Guest) map[string]string {
	keys := map[string]string{}

	for _, path := range slices.Sorted(maps.Keys(g.Files)) {
		if strings.HasPrefix(path, "/etc/ssh/ssh_host_") {
			keys[path] = g.Files[path].Content
		}
	}

	return keys
}
