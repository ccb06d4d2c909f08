package cloudinit

import (
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

var (
	sshFile   = regexp.MustCompile(`^/etc/ssh/sshd_config(?:\.d/[^/]+\.conf)?$`)
	sshPort   = regexp.MustCompile(`(?mi)^[ \t]*Port[ \t=]+"?([0-9]{1,5})\b`)
	sshSocket = regexp.MustCompile(`^/etc/systemd/system/ssh\.socket(?:\.d/[^/]+\.conf)?$`)
	listens   = regexp.MustCompile(`(?m)^ListenStream=(?:\S*:)?([0-9]{1,5})[ \t]*$`)
	// editsSSH is a command that writes sshd's configuration; what it writes comes last, as in sed -i 's/#Port 22/Port 2222/'.
	editsSSH = regexp.MustCompile(`/etc/ssh/sshd_config`)
	writes   = regexp.MustCompile(`(?i)\bPort[ \t]+([0-9]{1,5})\b`)
)

// SSHPorts are the ports at which a cloud-config has sshd listen; none where it says nothing of them.
func (p Parsed) SSHPorts() []string {
	var out []string

	add := func(found [][]string) {
		for _, f := range found {
			out = append(out, f[1])
		}
	}

	for path, content := range p.PlainFiles() {
		switch {
		case sshFile.MatchString(path):
			add(sshPort.FindAllStringSubmatch(content, -1))
		case sshSocket.MatchString(path):
			add(listens.FindAllStringSubmatch(content, -1))
		}
	}

	for _, command := range p.commands() {
		if found := writes.FindAllStringSubmatch(command, -1); editsSSH.MatchString(command) && len(found) > 0 {
			add(found[len(found)-1:])
		}
	}

	slices.Sort(out)

	return slices.Compact(out)
}

// commands of runcmd, as a shell would have them.
func (p Parsed) commands() []string {
	if p.document == nil || len(p.document.Content) == 0 || p.document.Content[0].Kind != yaml.MappingNode {
		return nil
	}

	var out []string
	for _, item := range items(lookup(p.document.Content[0], "runcmd")) {
		out = append(out, commandText(item))
	}

	return out
}
