package cloudinit

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A written file is one of write_files.
type written struct {
	node    *yaml.Node
	place   int
	path    string
	content string // Empty where it is encoded.
	// mode of the file: cloud-init's own where nobody says another one (cloudinit/config/cc_write_files.py).
	mode int64
	adds bool
}

const modeOfFiles, execute = 0o644, 0o111

// writtenFiles are those of a document whose path and mode are known.
func writtenFiles(files *yaml.Node) []written {
	var out []written

	for i, file := range items(files) {
		at := lookup(file, "path")
		if at == nil || at.Kind != yaml.ScalarNode {
			continue
		}

		w := written{node: at, place: i, path: path.Clean(at.Value), mode: modeOfFiles, adds: isTrue(orNothing(lookup(file, "append")))}

		if lookup(file, "encoding") == nil {
			w.content = orNothing(lookup(file, "content")).Value
		}

		if said := lookup(file, "permissions"); said != nil {
			mode, err := strconv.ParseInt(strings.TrimPrefix(said.Value, "0o"), 8, 32)
			if err != nil {
				continue
			}

			w.mode = mode
		}

		out = append(out, w)
	}

	return out
}

// enables is a unit that a command enables.
var enables = regexp.MustCompile(`systemctl\s+(?:--\S+\s+)*enable[ \t]+((?:[\w@.:-]+[ \t]*)+)`)

// doubtsOfWritten are about files that nobody reads or runs, in the order of the document.
func (g Guest) doubtsOfWritten(root, files *yaml.Node) []Doubt {
	if g.Has == nil {
		return nil
	}

	var (
		out      []Doubt
		commands []string
	)

	for _, item := range items(lookup(root, "runcmd")) {
		commands = append(commands, commandText(item))
	}

	all := writtenFiles(files)
	script := strings.Join(commands, "\n")

	for _, w := range all {
		before := len(out)
		say := func(why string) {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: write_files[%d].%s", w.node.Line, w.place, why)})
		}

		if why := doubtOfName(w.path); why != "" {
			say("path " + why)
		}

		for _, why := range g.doubtsOfLines(w.path, w.content, w.adds) {
			say(why)
		}

		if w.neverStarts(script) {
			say("content has no [Install], so that systemctl enable does nothing, and nobody starts the unit at the next boot: add [Install] with WantedBy=" + targetOf(w.path))
		}

		if w.neverEnabled(root) {
			say("path is a unit that nobody enables, so that it never starts: add systemctl enable --now " + path.Base(w.path) + " to runcmd")
		}

		if why := tooLate(root, w); why != "" && len(out) == before {
			say(why)
		}

		if w.mode&execute == 0 && !strings.Contains(script, "chmod") && w.runs(commands, all) {
			say(`path is run as a program, and nobody may: add permissions: "0755"`)
		}
	}

	return out
}

// neverStarts says whether a file is a unit that a command enables and that says nothing of when it starts: systemctl(1), enable.
func (w written) neverStarts(script string) bool {
	name := path.Base(w.path)
	if path.Dir(w.path) != "/etc/systemd/system" || w.content == "" || section.MatchString(w.content) {
		return false
	}

	for _, found := range enables.FindAllStringSubmatch(script, -1) {
		for unit := range strings.FieldsSeq(found[1]) {
			if unit == name || unit+".service" == name {
				return true
			}
		}
	}

	return false
}

func targetOf(unit string) string {
	if path.Ext(unit) == ".timer" {
		return "timers.target"
	}

	return "multi-user.target"
}

// runs says whether a command, or a unit of the document, has the file in the place of its program.
func (w written) runs(commands []string, all []written) bool {
	first := func(text string) bool {
		word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
		return word == w.path
	}

	if slices.ContainsFunc(commands, first) {
		return true
	}

	return slices.ContainsFunc(all, func(unit written) bool {
		return path.Dir(unit.path) == "/etc/systemd/system" && slices.ContainsFunc(startLine.FindAllStringSubmatch(unit.content, -1), func(found []string) bool { return found[2] == w.path })
	})
}

