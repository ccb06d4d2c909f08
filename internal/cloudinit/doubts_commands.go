package cloudinit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Bootstrap is what a machine does at the end of its first boot, after the user's runcmd; empty for nothing.
type Bootstrap string

// The bootstraps that there are.
const (
	BootstrapK3s   Bootstrap = "K3s"
	BootstrapNixOS Bootstrap = "NixOS"
)

// writesRaw is dd onto a disk.
const writesRaw = `dd\s(?:[^;&|]*\s)?of=/dev/(?:[svx]+d|nvme|disk/|mapper/)\S+`

// Patterns of what commands do.
//
//nolint:gochecknoglobals // Constant patterns.
var (
	restarts = command(`reboot|poweroff|halt|shutdown|systemctl\s+(?:--\S+\s+)*(?:reboot|poweroff|halt)|init\s+[06]`)
	formats  = command(`mkfs(?:\.\w+)?|mke2fs|mkswap|wipefs|sgdisk|sfdisk|parted|pvcreate|blkdiscard|zpool\s+create|` + writesRaw)
	erases   = command(`mkfs(?:\.\w+)?|mke2fs|mkswap|wipefs|pvcreate|blkdiscard|zpool\s+create|` + writesRaw)
	unstable = regexp.MustCompile(`/dev/(?:sd[a-z]|vd[a-z]|xvd[a-z]|nvme[0-9])`)
	appends  = regexp.MustCompile(`>>\s*/(?:etc|root|home)/`)
	onlyOnce = regexp.MustCompile(`cloud-init-per\b|\bif\b|\btest\b|\[ |&&|\|\|`)
	closes   = command(`ip6?tables\s+(?:-P|--policy)\s+INPUT\s+(?:DROP|REJECT)|ufw\s+(?:--force\s+)?enable|` +
		`systemctl\s+(?:enable|start)\s+(?:--now\s+)?(?:ufw|firewalld|nftables)`)
	opensSSH = regexp.MustCompile(`(?i)\bufw\s+(?:allow|limit)\b.*(?:\b22\b|ssh)|firewall-cmd|\bdport\b`)
	installs = regexp.MustCompile(`(?:get|update)\.(?:k3s|rke2)\.io|\bk3sup\b|\bkubeadm\s+(?:init|join)\b`)
	// waits is apt-get that waits for others.
	waits   = regexp.MustCompile(`Lock::Timeout|\b(?:while|until|flock|fuser)\b|mask\s.*apt-daily`)
	forgets = command(`cloud-init\s+clean|rm\s+-\S+\s+/var/lib/cloud(?:/\S*)?`)
	// stopsNames is the end of the program that answers the guest's own questions for names, and writesNames what puts another server in its place.
	stopsNames = command(`systemctl\s+(?:--\S+\s+)*(?:disable|stop|mask)\s+(?:--now\s+)?(?:\S+\s+)*systemd-resolved(?:\.service)?`)
	// Also another program may write the file, and resolved may be off for a moment only.
	writesNames = regexp.MustCompile(`(?:[>=(]|\b(?:tee|ln|cp|mv|install|sed|curl|wget)\b)[^\n]*resolv\.conf|\b(?:resolvconf|openresolv|NetworkManager)\b|` +
		`\bsystemctl\s+(?:--\S+\s+)*(?:start|restart|enable|unmask|reenable)\s[^\n;&|]*systemd-resolved`)
	bashWords = command(`source|pushd|popd|shopt|declare|mapfile|\[\[`)
)

// sayLost says what a command of a script takes away for good, and what it does that is gone at the next boot.
func sayLost(g Guest, root *yaml.Node, text, script string, say func(why string)) {
	if agentGone.MatchString(text) && !agentBack.MatchString(script) {
		say(withoutAgent)
	}

	if why := doubtOfPassing(root, text); g.Has != nil && why != "" {
		say(why)
	}
}

// doubtsOfCommands are about commands of runcmd or bootcmd that work against the machine. cloud-init runs bootcmd at every boot, early
// (https://docs.cloud-init.io/en/latest/reference/modules.html, Bootcmd), and runcmd once, in its last stage.
func (g Guest) doubtsOfCommands(key string, root, value *yaml.Node) []Doubt {
	var (
		out    []Doubt
		script strings.Builder
	)

	for _, item := range items(value) {
		script.WriteString(commandText(item) + "\n")
	}

	for i, item := range items(value) {
		text := commandText(item)
		say := func(why string) {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: %s[%d] %s", item.Line, key, i, why)})
		}

		if installs.MatchString(text) && g.Bootstrap == BootstrapK3s {
			say("installs Kubernetes beside the K3s that the machine installs itself, as spec.k3s says: remove it")
		}

		if why := withoutShell(item); why != "" {
			say(why)
			continue
		}

		if forgets.MatchString(text) {
			say(forgetting)
		}

		if why := g.doubtOfWriting(text); why != "" {
			say(why)
			continue
		}

		for _, why := range g.doubtsOfShell(root, item, script.String()) {
			say(why)
		}

		sayScript(g, root, text, script.String(), len(items(value))-1-i, say)
		sayReported(g, root, key, text, say)

		if key == "bootcmd" {
			everyBoot(text, say)
			continue
		}

		sayNames(g, text, root, say)
		sayLost(g, root, text, script.String(), say)

		if why := g.beforeK3s(text); why != "" {
			say(why)
		}

		g.once(item, text, opens(root), say)

		if why := locks(text, root); g.Has != nil && why != "" {
			say(why)
		}
	}

	return out
}

