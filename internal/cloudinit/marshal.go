package cloudinit

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/memo"
)

// Marshal returns the document for the cloud-init drive: the
// [Header], then YAML in the order of Document's fields, with LF line ends and
// scripts as literal blocks. The same document gives the same bytes.
//
// It returns an error if the document is larger than [MaxUserDataBytes], contains a
// file that is not UTF-8 text, or has a value in Extra that it cannot write. No
// error shows a value.
func (d Document) Marshal() ([]byte, error) {
	if err := d.checkText(); err != nil {
		return nil, errors.Wrap(err, "cannot build cloud-config")
	}

	before, after := newMapping(), newMapping()
	d.identity(before)
	d.access(before)
	d.software(before)

	if err := d.extra(before); err != nil {
		return nil, errors.Wrap(err, "cannot build cloud-config")
	}

	d.commands(after)

	var out bytes.Buffer

	out.WriteString(Header + "\n")

	if err := errors.Join(encode(&out, before.node), d.files(&out), encode(&out, after.node)); err != nil {
		return nil, errors.Wrap(err, "cannot marshal cloud-config")
	}

	if out.Len() > MaxUserDataBytes {
		return nil, errors.Errorf("cloud-config is %d bytes long; Proxmox reads at most %d", out.Len(), MaxUserDataBytes)
	}

	return out.Bytes(), nil
}

// files writes write_files, an entry at a time: most of a document are scripts that no claim changes.
func (d Document) files(out *bytes.Buffer) error {
	if len(d.WriteFiles)+len(d.added.files) == 0 {
		return nil
	}

	out.WriteString(filesKey)

	for _, f := range d.WriteFiles {
		text, err := f.entry()
		if err != nil {
			return err
		}

		out.WriteString(text)
	}

	for _, node := range d.added.files {
		text, err := fileEntry(node)
		if err != nil {
			return err
		}

		out.WriteString(text)
	}

	return nil
}

const (
	filesKey = keyWriteFiles + ":\n"
	// mostEntries of constant files are remembered: there are some twenty, each with a script of 20 KiB at most.
	mostEntries = 128
)

// constantEntries are the entries of constant files.
var constantEntries = memo.New[File, string](mostEntries) //nolint:gochecknoglobals // A file decides what its entry is.

// entry of a file in the list write_files.
func (f File) entry() (string, error) {
	write := func() (string, error) { return fileEntry(f.node()) }

	// The content of any other file may be secret, and is not kept.
	if !f.Constant || f.Secret {
		return write()
	}

	return constantEntries.Of(f, write)
}

// fileEntry is a node as an entry of the list.
func fileEntry(node *yaml.Node) (string, error) {
	var out bytes.Buffer

	list := newMapping()
	list.addNodes(keyWriteFiles, []*yaml.Node{node})

	if err := encode(&out, list.node); err != nil {
		return "", err
	}

	return strings.TrimPrefix(out.String(), filesKey), nil
}

// encode writes a YAML mapping; nothing of an empty one.
func encode(out *bytes.Buffer, root *yaml.Node) error {
	if len(root.Content) == 0 {
		return nil
	}

	const indent = 2

	encoder := yaml.NewEncoder(out)
	encoder.SetIndent(indent)

	return errors.Wrap(errors.Join(encoder.Encode(root), encoder.Close()), "cannot write YAML")
}

func (d Document) checkText() error {
	for _, file := range d.WriteFiles {
		if !utf8.ValidString(file.Content) {
			return errors.Errorf("content of %s is not UTF-8 text", file.Path)
		}
	}

	return nil
}

func (d Document) identity(m mapping) {
	m.addText("hostname", d.Hostname)
	m.addText("fqdn", d.FQDN)
	m.addBool("prefer_fqdn_over_hostname", d.PreferFQDNOverHostname)
	m.addBool("preserve_hostname", d.PreserveHostname)

	switch d.ManageEtcHosts {
	case "true", "false":
		m.add("manage_etc_hosts", boolNode(d.ManageEtcHosts == "true"))
	default:
		m.addText("manage_etc_hosts", d.ManageEtcHosts)
	}
}

