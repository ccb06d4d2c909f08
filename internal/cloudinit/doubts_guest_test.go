package cloudinit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDoubtsOfGuest: accounts, passwords and disks that a cloud-config takes for granted.
func TestDoubtsOfGuest(t *testing.T) {
	const gives = "cloud-init gives up, and writes no further file"

	has := func(name string) bool { return name == "www-data" }
	guest := Guest{Account: "ops", Default: "debian", Has: has, Disks: []Disk{{}}}
	ofImage := Guest{Default: "debian", Has: has, Disks: []Disk{{}}}

	file := func(owner, rest string) string {
		return "#cloud-config\n" + rest + "write_files:\n- {path: /a, owner: '" + owner + "', defer: true, content: x}\n"
	}

	cases := map[string]struct {
		reason, text string
		guest        Guest
		want         []string
	}{
		"OwnerRoot":    {reason: "Every image has it.", text: file("root:root", ""), guest: guest},
		"OwnerAdmin":   {reason: "The machine's own account.", text: file("ops:ops", ""), guest: guest},
		"OwnerSystem":  {reason: "The image has it.", text: file("www-data:www-data", ""), guest: guest},
		"OwnerMade":    {reason: "The document makes it.", text: file("app", "users: [{name: app}]\n"), guest: guest},
		"OwnerDefault": {reason: "It is in place of the machine's.", text: file("debian:debian", ""), guest: guest, want: []string{"line 3: write_files[0].owner: the machine has no account debian: spec.bootstrap.adminUser, ops, is in place of the image's default user. " + gives}},
		"OwnerOfImage": {reason: "The machine has no account of its own.", text: file("debian", ""), guest: ofImage},
		"OwnerBoth":    {reason: "The document asks for it.", text: file("debian", "users: [default]\n"), guest: guest},
		"OwnerNobody":  {reason: "Another image's.", text: file("ubuntu:ubuntu", ""), guest: guest, want: []string{"line 3: write_files[0].owner: the machine has no account ubuntu: make it in users, and add defer: true to the file. " + gives}},
		"OwnerPackage": {reason: "A package may bring it before the file is written.", text: file("postgres", "packages: [postgresql]\n"), guest: guest},
		"OwnerEarly":   {reason: "Packages come after files without defer.", text: "#cloud-config\npackages: [postgresql]\nwrite_files: [{path: /a, owner: postgres, content: x}]\n", guest: guest, want: []string{"line 3: write_files[0].owner: the machine has no account postgres: make it in users, and add defer: true to the file. " + gives}},
		"OwnerUnknown": {reason: "Nobody knows this image.", text: file("alpine", ""), guest: Guest{Account: "ops"}},
		"OwnerSecret":  {reason: "What is no name is not shown.", text: file("A strange text", ""), guest: guest},

		"Locked":     {reason: "cloud-init's default.", text: "#cloud-config\nusers: [{name: app, hashed_passwd: x}]\n", guest: guest, want: []string{"line 2: users[0].hashed_passwd has no effect: cloud-init locks the password of a new account. Add lock_passwd: false for logins at the console"}},
		"LockedSaid": {reason: "As said.", text: "#cloud-config\nusers: [{name: app, passwd: x, lock_passwd: true}]\n", guest: guest, want: []string{"line 2: users[0].passwd has no effect: cloud-init locks the password of a new account. Add lock_passwd: false for logins at the console"}},
		"Unlocked":   {reason: "As somebody who knows writes it.", text: "#cloud-config\nusers: [{name: app, passwd: x, lock_passwd: false}, debian]\n", guest: guest},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range Parse(tc.text).Doubts(tc.guest) {
				got = append(got, d.Text)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
