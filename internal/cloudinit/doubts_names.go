package cloudinit

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A drop is a folder from which a program takes files by their names, and passes over the others without a word.
type drop struct {
	folder string // A pattern of path.Match.
	is     *regexp.Regexp
	want   string
}

// Patterns of names.
var (
	endsConf   = regexp.MustCompile(`\.conf$`)
	runParts   = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	endsSource = regexp.MustCompile(`\.(list|sources|save|distUpgrade|gpg|asc)$`)
)

// drops are those of Debian and Ubuntu: sysctl.d(5), modules-load.d(5), modprobe.d(5), cron(8) of Debian, run-parts(8), sudoers(5), netplan(5), sshd_config of
// Debian, sources.list(5), profile of Debian, systemd.unit(5) and resolved.conf(5), systemd.link(5), and cloud-init's own.
var drops = []drop{ //nolint:gochecknoglobals // A constant table.
	{"/etc/sysctl.d", endsConf, "end with .conf"},
	{"/etc/modules-load.d", endsConf, "end with .conf"},
	{"/etc/modprobe.d", endsConf, "end with .conf"},
	{"/etc/tmpfiles.d", endsConf, "end with .conf"},
	{"/etc/ssh/sshd_config.d", endsConf, "end with .conf"},
	{"/etc/systemd/*.conf.d", endsConf, "end with .conf"},
	{"/etc/systemd/system/*.d", endsConf, "end with .conf"},
	{"/etc/NetworkManager/conf.d", endsConf, "end with .conf"},
	{"/etc/systemd/network", regexp.MustCompile(`\.(network|netdev|link)$`), "end with .network, .netdev or .link"},
	{"/etc/netplan", regexp.MustCompile(`\.yaml$`), "end with .yaml"},
	{"/etc/udev/rules.d", regexp.MustCompile(`\.rules$`), "end with .rules"},
	{"/usr/local/share/ca-certificates", regexp.MustCompile(`\.crt$`), "end with .crt"},
	{"/etc/default/grub.d", regexp.MustCompile(`\.cfg$`), "end with .cfg"},
	{"/etc/profile.d", regexp.MustCompile(`\.sh$`), "end with .sh"},
	{"/etc/cloud/cloud.cfg.d", regexp.MustCompile(`\.(cfg|tmpl)$`), "end with .cfg"},
	{"/etc/apt/sources.list.d", endsSource, "end with .list or .sources"},
	{"/etc/sudoers.d", regexp.MustCompile(`^[^.]*[^.~]$`), "have no dot, and no ~ at its end"},
	{"/etc/cron.d", runParts, "have letters, digits, _ and - only"},
	{"/etc/cron.hourly", runParts, "have letters, digits, _ and - only"},
	{"/etc/cron.daily", runParts, "have letters, digits, _ and - only"},
	{"/etc/cron.weekly", runParts, "have letters, digits, _ and - only"},
	{"/etc/cron.monthly", runParts, "have letters, digits, _ and - only"},
}

// doubtOfName says why nobody reads a file; empty where somebody may.
func doubtOfName(file string) string {
	folder, name := path.Split(file)
	folder = strings.TrimSuffix(folder, "/")

	i := slices.IndexFunc(drops, func(d drop) bool { ok, err := path.Match(d.folder, folder); return ok && err == nil })
	if i < 0 || drops[i].is.MatchString(name) || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "README") {
		return ""
	}

	return "is passed over, since the name of a file in " + drops[i].folder + " must " + drops[i].want
}
