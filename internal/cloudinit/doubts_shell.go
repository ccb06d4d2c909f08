package cloudinit

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Patterns of commands that do something else in a boot than in a terminal.
//
//nolint:gochecknoglobals // Constant patterns.
var (
	// canonical/multipass pull request 848: what waits for cloud-init, and is run by it, waits for itself.
	waitsForBoot = command(`cloud-init\s+status\s+(?:-\S+\s+)*(?:--wait|-w)|systemctl\s+(?:is-system-running\s+--wait|--wait\s+is-system-running)`)
	detached     = regexp.MustCompile(`\b(?:nohup|setsid|systemd-run)\b|[^&]&\s*$`)
	// pyenv/pyenv-installer pull request 146, openfaas/faasd issue 282: units of systemd have no HOME, and no USER.
	usesHome    = regexp.MustCompile(`(?:^|[^\\])\$(?:HOME\b|USER\b|\{HOME\}|\{USER\})|(?:^|[\s=:])~(?:/|\s|$)`)
	hasHome     = regexp.MustCompile(`\bHOME=|\b(?:su|sudo|runuser)\b|<<`)
	quoted      = regexp.MustCompile(`'[^']*'`)
	shellOfList = regexp.MustCompile(`^(?:/(?:usr/)?bin/)?(?:ba|da)?sh$`)
	// ajenti/ajenti issues 1438 and 1486, leiweibau/Pi.Alert issue 129.
	installsPython = command(`(?:pip3?|python3?\s+-m\s+pip)\s+install`)
	ownPython      = regexp.MustCompile(`break-system-packages|BREAK_SYSTEM_PACKAGES|/activate\b`)
	saysYes        = regexp.MustCompile(`\s-[a-zA-Z]*y[a-zA-Z]*(?:\s|$)|--yes\b|[Aa]ssume-[Yy]es|-qq|-q=2|\byes\s*\||--print-uris|--simulate|\s-s\s`)
	// Package managers of other distributions. A script that looks for the one that there is runs none that there is not.
	// apt's former way to an archive's key. Release notes of Debian 13, 5.3; rails/buildkite-config pull request 146.
	aptKey       = command(`apt-key`)
	otherManager = command(`(dnf|microdnf|yum|zypper|apk|pacman)\s+(?:-\S+\s+)*(?:install|update|upgrade|add|in|-S\S*|makecache|config-manager)`)
	asksFirst    = regexp.MustCompile(`\bcommand\s+-v\b|\bwhich\b|\btype\s|\|\||os-release|install\s[^\n]*\b(?:dnf|zypper|yum)\b`)
	runsSnap     = command(`snap\s+(?:install|refresh|set|alias)`)
	names        = command(`hostnamectl\s+(?:--\S+\s+)*(?:set-hostname|hostname)\s+\S+|hostname\s+[a-z0-9$]\S*`)
	// canonical/ubuntu-server-documentation issue 93, konstruktoid/hardening issue 536: Ubuntu's unit is ssh, and sshd is no name of it before it was enabled.
	restartsSSHD  = command(`(?:systemctl\s+(?:--\S+\s+)*(?:(?:try-)?restart|reload(?:-or-restart)?)\s+sshd(?:\.service)?|service\s+sshd\s+(?:restart|reload))`)
	actsOnAccount = regexp.MustCompile(`\b(?:usermod|gpasswd|chown|chsh|runuser|su|sudo\s+-u|crontab\s+-u|enable-linger)\b[^\n;&|"']*[\s:](ubuntu|debian)\b|/home/(ubuntu|debian)(?:[/\s"']|$)`)
	makesAccount  = regexp.MustCompile(`\b(?:useradd|adduser|mkdir|getent|id)\b`)
)

// lacking are programs and units that the image does not have, of a command of a script.
func (g Guest) lacking(root *yaml.Node, text, script string) []string {
	var out []string

	if found := otherManager.FindStringSubmatch(text); found != nil && !asksFirst.MatchString(script) {
		out = append(out, "finds no program "+found[1]+", which Debian and Ubuntu do not have: name the packages in packages, by their names there, or run apt-get install -y")
	}

	if aptKey.MatchString(text) && g.Default == "debian" && !asksFirst.MatchString(script) {
		out = append(out, "finds no program apt-key, which Debian 13 and later ones do not have: use apt.sources with the key, or write it into a file "+
			"below /etc/apt/keyrings, and signed-by with its name into the source")
	}

	installs := slices.ContainsFunc(items(lookup(root, "packages")), func(n *yaml.Node) bool { return n.Value == "snapd" }) || strings.Contains(script, "snapd")
	if runsSnap.MatchString(text) && g.Default == "debian" && !installs {
		out = append(out, "finds no program snap, which images of Debian do not have: add snapd to packages, or take an image of Ubuntu")
	}

	if restartsSSHD.MatchString(text) && g.Default == "ubuntu" && !strings.Contains(text, "||") {
		out = append(out, "finds no unit sshd on Ubuntu 24.04, where OpenSSH keeps its former settings then: write systemctl restart ssh, and for another Port before it systemctl daemon-reload and "+
			"systemctl restart ssh.socket")
	}

	return out
}

// doubtsOfShell are about commands that would do what they say in a terminal, and do not in a boot. script is all of the commands, which cloud-init runs as one
// script of sh.
func (g Guest) doubtsOfShell(root, item *yaml.Node, script string) []string {
	var out []string

	text := commandText(item)

	if waitsForBoot.MatchString(text) && !detached.MatchString(text) {
		out = append(out, "waits for the end of the boot that it is a part of, so neither ever ends: remove it")
	}

	if inShell(item) && usesHome.MatchString(quoted.ReplaceAllString(text, "")) && !hasHome.MatchString(script) {
		out = append(out, "asks for the home or the name of whoever runs it, and cloud-init runs it without HOME and USER: write the path and the name, or begin with export HOME=/root")
	}

	if names.MatchString(text) {
		out = append(out, "gives the guest another host name than the one that it has in the claim, in DNS and as a Node: set spec.hostname")
	}

	if name := g.accountMissing(root, text); name != "" && !makesAccount.MatchString(script) {
		out = append(out, "names account "+name+", which the machine does not have: spec.bootstrap.adminUser, "+g.Account+", is in place of the image's default user")
	}

	if g.Has == nil {
		return out
	}

	if installsPackages.MatchString(text) && !saysYes.MatchString(text) && !strings.Contains(script, "ssume-") {
		out = append(out, "asks before it changes other packages than those that it names, and gives up, since nobody answers: add -y")
	}

	out = append(out, g.lacking(root, text, script)...)

	if installsPython.MatchString(text) && !ownPython.MatchString(script) {
		out = append(out, "is refused by Debian 12, Ubuntu 24.04 and later ones (externally-managed-environment): name the package in packages, such as python3-requests, or install it with the pip of "+
			"a folder that python3 -m venv makes")
	}

	return out
}

// inShell says whether a shell reads a command, which replaces names in it: a text, or a list that begins with a shell.
func inShell(item *yaml.Node) bool {
	words := items(item)

	return item.Kind == yaml.ScalarNode || len(words) > 0 && shellOfList.MatchString(words[0].Value)
}

// accountMissing is the default user of an image that a command acts on, and that the machine does not have; empty for none.
func (g Guest) accountMissing(root *yaml.Node, text string) string {
	found := actsOnAccount.FindStringSubmatch(text)
	if found == nil || g.Account == "" {
		return ""
	}

	if name := found[1] + found[2]; g.lacks(root, name) {
		return name
	}

	return ""
}
