package cloudinit

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// fingerprintBytes is the length of a fingerprint: 5 bytes of a SHA-256, 10 hex digits,
// enough to distinguish the versions of one machine's document.
const fingerprintBytes = 5

// Fingerprint identifies the content of the document, in 10 hexadecimal digits. It
// ignores the content of constant files, and files that a later release adds by itself, so that
// a new release of the function does not look like an edited claim.
//
// The digest is over names and values, not over the YAML: a new layout of the document
// does not change it, and neither does a new field that is unset.
func (d Document) Fingerprint() string {
	p := digest{sum: sha256.New()}
	d.print(&p, ReleaseV010)

	return hex.EncodeToString(p.sum.Sum(nil)[:fingerprintBytes])
}

// Digest identifies all that Marshal writes, but for the style in which a claim has its own part: documents with the same digest say the same.
func (d Document) Digest() [sha256.Size]byte {
	p := digest{sum: sha256.New(), whole: true}
	d.print(&p, latestRelease)

	return [sha256.Size]byte(p.sum.Sum(nil))
}

// print the document with the files of a release, and of those before it.
func (d Document) print(p *digest, until Release) {
	p.text("hostname", d.Hostname)
	p.text("fqdn", d.FQDN)
	p.flag("prefer_fqdn_over_hostname", d.PreferFQDNOverHostname)
	p.flag("preserve_hostname", d.PreserveHostname)
	p.text("manage_etc_hosts", d.ManageEtcHosts)

	for _, user := range d.Users {
		p.user(user)
	}

	p.flag("ssh_pwauth", d.SSHPasswordAuth)
	p.flag("disable_root", d.DisableRoot)
	p.texts("ssh_authorized_keys", d.SSHAuthorizedKeys)
	p.flag("ssh_deletekeys", d.SSHDeleteKeys)
	p.texts("ssh_genkeytypes", d.SSHGenKeyTypes)
	p.flag("package_update", d.PackageUpdate)
	p.flag("package_upgrade", d.PackageUpgrade)
	p.texts("packages", d.Packages)

	for _, key := range slices.Sorted(maps.Keys(d.Extra)) {
		p.field(key, "")
		// For a value that cannot be written, Marshal returns an error; Fingerprint ignores it.
		if node, err := valueNode(d.Extra[key]); err == nil {
			p.node(node)
		}
	}

	for _, file := range d.WriteFiles {
		if file.Since <= until {
			p.file(file)
		}
	}

	for _, command := range d.FirstCommands {
		p.field("first command", "")
		p.texts("arg", command)
	}

	for _, command := range d.RunCmd {
		p.field("runcmd", "")
		p.texts("arg", command)
	}

	p.text("final_message", d.FinalMessage)
	d.added.print(p)
}

// digest is over fields with their lengths, so that two different documents never have the same bytes.
type digest struct {
	sum   hash.Hash
	bytes []byte // Of the field before; its room serves the next field.
	whole bool   // Whether all of a file counts.
}

func (p *digest) field(name, value string) {
	b := strconv.AppendInt(p.bytes[:0], int64(len(name)), 10)
	b = append(b, ':')
	b = append(b, name...)
	b = strconv.AppendInt(b, int64(len(value)), 10)
	b = append(b, ':')
	b = append(b, value...)
	p.bytes = b

	_, _ = p.sum.Write(b) // A hash never fails.
}

func (p *digest) text(name, value string) {
	if value != "" {
		p.field(name, value)
	}
}

func (p *digest) texts(name string, values []string) {
	for _, value := range values {
		p.field(name, value)
	}
}

func (p *digest) flag(name string, value *bool) {
	if value != nil {
		p.field(name, strconv.FormatBool(*value))
	}
}

func (p *digest) user(u User) {
	p.field("user", u.Name)
	p.text("gecos", u.Gecos)
	p.text("primary_group", u.PrimaryGroup)
	p.texts("groups", u.Groups)
	p.text("homedir", u.HomeDir)
	p.text("shell", u.Shell)
	p.text("sudo", u.Sudo)
	p.flag("lock_passwd", u.LockPasswd)
	p.text("hashed_passwd", u.HashedPasswd)
	p.texts("key", u.SSHAuthorizedKeys)
}

func (p *digest) file(f File) {
	p.field("file", f.Path)
	p.text("permissions", f.Permissions)
	p.text("owner", f.Owner)

	if f.Append {
		p.field("append", "true")
	}

	if f.Defer {
		p.field("defer", "true")
	}

	if f.Secret {
		p.field("secret", "true")
	}

	if !f.Constant && !f.Secret || p.whole {
		p.field("content", f.Content)
	}

	if p.whole {
		p.flag("constant", &f.Constant)
		p.field("since", strconv.Itoa(int(f.Since)))
		p.field("former", f.Former)
	}
}

// node adds a tree, without style and position in the source.
func (p *digest) node(n *yaml.Node) {
	p.field(n.Tag, n.Value)

	if len(n.Content) == 0 {
		return
	}

	p.field("items", strconv.Itoa(len(n.Content)))

	for _, item := range n.Content {
		p.node(item)
	}
}
