package cloudinit

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// doubtsOfOwners are about files of accounts that nobody makes: cloud-init gives up at the first one (cloudinit/util.py, chownbyname), and writes no file after
// it. A package may bring an account for a file with defer, but never the image's default user.
func (g Guest) doubtsOfOwners(root, files *yaml.Node) []Doubt {
	var out []Doubt

	for i, file := range items(files) {
		owner := lookup(file, "owner")
		if owner == nil {
			continue
		}

		name, _, _ := strings.Cut(owner.Value, ":")
		name = strings.TrimSpace(name)
		later := isTrue(orNothing(lookup(file, "defer"))) && (lookup(root, "packages") != nil || lookup(root, "snap") != nil)

		switch {
		case !g.lacks(root, name):
		case name == g.Default:
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: write_files[%d].owner: the machine has no account %s: spec.bootstrap.adminUser, %s, is in place of the image's default user. "+
				"cloud-init gives up, and writes no further file", owner.Line, i, name, g.Account)})
		case !later:
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: write_files[%d].owner: the machine has no account %s: make it in users, and add defer: true to the file. "+
				"cloud-init gives up, and writes no further file", owner.Line, i, name)})
		}
	}

	return out
}

// orNothing is an empty node in place of none.
func orNothing(n *yaml.Node) *yaml.Node {
	if n == nil {
		return &yaml.Node{}
	}

	return n
}

// doubtsOfPasswords are about accounts whose password is locked: cloud-init's default of lock_passwd is true (canonical/cloud-init issues 6683 and 4072).
func doubtsOfPasswords(users *yaml.Node) []Doubt {
	var out []Doubt

	for i, user := range items(users) {
		for _, key := range []string{"hashed_passwd", "passwd"} {
			password, lock := lookup(user, key), lookup(user, "lock_passwd")
			if password == nil || lock != nil && !isTrue(lock) {
				continue
			}

			out = append(out, Doubt{Text: fmt.Sprintf("line %d: users[%d].%s has no effect: cloud-init locks the password of a new account. Add lock_passwd: false for logins at the console", password.Line, i, key)})
		}
	}

	return out
}
