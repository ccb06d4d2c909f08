package machine

import "slices"

// systemAccounts of the cloud images of Debian 12, 13, and Ubuntu 22.04 to 26.04: those of base-passwd, and of packages that the images
// have. cloud-init changes nothing of an account that exists, so nobody could log in to one of these.
var systemAccounts = []string{ //nolint:gochecknoglobals // A constant.
	"_apt", "_chrony", "avahi", "backup", "bin", "daemon", "dhcpcd", "dnsmasq", "fwupd-refresh", "games", "gnats", "irc", "landscape", "list", "lp",
	"mail", "man", "messagebus", "news", "nobody", "polkitd", "pollinate", "proxy", "root", "sshd", "sync", "sys", "syslog", "systemd-coredump",
	"systemd-network", "systemd-resolve", "systemd-timesync", "tcpdump", "tss", "usbmux", "uucp", "uuidd", "www-data",
}

// systemGroups of the same images that are no account. useradd ends with "group staff exists" where nobody says that the account is to be
// in it.
var systemGroups = []string{ //nolint:gochecknoglobals // A constant.
	"adm", "audio", "cdrom", "crontab", "dialout", "dip", "disk", "fax", "floppy", "input", "kmem", "kvm", "netdev", "nogroup", "operator", "plugdev",
	"render", "sasl", "sgx", "shadow", "src", "staff", "sudo", "tape", "tty", "users", "utmp", "video", "voice",
}

// ubuntuGroups are those that only Ubuntu has.
var ubuntuGroups = []string{"admin", "lxd"} //nolint:gochecknoglobals // A constant.

// HasAccount reports whether the family's cloud images have an account. Of other families than Debian and Ubuntu nothing is known.
func (o OS) HasAccount(name string) bool {
	return (o == OSDebian || o == OSUbuntu) && slices.Contains(systemAccounts, name)
}

// HasGroup reports whether the family's cloud images have a group that is not an account's.
func (o OS) HasGroup(name string) bool {
	switch o {
	case OSDebian:
		return slices.Contains(systemGroups, name)
	case OSUbuntu:
		return slices.Contains(systemGroups, name) || slices.Contains(ubuntuGroups, name)
	case OSNixOS, OSLinux, OSWindows, OSOther:
	}

	return false
}

// DefaultUser is the account that the family's cloud images make where nobody names another one; empty for families of which nothing is known.
func (o OS) DefaultUser() string {
	switch o {
	case OSDebian:
		return "debian"
	case OSUbuntu:
		return "ubuntu"
	case OSNixOS, OSLinux, OSWindows, OSOther:
	}

	return ""
}