//nolint:gochecknoglobals // Constant patterns.
var (
	// asksCluster is what needs a K3s that runs.
	asksCluster = command(`(?:k3s\s+)?(?:kubectl|crictl)(?:\s[^\n]*)?|helm\s+(?:install|upgrade)[^\n]*|` +
		`k3s\s+(?:ctr|etcd-snapshot|secrets-encrypt|token)[^\n]*|flux\s+(?:bootstrap|install)[^\n]*`)
	// waitsForK3s is a loop until K3s has written something, or answers.
	waitsForK3s = regexp.MustCompile(`\b(?:until|while)\b[^\n]*(?:kubectl|k3s\.yaml|node-token|is-active\s+(?:--\S+\s+)*k3s|:6443\b)`)
	// bringsK3s is about files of these programs, and asks nobody.
	bringsK3s = regexp.MustCompile(`\bcompletion\b|--client\b|\bversion\b`)
)

// beforeK3s says what is wrong about a command that needs K3s, which the machine installs after the last one of runcmd; empty for nothing.
func (g Guest) beforeK3s(text string) string {
	switch {
	case g.Bootstrap != BootstrapK3s || detached.MatchString(text) || strings.Contains(text, "--kubeconfig") || strings.Contains(text, "<<"):
		return ""
	case waitsForK3s.MatchString(text):
		return "waits for K3s, which the machine installs after runcmd, so neither ever comes: remove it"
	case asksCluster.MatchString(text) && !bringsK3s.MatchString(text):
		return "needs K3s, which the machine installs after runcmd: on a server, write a manifest into /var/lib/rancher/k3s/server/manifests, or run it later"
	}

	return ""
}

// networkTypes are file systems over the network, and the package with the program that mounts each: Debian and Ubuntu's images lack it.
var networkTypes = map[string]string{"nfs": "nfs-common", "nfs4": "nfs-common", "cifs": "cifs-utils"} //nolint:gochecknoglobals // A constant table.

// doubtsOfNetworkMounts are about mounts whose program is not there: cloud-init mounts before it installs packages (the stages of cloud.cfg: mounts is in init,
// package_update_upgrade_install in final).
func (g Guest) doubtsOfNetworkMounts(root, mounts *yaml.Node) []Doubt {
	if g.Has == nil {
		return nil
	}

	var out []Doubt

	for i, mount := range items(mounts) {
		parts := items(mount)
		if len(parts) < 3 { //nolint:mnd // What, where, type.
			continue
		}

		name, over := networkTypes[parts[2].Value]
		if !over || g.installs(root, name) && mountsLater(root) {
			continue
		}

		out = append(out, Doubt{Text: fmt.Sprintf("line %d: mounts[%d]: images of Debian and Ubuntu have no program for %s, and cloud-init mounts before it installs packages: add %s to packages, and mount -a to runcmd",
			mount.Line, i, parts[2].Value, name)})
	}

	return out
}

// installs says whether a document installs a package, as far as its packages and commands tell.
func (Guest) installs(root *yaml.Node, name string) bool {
	for _, item := range items(lookup(root, "packages")) {
		if item.Value == name || len(items(item)) > 0 && items(item)[0].Value == name {
			return true
		}
	}

	return anyCommand(root, containing(name), "runcmd", "bootcmd")
}

// mountsLater says whether a command of the last stage mounts something, or restarts the machine.
func mountsLater(root *yaml.Node) bool {
	if lookup(root, "power_state") != nil {
		return true
	}

	// A bootcmd may install the package before the mounts.
	return lookup(root, "bootcmd") != nil || anyCommand(root, func(text string) bool { return strings.Contains(text, "mount") || strings.Contains(text, "remote-fs") }, "runcmd")
}

// neverEnabled says whether a file is a unit that says when it starts, and that nothing else in the document names. systemd's presets were asked before.
func (w written) neverEnabled(root *yaml.Node) bool {
	unit, stem := path.Base(w.path), strings.TrimSuffix(path.Base(w.path), path.Ext(w.path))
	if path.Dir(w.path) != "/etc/systemd/system" || !section.MatchString(w.content) || strings.Contains(unit, "@") {
		return false
	}

	return !says(root, "", func(text string) bool {
		return text != w.path && text != w.content && (strings.Contains(text, stem) || strings.Contains(text, "preset"))
	})
}
