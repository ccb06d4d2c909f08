package cloudinit

import "testing"

// TestDoubtsOfRestarts: files of a K3s node that restart it by the clock. Servers that restart in one hour have no quorum.
func TestDoubtsOfRestarts(t *testing.T) {
	node, plain := Guest{Account: "ops", Bootstrap: BootstrapK3s}, Guest{Account: "ops"}
	want := []string{"line 3: write_files[0].content " + byClock}

	file := func(path, content string) string {
		return "write_files:\n- {path: " + path + ", permissions: \"0755\", content: '" + content + "'}"
	}

	doubtsAre(t, map[string]doubtCase{
		"Apt":         {reason: "apt reads it after the node's own file.", text: file("/etc/apt/apt.conf.d/99-own", `Unattended-Upgrade::Automatic-Reboot "true";`), guest: node, want: want},
		"AptBraces":   {reason: "The other form of apt.conf.", text: file("/etc/apt/apt.conf.d/95own", `Unattended-Upgrade { Automatic-Reboot "1"; }`), guest: node, want: want},
		"AptMain":     {reason: "It is read after the folder.", text: file("/etc/apt/apt.conf", `Unattended-Upgrade::Automatic-Reboot "True";`), guest: node, want: want},
		"AptModule":   {reason: "cloud-init's own file is 94cloud-init-config.", text: "apt:\n  conf: 'Unattended-Upgrade::Automatic-Reboot \"true\";'", guest: node, want: []string{"line 3: apt.conf " + byClock}},
		"AptEarlier":  {reason: "The node's own file is read after it.", text: file("/etc/apt/apt.conf.d/50unattended-upgrades", `Unattended-Upgrade::Automatic-Reboot "true";`), guest: node},
		"AptFalse":    {reason: "It asks for none.", text: file("/etc/apt/apt.conf.d/99-own", `Unattended-Upgrade::Automatic-Reboot "false";`), guest: node},
		"AptComment":  {reason: "A comment asks for none.", text: file("/etc/apt/apt.conf.d/99-own", `//Unattended-Upgrade::Automatic-Reboot "true";`), guest: node},
		"AptTime":     {reason: "A time alone restarts nothing.", text: file("/etc/apt/apt.conf.d/99-own", `Unattended-Upgrade::Automatic-Reboot-Time "02:00";`), guest: node},
		"Dnf":         {reason: "The same of Rocky Linux.", text: file("/etc/dnf/automatic.conf", "reboot = when-needed"), guest: node, want: want},
		"DnfNever":    {reason: "Its default.", text: file("/etc/dnf/automatic.conf", "reboot = never"), guest: node},
		"Cron":        {reason: "All nodes at four o'clock.", text: file("/etc/cron.d/restart", "0 4 * * 0 root /sbin/reboot"), guest: node, want: want},
		"CronGuarded": {reason: "A common line of guides.", text: file("/etc/cron.daily/restart", "test -f /run/reboot-required && shutdown -r now"), guest: node, want: want},
		"CronOther":   {reason: "It reads a file of that name.", text: file("/etc/cron.daily/restart", "# reboot\ncat /run/reboot-required >> /var/log/own"), guest: node},
		"CronMail":    {reason: "A word in another place is no command.", text: file("/etc/cron.d/x", "0 4 * * 0 root /opt/reboot.sh --no-reboot"), guest: node},
		"Encoded":     {reason: "Nobody reads it here.", text: "write_files:\n- {path: /etc/apt/apt.conf.d/99-own, encoding: b64, content: eA==}", guest: node},
		"Machine":     {reason: "A machine on its own has no quorum.", text: file("/etc/apt/apt.conf.d/99-own", `Unattended-Upgrade::Automatic-Reboot "true";`), guest: plain},
		"OtherFile":   {reason: "Nobody runs it by the clock.", text: file("/opt/restart", "reboot"), guest: node},
	})
}

// TestDoubtsOfSwitchedOff: cloud-init that a file of its own first boot switches off.
func TestDoubtsOfSwitchedOff(t *testing.T) {
	const file = "/etc/cloud/cloud-init.disabled"

	doubtsAre(t, map[string]doubtCase{
		"AtOnce": {reason: "runcmd never runs, and with it no bootstrap.", text: "write_files: [{path: " + file + ", content: ''}]", guest: Guest{Account: "ops"}, want: []string{"line 2: write_files[0].path switches cloud-init off before its last stages have begun, so that packages and runcmd never run in this guest: add defer: true"}},
		"Later":  {reason: "The last stage writes it.", text: "write_files: [{path: " + file + ", content: '', defer: true}]", guest: Guest{Account: "ops"}},
	})
}
