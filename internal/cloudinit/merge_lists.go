package cloudinit

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxScriptBytes is the kernel's limit of one argument (MAX_ARG_STRLEN,
// 128 KiB), minus space for quotes.
const maxScriptBytes = 100 << 10

func (m *merger) packages(e entry) {
	known := make(map[string]bool, len(m.document.Packages))
	for _, name := range m.document.Packages {
		known[name] = true
	}

	for _, item := range m.added.packages {
		known[item.Value] = known[item.Value] || item.Kind == yaml.ScalarNode
	}

	for i, item := range m.list(e) {
		switch {
		case isText(item):
			if !known[item.Value] {
				known[item.Value] = true
				m.added.packages = append(m.added.packages, item)
			}
		case item.Kind == yaml.MappingNode, len(items(item)) == 2 && isText(item.Content[0]) && item.Content[1].Kind == yaml.ScalarNode:
			m.added.packages = append(m.added.packages, item)
		default:
			// Cloud-init installs no package at all if one entry is wrong.
			m.faults.add(item.Line, "packages[%d] must be a package's name or a list of name and version", i)
		}
	}
}

func (m *merger) sshKeys(e entry) {
	for i, item := range m.list(e) {
		if !isText(item) || strings.Contains(strings.TrimSpace(item.Value), "\n") {
			m.faults.add(item.Line, "ssh_authorized_keys[%d] must be one public key on one line", i)

			continue
		}

		same := func(other *yaml.Node) bool { return other.Value == item.Value }
		if !slices.Contains(m.document.SSHAuthorizedKeys, item.Value) && !slices.ContainsFunc(m.added.sshKeys, same) {
			m.added.sshKeys = append(m.added.sshKeys, item)
		}
	}
}

func (m *merger) users(e entry) {
	for i, item := range m.list(e) {
		name := item
		if item.Kind == yaml.MappingNode {
			name = lookup(item, "name")
		}

		switch {
		case !isText(name):
			m.faults.add(item.Line, "users[%d] must be a name, or a mapping with a name", i)
		case item.Kind == yaml.MappingNode && strings.TrimSpace(name.Value) == DefaultUser:
			// It would overwrite the document's own user if the image's default user has the same name.
			m.faults.forbid(name.Line, "users[%d] changes the image's default user; write the plain word default, or add a user with another name", i)
		case m.creates(name.Value):
			m.faults.forbid(name.Line, "users[%d] has the name of a user that this machine already creates; see spec.bootstrap.adminUser", i)
		default:
			m.added.users = append(m.added.users, item)
		}
	}
}

// creates reports whether the document creates a user with a name. Cloud-init splits a plain string at commas.
func (m *merger) creates(names string) bool {
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		if name == DefaultUser {
			continue
		}

		if slices.ContainsFunc(m.document.Users, func(u User) bool { return u.Name == name }) || slices.Contains(addedUsers(m.added.users), name) {
			return true
		}
	}

	return false
}

func addedUsers(nodes []*yaml.Node) []string {
	var names []string

	for _, node := range nodes {
		if name := lookup(node, "name"); name != nil {
			node = name
		}

		for name := range strings.SplitSeq(node.Value, ",") {
			names = append(names, strings.TrimSpace(name))
		}
	}

	return names
}

// octal matches a file mode in cloud-init's string format.
var octal = regexp.MustCompile(`^(0o?)?[0-7]{3,4}$`)

func (m *merger) files(e entry) {
	for i, item := range m.list(e) {
		if file := lookup(item, "path"); !isText(file) || !path.IsAbs(file.Value) || strings.ContainsAny(file.Value, "\n\x00") {
			m.faults.add(item.Line, "write_files[%d] must be a mapping with an absolute path", i)

			continue
		}

		before := len(m.faults.list)
		m.file(i, item)

		if len(m.faults.list) == before {
			m.added.files = append(m.added.files, item)
		}
	}
}