func (d Document) access(m mapping) {
	users, keys := d.accounts()
	m.addNodes("users", users)
	m.addBool("ssh_pwauth", d.SSHPasswordAuth)
	m.addBool("disable_root", d.DisableRoot)
	m.addNodes("ssh_authorized_keys", keys)
	d.set(m, "ssh_deletekeys", func(key string) { m.addBool(key, d.SSHDeleteKeys) })
	d.set(m, "ssh_genkeytypes", func(key string) { m.addTexts(key, d.SSHGenKeyTypes) })
}

func (d Document) software(m mapping) {
	d.set(m, "package_update", func(key string) { m.addBool(key, d.PackageUpdate) })
	d.set(m, "package_upgrade", func(key string) { m.addBool(key, d.PackageUpgrade) })
	m.addNodes("packages", append(textsNode(d.Packages).Content, d.added.packages...))
}

// extra writes the keys of Extra, sorted, then the user's keys in the user's order.
func (d Document) extra(m mapping) error {
	for _, key := range slices.Sorted(maps.Keys(d.Extra)) {
		node, err := valueNode(d.Extra[key])
		if err != nil {
			return errors.Wrapf(err, "cannot write key %q", key)
		}

		m.add(key, node)
	}

	for _, entry := range d.added.keys {
		if !overridable(entry.key) {
			m.add(entry.key, entry.value)
		}
	}

	return nil
}

func (d Document) commands(m mapping) {
	// The user's commands come before the document's own, because only the status of the last command counts.
	commands := make([]*yaml.Node, 0, len(d.FirstCommands)+len(d.added.commands)+len(d.RunCmd))
	for _, command := range d.FirstCommands {
		commands = append(commands, flowTextsNode(command))
	}

	commands = append(commands, d.added.commands...)
	for _, command := range d.RunCmd {
		commands = append(commands, flowTextsNode(command))
	}

	m.addNodes("runcmd", commands)
	d.set(m, "final_message", func(key string) { m.addText(key, d.FinalMessage) })
}

// set writes the user's value of a key if there is one, else the document's own.
func (d Document) set(m mapping, key string, own func(key string)) {
	for _, entry := range d.added.keys {
		if entry.key == key {
			m.add(key, entry.value)

			return
		}
	}

	own(key)
}

// overridable reports whether the user may override a key of the document.
func overridable(key string) bool {
	switch key {
	case "ssh_deletekeys", "ssh_genkeytypes", "package_update", "package_upgrade", "final_message":
		return true
	default:
		return false
	}
}

func (m mapping) addNodes(key string, items []*yaml.Node) {
	if len(items) > 0 {
		m.add(key, &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: items})
	}
}

func (u User) node() *yaml.Node {
	if u.Name == DefaultUser {
		return textNode(u.Name)
	}

	m := newMapping()
	m.addText("name", u.Name)
	m.addText("gecos", u.Gecos)
	m.addText("primary_group", u.PrimaryGroup)

	if len(u.Groups) > 0 {
		m.add("groups", flowTextsNode(u.Groups))
	}

	m.addText("homedir", u.HomeDir)
	m.addText("shell", u.Shell)
	m.addText("sudo", u.Sudo)
	m.addBool("lock_passwd", u.LockPasswd)
	m.addText("hashed_passwd", u.HashedPasswd)
	m.addTexts("ssh_authorized_keys", u.SSHAuthorizedKeys)

	return m.node
}

func (f File) node() *yaml.Node {
	m := newMapping()
	m.addText("path", f.Path)

	if f.Permissions != "" {
		// Modes are always quoted, as is usual.
		m.add("permissions", &yaml.Node{Kind: yaml.ScalarNode, Tag: tagString, Value: f.Permissions, Style: yaml.SingleQuotedStyle})
	}

	m.addText("owner", f.Owner)

	if f.Append {
		m.add("append", boolNode(true))
	}

	if f.Defer {
		m.add("defer", boolNode(true))
	}

	m.add("content", textNode(f.Content))

	return m.node
}
