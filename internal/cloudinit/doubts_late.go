package cloudinit

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A late file is one that its reader has passed by when cloud-init writes it: cloud-init-network.service comes after sysinit.target and the network.
type late struct {
	is *regexp.Regexp
	// again is what has the file read after all, anywhere else in the document.
	again *regexp.Regexp
	// builds says that another boot is not enough: a program has to make something of the file.
	builds  bool
	instead string
}

func restarted(unit string) *regexp.Regexp {
	return regexp.MustCompile(`(?:restart|reload|try-restart|reload-or-restart|kill|start)\s+[^\n;&|]*(?:systemd-)?` + unit)
}

// lateFiles: sysctl.d(5), modules-load.d(5), tmpfiles.d(5), udev(7), journald.conf(5), resolved.conf(5), timesyncd.conf(5), logind.conf(5), systemd.network(5),
// netplan(5), update-grub(8), update-initramfs(8), update-ca-certificates(8) and locale-gen(8). Public reports: coreos/bugs issues 747 and 785,
// rancher/k3os issues 196 and 744, stackhpc/ansible-collection-linux pull request 29.
var lateFiles = []late{ //nolint:gochecknoglobals // A constant table.
	{
		regexp.MustCompile(`^/etc/sysctl\.(?:conf|d/[^/]+\.conf)$`),
		regexp.MustCompile(`sysctl\s+(?:-\S+\s+)*(?:-p|--load|--system)|systemd-sysctl`), false, "add sysctl --system to runcmd",
	},
	{regexp.MustCompile(`^/etc/modules(?:-load\.d/[^/]+\.conf)?$`), regexp.MustCompile(`modprobe|systemd-modules-load`), false, "add systemctl restart systemd-modules-load to runcmd"},
	{regexp.MustCompile(`^/etc/tmpfiles\.d/[^/]+\.conf$`), regexp.MustCompile(`systemd-tmpfiles`), false, "add systemd-tmpfiles --create to runcmd"},
	{regexp.MustCompile(`^/etc/udev/rules\.d/[^/]+\.rules$`), regexp.MustCompile(`udevadm`), false, "for devices that are there already, add udevadm trigger to runcmd"},
	{ofSystemd("journald"), restarted("journald"), false, "add systemctl restart systemd-journald to runcmd"},
	{ofSystemd("resolved"), restarted("resolved"), false, "add systemctl restart systemd-resolved to runcmd"},
	{ofSystemd("timesyncd"), restarted("timesyncd"), false, "add systemctl restart systemd-timesyncd to runcmd, or write servers into ntp"},
	{ofSystemd("logind"), restarted("logind"), false, "add systemctl restart systemd-logind to runcmd"},
	{ofSystemd("system"), regexp.MustCompile(`daemon-reexec|daemon-reload`), false, "add systemctl daemon-reexec to runcmd"},
	{
		regexp.MustCompile(`^/etc/netplan/[^/]+\.yaml$`),
		regexp.MustCompile(`netplan\s|\bip\s+(?:-\S+\s+)*(?:a|addr|address|l|link|r|ro|route|rule)\b|networkd`), false, "add netplan apply to runcmd",
	},
	{regexp.MustCompile(`^/etc/systemd/network/[^/]+\.(?:network|netdev)$`), regexp.MustCompile(`networkctl|networkd`), false, "add networkctl reload to runcmd"},
	{
		regexp.MustCompile(`^/etc/default/grub(?:\.d/[^/]+\.cfg)?$`), regexp.MustCompile(`update-grub|grub2?-mkconfig`), true,
		"add update-grub to runcmd, and for the first boot power_state: {mode: reboot}",
	},
	{
		regexp.MustCompile(`^/etc/(?:initramfs-tools|dracut\.conf\.d)/`), regexp.MustCompile(`update-initramfs|dracut|update-grub`), true,
		"add update-initramfs -u to runcmd, and for the first boot power_state: {mode: reboot}",
	},
	{regexp.MustCompile(`^/usr/local/share/ca-certificates/.+\.crt$`), regexp.MustCompile(`update-ca-certificates`), true, "write the certificate into ca_certs, or add update-ca-certificates to runcmd"},
	{regexp.MustCompile(`^/etc/locale\.gen$`), regexp.MustCompile(`locale-gen`), true, "write it into locale, or add locale-gen to runcmd"},
}

// ofSystemd is the file of one of systemd's services, or one in its folder.
func ofSystemd(name string) *regexp.Regexp {
	return regexp.MustCompile(`^/etc/systemd/` + name + `\.conf(?:\.d/[^/]+\.conf)?$`)
}

// ownModules are those that K3s and Docker load by themselves, and mount(8) and others when they need them.
var ownModules = strings.Fields("overlay br_netfilter nf_conntrack ip_vs ip_vs_rr ip_vs_wrr ip_vs_sh ip_tables ip6_tables iptable_nat iptable_filter nfs cifs fuse wireguard tun loop") //nolint:gochecknoglobals // A constant list.

// restartsItself is a guest that restarts at the end of its first boot.
var restartsItself = regexp.MustCompile(`(?m)(?:^|[;&|\s])(?:/(?:usr/)?s?bin/)?(?:reboot|shutdown\s+(?:-\S+\s+)*-r|systemctl\s+(?:--\S+\s+)*reboot)(?:\s|;|$)`)

// tooLate says that a file is read at the guest's next boot alone, or never, and what to write; empty where the document has it read.
func tooLate(root *yaml.Node, w written) string {
	i := slices.IndexFunc(lateFiles, func(l late) bool { return l.is.MatchString(w.path) })
	if i < 0 || w.loadedAnyway() {
		return ""
	}

	l := lateFiles[i]
	if says(root, "", l.again.MatchString) {
		return ""
	}

	if l.builds {
		if path.Dir(w.path) == "/usr/local/share/ca-certificates" && (lookup(root, "ca_certs") != nil || lookup(root, "ca-certs") != nil) {
			return "" // cc_ca_certs runs update-ca-certificates after write_files.
		}

		return "path has no effect by itself: " + l.instead
	}

	if orNothing(lookup(orNothing(lookup(root, "power_state")), "mode")).Value == "reboot" || anyCommand(root, restartsItself.MatchString, "runcmd", "bootcmd") {
		return ""
	}

	return "path is read at the guest's next boot only, since cloud-init writes it after its reader: " + l.instead
}

// loadedAnyway says whether a file only names modules that programs load when they need them.
func (w written) loadedAnyway() bool {
	if !strings.HasPrefix(w.path, "/etc/modules") {
		return false
	}

	for line := range strings.SplitSeq(w.content, "\n") {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "" && !strings.ContainsAny(name[:1], "#;") && !slices.Contains(ownModules, strings.ReplaceAll(name, "-", "_")) {
			return false
		}
	}

	return true
}
