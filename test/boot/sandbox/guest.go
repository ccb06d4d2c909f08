package sandbox

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Guest is the state of a machine after a boot.
type Guest struct {
	// Errors as cloud-init itself counts them (result.json).
	Errors []string

	// Files that the boots of this disk have written, by path; folders are among them.
	Files map[string]File

	facts map[string]string
}

// File in the guest.
type File struct {
	Mode    fs.FileMode
	Owner   string // user:group
	Content string // Of a plain file; the target of a link.
}

// Account in the guest.
type Account struct {
	Name, Home, Shell string
	UID               string
	Groups            []string
	Locked            bool // No password opens it.
	Keys              []string
}

// Fact is the output of a command in the guest, or another record of the run.
func (g *Guest) Fact(name string) string { return strings.TrimSpace(g.facts[name]) }

// Calls of systemctl in order, under a heading for each stage.
func (g *Guest) Calls() []string { return strings.Split(g.Fact("calls"), "\n") }

// UnitFaults is what systemd-analyze verify says of the unit files that were written.
func (g *Guest) UnitFaults() string {
	said := &strings.Builder{}

	for _, name := range slices.Sorted(maps.Keys(g.facts)) {
		if strings.HasPrefix(name, "verify-") {
			said.WriteString(g.facts[name])
		}
	}

	return strings.TrimSpace(said.String())
}

// SSHD is a setting of sshd, as sshd itself reads its files.
func (g *Guest) SSHD(key string) string {
	for line := range strings.SplitSeq(g.Fact("sshd"), "\n") {
		if name, value, _ := strings.Cut(line, " "); name == key {
			return value
		}
	}

	return ""
}

// Accounts that people log in with: root and those with a number from 1000 on.
func (g *Guest) Accounts() []Account {
	accounts := []Account{}

	for line := range strings.SplitSeq(g.Fact("passwd"), "\n") {
		f := strings.Split(line, ":")
		if len(f) != 7 || f[0] != "root" && (len(f[2]) < 4 || f[0] == "nobody") {
			continue
		}

		a := Account{Name: f[0], UID: f[2], Home: f[5], Shell: f[6], Locked: g.locked(f[0]), Groups: g.groups(f[0])}

		for line := range strings.SplitSeq(g.Files[f[5]+"/.ssh/authorized_keys"].Content, "\n") {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				a.Keys = append(a.Keys, line)
			}
		}

		accounts = append(accounts, a)
	}

	return accounts
}

func (g *Guest) locked(user string) bool {
	for line := range strings.SplitSeq(g.Fact("shadow"), "\n") {
		if f := strings.Split(line, ":"); f[0] == user && len(f) > 1 {
			return strings.HasPrefix(f[1], "!") || strings.HasPrefix(f[1], "*")
		}
	}

	return false
}

func (g *Guest) groups(user string) []string {
	groups := []string{}

	for line := range strings.SplitSeq(g.Fact("group"), "\n") {
		if f := strings.Split(line, ":"); len(f) == 4 && slices.Contains(strings.Split(f[3], ","), user) {
			groups = append(groups, f[0])
		}
	}

	slices.Sort(groups)

	return groups
}

// names by number, of passwd or group.
func (g *Guest) names(database string) map[string]string {
	names := map[string]string{}

	for line := range strings.SplitSeq(g.Fact(database), "\n") {
		if f := strings.Split(line, ":"); len(f) > 2 {
			names[f[2]] = f[0]
		}
	}

	return names
}

// WorldReadable are the files that every account of the guest can read, folders on the way included, in order.
func (g *Guest) WorldReadable() []string {
	open := func(path string) bool {
		for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
			if f, ok := g.Files[dir]; ok && f.Mode.Perm()&0o001 == 0 {
				return false
			}
		}

		return true
	}

	paths := []string{}

	for _, path := range slices.Sorted(maps.Keys(g.Files)) {
		if f := g.Files[path]; f.Mode.IsRegular() && f.Mode.Perm()&0o004 != 0 && open(path) {
			paths = append(paths, path)
		}
	}

	return paths
}

// filesIn the upper folder of an overlay. What was deleted is a device number 0 there, and is left out.
func filesIn(upper string, users, groups map[string]string) (map[string]File, error) {
	files := map[string]File{}

	err := filepath.WalkDir(upper, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == upper {
			return err
		}

		info, err := d.Info()
		if err != nil {
			return err
		}

		stat, _ := info.Sys().(*syscall.Stat_t)
		f := File{Mode: info.Mode(), Owner: users[fmt.Sprint(stat.Uid)] + ":" + groups[fmt.Sprint(stat.Gid)]}

		switch {
		case f.Mode&fs.ModeCharDevice != 0 && stat.Rdev == 0:
			return nil
		case f.Mode.IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}

			f.Content = string(b)
		case f.Mode&fs.ModeSymlink != 0:
			if f.Content, err = os.Readlink(path); err != nil {
				return err
			}
		}

		files[strings.TrimPrefix(path, upper)] = f

		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot look through what was written: %w", err)
	}

	return files, nil
}
