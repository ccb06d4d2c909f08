package resolve

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestGuestOf: what a cloud-config finds is known of new images of known families only.
func TestGuestOf(t *testing.T) {
	cases := map[string]struct {
		reason  string
		m       machine.Machine
		account string
		user    string
		disks   int
	}{
		"Image":    {"An image is one disk, beside those of the claim.", machine.Machine{Boot: machine.Boot{Source: machine.SourceDownload, OS: machine.OSDebian}, Disks: make([]machine.Disk, 2)}, "", "debian", 3},
		"Account":  {"Keys make the account.", machine.Machine{Boot: machine.Boot{OS: machine.OSUbuntu}, Access: machine.Access{AdminUser: "ops", SSHAuthorizedKeys: []string{"ssh-ed25519 A"}}}, "ops", "ubuntu", 1},
		"NoKeys":   {"Without keys the image's user stays.", machine.Machine{Boot: machine.Boot{OS: machine.OSUbuntu}, Access: machine.Access{AdminUser: "ops"}}, "", "ubuntu", 1},
		"Template": {"It may bring disks.", machine.Machine{Boot: machine.Boot{Source: machine.SourceClone, OS: machine.OSDebian}}, "", "debian", 0},
		"PCI":      {"A controller brings disks.", machine.Machine{Boot: machine.Boot{OS: machine.OSDebian}, PCI: []string{"hba"}}, "", "debian", 0},
		"Family":   {"Nobody knows its accounts.", machine.Machine{Boot: machine.Boot{OS: machine.OSLinux}}, "", "", 1},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := guestOf(&tc.m)
			if got.Account != tc.account || got.Default != tc.user || len(got.Disks) != tc.disks || (got.Has == nil) != (tc.user == "") {
				t.Errorf("%s\ngot %+v", tc.reason, got)
			}
		})
	}
}
