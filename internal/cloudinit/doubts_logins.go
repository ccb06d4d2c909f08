package cloudinit

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Patterns of a rule of sudo behind the account's name (sudoers(5)): hosts, an equals sign, and commands, with tags that end with a colon.
var (
	sudoRule   = regexp.MustCompile(`^\s*[^=\s][^=]*=.*\S`)
	sudoNoRule = regexp.MustCompile(`PASSWD(?:\s+[^:\s]|\s*$)|(?:=|:|\))\s*$`)
)

// doubtsOfSudo are about rules that sudo cannot read. cloud-init writes them into one file with those of the machine's own account, and does not look at them
// (ciao-project/ciao issue 113); it gives up at a rule that is true (canonical/multipass issue 1379).
func doubtsOfSudo(users *yaml.Node) []Doubt {
	var out []Doubt

	const such = "write a rule, such as ALL=(ALL) NOPASSWD:ALL"

	for i, user := range items(users) {
		rules := lookup(user, "sudo")
		if rules == nil {
			continue
		}

		all := items(rules)
		if rules.Kind == yaml.ScalarNode {
			all = []*yaml.Node{rules}
		}

		for _, rule := range all {
			switch {
			case rule.Kind != yaml.ScalarNode, rule.Tag == "!!null", rule.Value == "", rule.Tag == "!!bool" && !isTrue(rule):
			case rule.Tag == "!!bool":
				out = append(out, Doubt{Text: fmt.Sprintf("line %d: users[%d].sudo is true, at which cloud-init gives up, and makes no further account: %s", rule.Line, i, such)})
			case !sudoRule.MatchString(rule.Value), sudoNoRule.MatchString(rule.Value):
				out = append(out, Doubt{Text: fmt.Sprintf("line %d: users[%d].sudo is nothing that sudo can read, so the account has no sudo; before sudo 1.9.3 nobody has, "+
					"spec.bootstrap.adminUser included: %s", rule.Line, i, such)})
			}
		}
	}

	return out
}

// doubtsOfNewPasswords are about chpasswd: its passwords are expired unless it says otherwise (canonical/cloud-init issue 3990), and
// logins by key wait for a new one, too (canonical/cloud-init pull request 1590, ansible/ansible issue 1619).
func (g Guest) doubtsOfNewPasswords(root, chpasswd *yaml.Node, line int) []Doubt {
	users := items(lookup(chpasswd, "users"))

	var out []Doubt

	if lookup(chpasswd, "expire") == nil && (len(users) > 0 || lookup(chpasswd, "list") != nil) {
		out = append(out, Doubt{Text: fmt.Sprintf("line %d: chpasswd without expire: false lets the passwords expire at once: every login of the account waits for a new one first, "+
			"logins by SSH key and by Ansible included. Add expire: false", line)})
	}

	for i, user := range users {
		name := lookup(user, "name")
		if name == nil || !g.lacks(root, name.Value) {
			continue
		}

		out = append(out, Doubt{Text: fmt.Sprintf("line %d: chpasswd.users[%d].name: the machine has no account %s, so chpasswd sets no password at all: make it in users, or name another one", name.Line, i, name.Value)})
	}

	return out
}

// otherShells are those that images of Debian and Ubuntu do not have, in packages of the same name.
var otherShells = strings.Fields("zsh fish ksh ksh93 mksh tcsh csh xonsh") //nolint:gochecknoglobals // A constant list.

// ofImage says whether a program is where packages have theirs: any other place is filled by somebody else.
func ofImage(program string) bool {
	return slices.Contains([]string{"/bin", "/usr/bin"}, path.Dir(program))
}

// mentions a shell: in a package of its own, as zsh=5.9 or zsh-antigen, in one that has it, too, as csh is in tcsh, and ksh in mksh, or in a script.
func mentions(shell string) func(text string) bool {
	return containing(strings.TrimSuffix(shell, "93"))
}

// doubtsOfLoginShells are about shells that are not there: sshd lets nobody in then, whatever the key (canonical/cloud-init issue 3388), and useradd makes no
// account with one that is no path. FreeBSD's pw finds one by its name.
func doubtsOfLoginShells(g Guest, root, users *yaml.Node) []Doubt {
	var out []Doubt

	for i, user := range items(users) {
		shell := orNothing(lookup(user, "shell"))
		name := path.Base(shell.Value)

		switch {
		case shell.Kind != yaml.ScalarNode || shell.Value == "" || shell.Tag == "!!null":
		case g.Has != nil && !strings.HasPrefix(shell.Value, "/"):
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: users[%d].shell must be a path: useradd fails, and cloud-init makes no account from there on. Write /bin/bash", shell.Line, i)})
		case g.Has != nil && ofImage(shell.Value) && slices.Contains(otherShells, name) && !says(root, "users", mentions(name)):
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: users[%d].shell: images of Debian and Ubuntu have no %s, and nobody logs in to an account whose shell is not there: add %s to packages", shell.Line, i, name, name)})
		}
	}

	return out
}

// doubtsOfHomes are about homes that useradd does not take.
func doubtsOfHomes(users *yaml.Node) []Doubt {
	var out []Doubt

	for i, user := range items(users) {
		for _, key := range []string{"homedir", "home"} {
			if home := orNothing(lookup(user, key)); home.Kind == yaml.ScalarNode && home.Value != "" && !strings.HasPrefix(home.Value, "/") {
				out = append(out, Doubt{Text: fmt.Sprintf("line %d: users[%d].%s must be an absolute path, such as /srv/app: useradd fails at it, and cloud-init makes no account from there on", home.Line, i, key)})
			}
		}
	}

	return out
}
