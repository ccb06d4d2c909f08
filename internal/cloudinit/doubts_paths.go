package cloudinit

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// replaced are files of an image that lose what the image has in them when a cloud-config writes them, and what to write instead.
var replaced = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"/etc/fstab":            "and with it the line of the boot disk: use mounts, or add append: true",
	"/etc/passwd":           "and with it the image's accounts: use users",
	"/etc/shadow":           "and with it the image's accounts: use users",
	"/etc/group":            "and with it the image's groups: use groups",
	"/etc/sudoers":          "and with it the line for /etc/sudoers.d, without which spec.bootstrap.adminUser has no sudo: write a file below /etc/sudoers.d",
	"/etc/ssh/sshd_config":  "and with it the line for /etc/ssh/sshd_config.d, where login is by key only: write a file below /etc/ssh/sshd_config.d",
	"/etc/resolv.conf":      "which the guest writes itself from spec.network.dns: set that",
	"/etc/apt/sources.list": "and with it the image's archives: use apt",
	"/etc/cloud/cloud.cfg":  "and with it cloud-init's own modules: write a file below /etc/cloud/cloud.cfg.d",
	"/etc/hostname":         "which cloud-init writes itself afterwards, so that this one has no effect: set spec.hostname",
	"/etc/machine-id":       "by which DHCP servers and others tell machines apart, so that two machines with this file get one address: leave it out, the guest makes its own",
	"/etc/default/grub":     "and with it the image's serial console: write a file below /etc/default/grub.d",
}

// networkFiles are where cloud-init writes the machine's network, before it writes files.
var networkFiles = []string{ //nolint:gochecknoglobals // A constant list.
	"/etc/netplan/50-cloud-init.yaml", "/etc/network/interfaces.d/50-cloud-init", "/etc/network/interfaces",
}

// switchedOff is the file without which systemd starts each of cloud-init's stages, also those that come after write_files of the same boot
// (ConditionPathExists of cloud-config.service and cloud-final.service).
const switchedOff = "/etc/cloud/cloud-init.disabled"

// doubtsOfPaths are about files at places where they do not stay, or do harm.
func (g Guest) doubtsOfPaths(root, files *yaml.Node) []Doubt {
	var out []Doubt

	accounts := g.madeAccounts(root)

	for i, file := range items(files) {
		at := lookup(file, "path")
		if at == nil || at.Kind != yaml.ScalarNode {
			continue
		}

		say := func(why string) {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: write_files[%d].path %s", at.Line, i, why)})
		}

		clean := path.Clean(at.Value)
		adds := isTrue(orNothing(lookup(file, "append")))

		switch why := replaced[clean]; {
		case strings.HasSuffix(at.Value, "/"):
			say("is a folder, which cloud-init cannot write, so it gives up, and writes no further file: name a file in it")
		case strings.HasPrefix(clean, "/tmp/"):
			say("is below /tmp, which systemd may empty while the guest starts: write it below /run, if nobody needs it after the first boot, or below /opt")
		case slices.Contains(networkFiles, clean):
			say("is where cloud-init writes spec.network and spec.nics, which are gone at the guest's next boot then: change the claim, or write a file of another name, such as /etc/netplan/60-own.yaml")
		case clean == "/etc/hosts" && !adds && lookup(file, "encoding") == nil && !strings.Contains(orNothing(lookup(file, "content")).Value, "localhost"):
			say("replaces the image's file, and with it the lines of localhost: add append: true")
		case why != "" && !adds:
			say("replaces the image's file, " + why)
		case clean == switchedOff && !isTrue(orNothing(lookup(file, "defer"))):
			say("switches cloud-init off before its last stages have begun, so that packages and runcmd never run in this guest: add defer: true")
		case earlyHome(clean, accounts) && !isTrue(orNothing(lookup(file, "defer"))):
			say("is in the home of an account that cloud-init makes after it writes files, so the folder belongs to root: add defer: true and the owner")
		}
	}

	return out
}

// madeAccounts are the accounts that cloud-init makes for a document.
func (g Guest) madeAccounts(root *yaml.Node) []string {
	out := []string{g.Account}
	if users := lookup(root, "users"); users != nil {
		out = append(out, addedUsers(items(users))...)
	}

	if g.Account == "" || hasDefault(root) {
		out = append(out, g.Default)
	}

	return slices.DeleteFunc(out, func(name string) bool { return name == "" })
}

// earlyHome says whether a file is below the home of one of the accounts.
func earlyHome(file string, accounts []string) bool {
	return slices.ContainsFunc(accounts, func(name string) bool { return strings.HasPrefix(file, "/home/"+name+"/") })
}
