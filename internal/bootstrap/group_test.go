package bootstrap

import (
	"bytes"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestGroupOfTheImage: useradd refuses to create an account with the name of a group unless it is told that the account is to be in it. A VM that was created without
// that is as current as one with it, and its lost user-data is written as it was.
func TestGroupOfTheImage(t *testing.T) {
	of := func(name string, os machine.OS) *Bootstrap {
		m := plain()
		m.Access.AdminUser, m.Boot.OS, m.UserData = name, os, "#cloud-config\n{}\n"

		b, errs := New(m, nil)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}

		return b
	}

	for _, tc := range []struct {
		reason, name string
		os           machine.OS
		want         bool
	}{
		{"Debian has the group.", "staff", machine.OSDebian, true},
		{"Ubuntu has one that Debian has not.", "admin", machine.OSUbuntu, true},
		{"Debian has not.", "admin", machine.OSDebian, false},
		{"No image has it.", "ops", machine.OSUbuntu, false},
		{"The flake says what groups there are.", "staff", machine.OSNixOS, false},
	} {
		b := of(tc.name, tc.os)

		now, err := b.UserData()
		if err != nil {
			t.Fatal(err)
		}

		if got := bytes.Contains(now, []byte("primary_group: "+tc.name+"\n")); got != tc.want {
			t.Errorf("%s %s on %s: primary_group is %t, want %t:\n%s", tc.reason, tc.name, tc.os, got, tc.want, now)
		}

		former, err := b.Formerly()
		if err != nil {
			t.Fatal(err)
		}

		if tc.want && (len(former) != 1 || bytes.Contains(former[0], []byte("primary_group")) || !b.Describes(b.FormerHash()) || b.FormerHash() == b.Hash) {
			t.Errorf("%s %s on %s: as it was written before: %q, hash %s of %s", tc.reason, tc.name, tc.os, former, b.FormerHash(), b.Hash)
		}
	}
}
