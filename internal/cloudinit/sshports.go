package cloudinit

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	sshFile    = regexp.MustCompile(`^/etc/ssh/sshd_config(?:\.d/[^/]+\.conf)?$`)
	sshPort    = regexp.MustCompile(`(?mi)^[ \t]*Port[ \t=]+"?([0-9]{1,5})\b`)
	sshSocket  = regexp.MustCompile(`^/etc/systemd/system/ssh\.socket(?:\.d/[^/]+\.conf)?$`)
	resets     = regexp.MustCompile(`(?m)^ListenStream=[ \t]*$`)
	listens    = regexp.MustCompile(`(?m)^ListenStream=(?:\S*:)?([0-9]{1,5})[ \t]*$`)
	sshAddress = regexp.MustCompile(`(?mi)^[ \t]*ListenAddress[ \t=]+"?\S*[^\s:]:([0-9]{1,5})\b`)
	// editsSSH is a command that writes sshd's configuration.
	editsSSH    = regexp.MustCompile(`/etc/ssh/sshd_config`)
	writes      = regexp.MustCompile(`(?i)\bn?Port[ \t]+([0-9]{1,5})\b`)
	substitutes = regexp.MustCompile(`\bsed\b`)
	// setsNone is a line of a command that has a port and sets none: a comment, a search, a deletion.
	setsNone = regexp.MustCompile(`^\s*#|\bgrep\b|/d\b`)
	// takesSSH is what takes connections to port 22 elsewhere, such as into a container.
	takesSSH = regexp.MustCompile(`(?i)\b22:[0-9]{1,5}\b|\bREDIRECT\b|\bDNAT\b`)
)

// sshUnit is the whole socket of sshd, in place of the image's.
const sshUnit = "/etc/systemd/system/ssh.socket"

// SSHPorts are the ports at which a cloud-config has sshd listen; none where it says nothing of them, or has port 22 serve something else.
func (p Parsed) SSHPorts() []string {
	var (
		out   []string
		files = p.PlainFiles()
	)

	if slices.ContainsFunc(slices.Concat(p.commands(), slices.Collect(maps.Values(files))), takesSSH.MatchString) {
		return nil
	}

	add := func(found [][]string) {
		for _, f := range found {
			out = append(out, f[1])
		}
	}

	for path, content := range files {
		switch {
		case sshFile.MatchString(path):
			add(sshPort.FindAllStringSubmatch(content, -1))
			add(sshAddress.FindAllStringSubmatch(content, -1))
		case sshSocket.MatchString(path):
			found := listens.FindAllStringSubmatch(content, -1)
			add(found)

			// A drop-in adds to the image's port, unless it empties the list first.
			if len(found) > 0 && path != sshUnit && !resets.MatchString(content) {
				out = append(out, "22")
			}
		}
	}

	for _, command := range p.commands() {
		if editsSSH.MatchString(command) {
			add(portsWritten(command))
		}
	}

	slices.Sort(out)

	return slices.Compact(out)
}

// portsWritten by a command, line by line. What a substitution writes comes last, as in sed -i 's/#Port 22/Port 2222/'.
func portsWritten(command string) (out [][]string) {
	for line := range strings.Lines(command) {
		found := writes.FindAllStringSubmatch(line, -1)

		switch {
		case setsNone.MatchString(line):
		case substitutes.MatchString(line) && len(found) > 1:
			out = append(out, found[1:]...)
		default:
			out = append(out, found...)
		}
	}

	return out
}

// under is what a cloud-config has under a key; nil where it has none.
func (p Parsed) under(key string) *yaml.Node {
	if p.document == nil || len(p.document.Content) == 0 || p.document.Content[0].Kind != yaml.MappingNode {
		return nil
	}

	return lookup(p.document.Content[0], key)
}

// Packages that a cloud-config names, without versions.
func (p Parsed) Packages() []string {
	var out []string

	for _, item := range items(p.under("packages")) {
		name, _, _ := strings.Cut(item.Value, "=")
		out = append(out, name)
	}

	return out
}

// commands of runcmd, as a shell would have them.
func (p Parsed) commands() []string {
	var out []string
	for _, item := range items(p.under("runcmd")) {
		out = append(out, commandText(item))
	}

	return out
}
