package cloudinit

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A setting is one that a command gives the guest until it restarts.
type setting struct {
	key     string // Of cloud-init, which may give it at every boot.
	is      *regexp.Regexp
	kept    *regexp.Regexp // Anything in the document that gives it again at every boot, or takes it back.
	instead string
}

// passing are settings that are gone at the guest's next boot: sysctl(8), mount(8), ip(8), iptables(8). cloud-init runs runcmd once.
var passing = []setting{ //nolint:gochecknoglobals // A constant table.
	{
		"", command(`sysctl\s+(?:-\S+\s+)*(?:-w|--write)\s+\S+|sysctl\s+(?:-q\s+)?[a-z][a-z0-9_.]+=\S+`), regexp.MustCompile(`/etc/sysctl`),
		"write the line into a file such as /etc/sysctl.d/90-own.conf with write_files, and sysctl --system here",
	},
	{
		"mounts", command(`mount\s+(?:-[to]\s+\S+\s+)*(?:/dev/|LABEL=|UUID=|//|[\w.-]+:/)\S+\s+/\S+`), regexp.MustCompile(`fstab|\bumount\b|\.mount\b`),
		"write it into mounts, or give a disk of the machine filesystem and mountPath in spec.disks",
	},
	{
		"swap", command(`swapon\s+(?:-\S+\s+)*/\S+`), regexp.MustCompile(`fstab|\.swap\b|\bswapoff\b`),
		"write it into swap, as {filename: /swap.img, size: 2G}, which makes the file, too",
	},
	{
		"", command(`ip\s+(?:-\S+\s+)*(?:a|addr|address|r|ro|route)\s+(?:add|replace)\s+\S+[^\n]*`), regexp.MustCompile(`netplan|/etc/network|/etc/systemd|keepalived`),
		"an address is ip of spec.network or of one of spec.nics, and a route is written into a file such as /etc/netplan/60-own.yaml with write_files",
	},
	{
		"", command(`ip6?tables\s+(?:-t\s+\S+\s+)?(?:-w\s+)?-[AI]\s+\S+[^\n]*`), regexp.MustCompile(`persistent|tables-save|nftables|/etc/systemd`),
		"use spec.firewall, or keep it with iptables-persistent in packages and netfilter-persistent save behind it",
	},
}

// doubtOfPassing says that a command of runcmd gives the guest something that its next boot does not have; empty where it does not, or the document keeps it.
func doubtOfPassing(root *yaml.Node, text string) string {
	// A swap space has nothing on it.
	if formats.MatchString(strings.ReplaceAll(text, "mkswap", "")) {
		return ""
	}

	for _, s := range passing {
		if lookup(root, s.key) == nil && s.is.MatchString(text) && !says(root, "", s.kept.MatchString) {
			return "is gone at the guest's next boot, since cloud-init runs runcmd once: " + s.instead
		}
	}

	return ""
}

// agentGone is a guest without its agent.
//
//nolint:gochecknoglobals // Constant patterns.
var (
	agentGone = command(`systemctl\s+(?:--\S+\s+)*(?:disable|stop|mask)\s+[^\n;&|]*qemu-guest-agent\S*|` +
		`apt(?:-get)?\s+(?:-\S+\s+)*(?:remove|purge|autoremove)\s+[^\n;&|]*qemu-guest-agent|dnf\s+(?:-\S+\s+)*remove\s+[^\n;&|]*qemu-guest-agent`)
	agentBack = regexp.MustCompile(`(?:start|restart|unmask|install)\s[^\n;&|]*qemu-guest-agent`)
)

const withoutAgent = "takes the guest agent away, by which the machine's addresses are known and Proxmox shuts the guest down, and without which the machine does not become Ready: remove it"