func (m *merger) file(i int, item *yaml.Node) {
	place := lookup(item, "path")
	file := path.Clean(place.Value)

	if slices.ContainsFunc(m.document.WriteFiles, func(own File) bool { return path.Clean(own.Path) == file }) {
		m.faults.forbid(place.Line, "write_files[%d] writes a file that the machine's bootstrap writes", i)
	} else if advice, reserved := m.rules.reserved(file); reserved {
		m.faults.forbid(place.Line, "write_files[%d] writes a file that cannot be set here: %s", i, advice)
	}

	if mode := lookup(item, "permissions"); mode != nil && (mode.Tag != tagString || !octal.MatchString(mode.Value)) {
		m.faults.add(mode.Line, "write_files[%d].permissions must be an octal mode in quotes, '0644'", i)
	}

	if content := lookup(item, "content"); content != nil && content.Tag != tagString && content.Tag != tagBinary {
		m.faults.add(content.Line, "write_files[%d].content must be text; put a single number or word in quotes", i)
	}

	if owner := lookup(item, "owner"); owner != nil && !isText(owner) {
		m.faults.add(owner.Line, "write_files[%d].owner must be user:group", i)
	}
}

// owners refuses files of users that do not exist yet when cloud-init writes files;
// cloud-init would stop and not write the remaining files.
func (m *merger) owners() {
	created := addedUsers(m.added.users)
	for _, user := range m.document.Users {
		created = append(created, user.Name)
	}

	for _, item := range m.added.files {
		owner, deferred := lookup(item, "owner"), lookup(item, "defer")
		if owner == nil || deferred != nil && isTrue(deferred) {
			continue
		}

		name, _, _ := strings.Cut(owner.Value, ":")
		if name = strings.TrimSpace(name); name != "root" && slices.Contains(created, name) {
			m.faults.add(owner.Line, "write_files: cloud-init creates the owner after it writes files; add 'defer: true'")
		}
	}
}

// isTrue parses a boolean like YAML 1.1 and cloud-init.
func isTrue(node *yaml.Node) bool {
	switch strings.ToLower(node.Value) {
	case "true", "yes", "on", "y", "1":
		return true
	default:
		return false
	}
}

// commands joins the user's commands into one script, like cloud-init:
// a string is a shell command, a list is a command with arguments.
func (m *merger) commands(e entry) {
	var script strings.Builder

	for i, item := range m.list(e) {
		if !m.command("runcmd", i, item) {
			continue
		}

		switch item.Kind {
		case yaml.SequenceNode:
			script.WriteString(shellWords(item.Content))
		default:
			script.WriteString(item.Value)
		}

		script.WriteString("\n")
	}

	if script.Len() > maxScriptBytes {
		m.faults.add(e.line, "runcmd is longer than %d bytes; put the script into write_files and run it from there", maxScriptBytes)

		return
	}

	if strings.TrimSpace(script.String()) != "" {
		m.added.commands = append(m.added.commands, flowTextsNode([]string{"/bin/sh", "-c", script.String()}))
	}
}

func (m *merger) bootcmd(e entry) {
	if m.rules.VendorBootcmd {
		m.faults.forbid(e.line, "bootcmd cannot be set here: it would replace the bootcmd of the machine's vendor-data snippet; add your commands to that snippet")

		return
	}

	for i, item := range m.list(e) {
		m.command("bootcmd", i, item)
	}

	m.key(e)
}

// command checks one entry. A wrong type makes cloud-init drop the whole list.
func (m *merger) command(key string, i int, item *yaml.Node) bool {
	words := items(item)
	ok := item.Tag == tagString && item.Kind == yaml.ScalarNode || item.Tag == tagNull || len(words) > 0

	for _, word := range words {
		ok = ok && word.Kind == yaml.ScalarNode && word.Tag != tagNull && word.Tag != tagBinary
	}

	for _, word := range append(slices.Clip(words), item) {
		if strings.Contains(word.Value, "\x00") {
			ok = false
		}
	}

	if !ok {
		m.faults.add(item.Line, "%s[%d] must be a shell command as a string, or a list of a command and its arguments", key, i)
	}

	return ok && item.Tag != tagNull
}

// shellWords quotes words for sh.
func shellWords(words []*yaml.Node) string {
	quoted := make([]string, 0, len(words))
	for _, word := range words {
		quoted = append(quoted, "'"+strings.ReplaceAll(word.Value, "'", `'\''`)+"'")
	}

	return strings.Join(quoted, " ")
}
