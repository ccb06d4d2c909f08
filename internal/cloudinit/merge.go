package cloudinit

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// additions are what a document has from its user.
type additions struct {
	users, sshKeys, packages, files, commands []*yaml.Node
	keys                                      []entry
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
//   - Lists are extended: packages (without doubles), write_files, users and
//     ssh_authorized_keys behind the document's own entries; runcmd before the
//     document's own commands, since only the last one's status counts. The
//     user's commands run as one shell script of their own, so that an "exit" or
//     an open quote in it ends that script and not the machine's bootstrap.
//   - A file, or a user, that the document itself makes is refused, and so are
//     the files that rules reserve.
//   - Keys that rules own are refused with the advice what to do instead, and
//     bootcmd where it would hide the one of the vendor-data.
//   - Everything else is taken as it is, in the user's order, also in place of
//     the document's package_update, package_upgrade, ssh_deletekeys,
//     ssh_genkeytypes and final_message.
//
// All faults are returned, each with path and line; no fault shows a value. With any fault the
// document stays as it was. A nil extra adds nothing.
func (d *Document) Merge(extra *Extra, rules Rules, path *field.Path) field.ErrorList {
	if extra == nil {
		return nil
	}

	m := &merger{document: d, rules: rules, faults: &faults{path: path}, added: d.added.clone()}

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
	}
}

// A merger holds what one Merge works on.
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
		m.faults.forbid(e.line, "%s cannot be set here: it is set for this machine already", keyName(e.key))

		return
	}

	m.added.keys = append(m.added.keys, e)
}

// list returns the entries of a key that must be a list. Nothing at all is an empty list.
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

// isText says whether a node is a string that is not empty.
func isText(node *yaml.Node) bool {
	return node != nil && node.Kind == yaml.ScalarNode && node.Tag == tagString && strings.TrimSpace(node.Value) != ""
}