// sayNames says that a command leaves the guest without a name server, where it does.
func sayNames(g Guest, text string, root *yaml.Node, say func(why string)) {
	if stopsNames.MatchString(text) && g.Has != nil && !keepsNames(root) {
		say(namesLost)
	}
}

// forgetting: what a template is prepared with, in the user-data of a machine. The next boot is a first one again, and so is each after it, since runcmd is in
// it (https://github.com/scaleway/image-ubuntu/issues/139, https://github.com/canonical/cloud-init/issues/3753).
const forgetting = "has cloud-init take the next boot for the first one, and every boot after it, since it runs again then: with new SSH host keys, and with all of runcmd. " +
	"It prepares templates, and no machine: remove it"

// namesLost: /etc/resolv.conf of Debian's and Ubuntu's images names systemd-resolved alone, at 127.0.0.53 (systemd-resolved.service(8), /ETC/RESOLV.CONF).
const namesLost = "stops the guest's own name server, the only one in /etc/resolv.conf, so that neither the guest nor what is installed after it finds a name: write the name servers into " +
	"/etc/resolv.conf beside it. To free port 53 alone, write DNSStubListener=no below [Resolve] into /etc/systemd/resolved.conf.d/port.conf, and ln -sf /run/systemd/resolve/resolv.conf /etc/resolv.conf"

// keepsNames says whether anything in a document gives the guest a name server in place of systemd-resolved's, or that one back.
func keepsNames(root *yaml.Node) bool {
	for _, key := range []string{"bootcmd", "runcmd", "packages"} {
		for _, item := range items(lookup(root, key)) {
			if writesNames.MatchString(commandText(item)) {
				return true
			}
		}
	}

	return slices.ContainsFunc(writtenFiles(lookup(root, keyWriteFiles)), func(w written) bool {
		return strings.Contains(w.path+"\n"+w.content, "/etc/resolv.conf") || writesNames.MatchString(w.path+"\n"+w.content)
	})
}

// operators of a shell, at which a program that gets them as an argument only wonders.
var operators = []string{">", ">>", "2>&1", "|", "||", "&&", "&"} //nolint:gochecknoglobals // A constant list.

// withoutShell is why a command in pieces does something else than it seems to: cloud-init runs a list without a shell
// (https://github.com/canonical/cloud-init/pull/1498).
func withoutShell(item *yaml.Node) string {
	if item.Kind != yaml.SequenceNode || len(item.Content) == 0 {
		return ""
	}

	const write = ": write it as one text, without brackets"

	if first := item.Content[0].Value; len(item.Content) == 1 && strings.ContainsAny(strings.TrimSpace(first), " \t") {
		return "is a list of one word with blanks in it, and there is no program of that name" + write
	}

	for _, word := range item.Content[1:] {
		if slices.Contains(operators, word.Value) {
			return "is a list, which cloud-init runs without a shell, so that the program gets " + word.Value + " as an argument" + write
		}
	}

	return ""
}

// everyBoot says what a command must not do at every boot.
func everyBoot(text string, say func(string)) {
	switch once := onlyOnce.MatchString(text); {
	case once:
	case restarts.MatchString(text):
		say("restarts or stops the machine at every boot, without end, since cloud-init runs bootcmd each time: write it into runcmd")
	case formats.MatchString(text):
		say("writes over a disk at every boot, since cloud-init runs bootcmd each time: " + letsFormat + ", or write it into runcmd")
	case appends.MatchString(text):
		say("adds its line once more at every boot, since cloud-init runs bootcmd each time: write it into runcmd, or use write_files with append: true")
	}
}

// once says what a command of the first boot must not do. opens says that the document opens SSH in the guest's own firewall.
func (g Guest) once(item *yaml.Node, text string, opens bool, say func(string)) {
	if g.Bootstrap != "" && restarts.MatchString(text) {
		say("restarts or stops the machine before its bootstrap for " + string(g.Bootstrap) + ", which comes after runcmd and may never run then: " +
			"set spec.lifecycle.reboot to a new value once the machine is ready, or remove it")
	}

	if formats.MatchString(text) && unstable.MatchString(text) {
		say("writes over a disk by a name that can be another disk's at another boot: " + letsFormat)
	}

	switch closing := closes.MatchString(text); {
	case closing && g.Bootstrap == BootstrapK3s:
		say("switches on a firewall in the guest that closes the ports of K3s and of pods: use spec.firewall, whose preset has them, or open them there")
	case closing && !opens:
		say("switches on a firewall in the guest that nothing opens for SSH: use spec.firewall, or allow SSH before, such as ufw allow OpenSSH")
	}

	if word := bashWords.FindString(text); word != "" && g.Has != nil && item.Kind == yaml.ScalarNode && !strings.Contains(text, "bash") {
		say("has a word of bash, and cloud-init runs a text with sh, which does not have it: write a list, such as [bash, -c, ...], and a point in place of source")
	}
}

// opens says whether a document opens SSH in the guest's own firewall.
func opens(root *yaml.Node) bool {
	for _, key := range []string{"runcmd", "bootcmd"} {
		if slices.ContainsFunc(items(lookup(root, key)), func(item *yaml.Node) bool { return opensSSH.MatchString(commandText(item)) }) {
			return true
		}
	}

	// A script of the document may do it.
	return lookup(root, keyWriteFiles) != nil
}
