package cloudinit

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// additions are the user's parts of a document.
type additions struct {
	users, sshKeys, packages, files, commands []*yaml.Node
	keys                                      []entry
	// account gets sshKeys; nil leaves them to the image's default user.
	account *User
}

func (a additions) print(p *digest) {
	for _, list := range []struct {
		name  string
		nodes []*yaml.Node
	}{{"users", a.users}, {"ssh_authorized_keys", a.sshKeys}, {"packages", a.packages}, {"write_files", a.files}, {"runcmd", a.commands}} {
		for _, node := range list.nodes {
			p.field("added", list.name)
			p.node(node)
		}
	}

	for _, e := range a.keys {
		p.field("added key", e.key)
		p.node(e.value)
	}
}

// Merge adds a user's cloud-config to the document.
//
//   - Merge extends lists: packages (without duplicates), write_files, users and
//     ssh_authorized_keys after the document's own entries; runcmd before the
//     document's own commands, because the status of the last command counts. The
//     user's commands run as a separate shell script, so that an "exit" or
//     an open quote ends this script and not the machine's bootstrap.
//   - Merge gives ssh_authorized_keys to the account of rules, because cloud-init would give
//     them to the image's default user, which a list of users suppresses.
//   - Merge refuses the document's own files and users, and files that rules
//     reserve.
//   - Merge refuses keys that rules own, with the advice what to do instead, and
//     bootcmd if it would replace the vendor-data's.
//   - Merge copies all other keys unchanged, in the user's order. They replace
//     the document's package_update, package_upgrade, ssh_deletekeys,
//     ssh_genkeytypes and final_message.
//
// It returns all faults, each with path and line; no fault shows a value. With any fault the
// document does not change. A nil extra adds nothing.
func (d *Document) Merge(extra *Extra, rules Rules, path *field.Path) field.ErrorList {
	if extra == nil {
		return nil
	}

	m := &merger{document: d, rules: rules, faults: &faults{path: path}, added: d.added.clone()}
	m.added.account = rules.Account

	for _, e := range extra.entries {
		m.entry(e)
	}

	m.owners()

	if len(m.faults.list) > 0 {
		return m.faults.list
	}

	d.added = m.added

	return nil
}

func (a additions) clone() additions {
	return additions{
		users:    slices.Clone(a.users),
		sshKeys:  slices.Clone(a.sshKeys),
		packages: slices.Clone(a.packages),
		files:    slices.Clone(a.files),
		commands: slices.Clone(a.commands),
		keys:     slices.Clone(a.keys),
		account:  a.account,
	}
}

// A merger has the state of one Merge.
type merger struct {
	document *Document
	rules    Rules
	faults   *faults
	added    additions
}

func (m *merger) entry(e entry) {
	if advice, owned := m.rules.Owned[e.key]; owned {
		m.faults.forbid(e.line, "%s cannot be set here: %s", keyName(e.key), advice)

		return
	}

	switch e.key {
	case "users":
		m.users(e)
	case "ssh_authorized_keys":
		m.sshKeys(e)
	case "packages":
		m.packages(e)
	case "write_files":
		m.files(e)
	case "runcmd":
		m.commands(e)
	case "bootcmd":
		m.bootcmd(e)
	default:
		m.key(e)
	}
}

func (m *merger) key(e entry) {
	_, own := m.document.Extra[e.key]
	again := slices.ContainsFunc(m.added.keys, func(other entry) bool { return other.key == e.key })

	if own || again {
		m.faults.forbid(e.line, "%s cannot be set here: this machine's own cloud-config sets it", keyName(e.key))

		return
	}

	m.added.keys = append(m.added.keys, e)
}

// list returns the entries of a key that must be a list. No value means an empty list.
func (m *merger) list(e entry) []*yaml.Node {
	switch {
	case e.value.Kind == yaml.SequenceNode:
		return e.value.Content
	case e.value.Tag == tagNull:
		return nil
	default:
		m.faults.add(e.value.Line, "%s must be a list, found a %s", e.key, kindName(e.value))

		return nil
	}
}

// isText reports whether a node is a non-empty string.
func isText(node *yaml.Node) bool {
	return node != nil && node.Kind == yaml.ScalarNode && node.Tag == tagString && strings.TrimSpace(node.Value) != ""
}
