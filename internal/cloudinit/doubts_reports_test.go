package cloudinit

import (
	"strings"
	"testing"
)

// aCertificate that no one has the key of.
const aCertificate = `-----BEGIN CERTIFICATE-----
MIIBMjCB5aADAgECAhRZJrSN3+deXyf2/Tge5HMw4C9OkzAFBgMrZXAwDzENMAsG
A1UEAwwEaG9tZTAeFw0yNjExMzAxMDI2MzVaFw0zNjExMjcxMDI2MzVaMA8xDTAL
BgNVBAMMBGhvbWUwKjAFBgMrZXADIQCNu6pen2ZcYmF6H9WJZpmUvKoyHkaSrF/V
I4JAthpZUqNTMFEwHQYDVR0OBBYEFGJ0RlCg7IDlYgpdCsWI5JxiVFxrMB8GA1Ud
IwQYMBaAFGJ0RlCg7IDlYgpdCsWI5JxiVFxrMA8GA1UdEwEB/wQFMAMBAf8wBQYD
K2VwA0EALOmmvH5QAfuvqAQ0WH37sSzE6cHLgI217VpVdG+r7pz4hlR8lyXxXAw2
3sKd2Vin3tzs8TkbSWk0Hl/Wbxw2CQ==
-----END CERTIFICATE-----
`

// TestReportedDoubts: what people wrote into user-data, and reported as broken, each with what is right beside it.
func TestReportedDoubts(t *testing.T) {
	debian := func(string) bool { return false }
	broken := func(key string) string {
		if strings.HasSuffix(key, "cut") {
			return "is cut off"
		}

		return ""
	}
	guest := Guest{Account: "ops", Default: "debian", Has: debian, Fixed: true, BrokenKey: broken}
	byDHCP, unknown := guest, guest
	byDHCP.Fixed, unknown.Has = false, nil

	const (
		names = "line 3: runcmd[0] writes /etc/resolv.conf, which " + ownNames
		asks  = "line 3: runcmd[0] asks a DHCP server for an address beside the fixed one of spec.network: the guest gets a second address, another default route and other name servers. Remove it, or set dhcp: true in place of the address"
		gone  = "line 3: runcmd[0] removes the account of spec.bootstrap.adminUser, which has the keys of the machine, so that nobody can log in: remove it, or choose another adminUser"
		early = "line 3: bootcmd[0] installs packages before anybody has fetched the lists of packages, which a new image does not have, so apt-get finds none: write them into packages, or the command into runcmd"
		torn  = "line 2: ca_certs.trusted[0] is not whole: it is cut off, or its lines are run together, and the guest does not trust it. Write - | and below it the whole file, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----"
	)

	authority := func(text string) string {
		return "ca_certs: {trusted: [\"" + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\\n") + "\"]}"
	}
	lines := strings.SplitAfter(aCertificate, "\n")

	doubtsAre(t, map[string]doubtCase{
		"Names":          {reason: "As every guide has it.", text: "runcmd:\n- echo 'nameserver 9.9.9.9' > /etc/resolv.conf", guest: guest, want: []string{names}},
		"NamesTee":       {reason: "The same with sudo.", text: "runcmd:\n- echo nameserver 9.9.9.9 | sudo tee -a /etc/resolv.conf", guest: guest, want: []string{names}},
		"NamesStand":     {reason: "The link goes first.", text: "runcmd:\n- rm -f /etc/resolv.conf\n- echo nameserver 9.9.9.9 > /etc/resolv.conf", guest: guest},
		"NamesDisabled":  {reason: "Nobody writes it any more.", text: "runcmd:\n- systemctl disable --now systemd-resolved\n- echo nameserver 9.9.9.9 > /etc/resolv.conf", guest: guest},
		"NamesKept":      {reason: "It cannot be written any more.", text: "runcmd:\n- echo nameserver 9.9.9.9 > /etc/resolv.conf && chattr +i /etc/resolv.conf", guest: guest},
		"NamesPackage":   {reason: "The package makes it a file of its own.", text: "packages: [openresolv]\nruncmd:\n- echo nameserver 9.9.9.9 > /etc/resolv.conf", guest: guest},
		"NamesElsewhere": {reason: "A file of another name, and one that is read.", text: "runcmd:\n- echo a > /etc/resolv.conf.d.txt; cat /etc/resolv.conf > /root/names\n- echo x > /etc/systemd/resolved.conf.d/own.conf", guest: guest},
		"NamesUnknown":   {reason: "Nobody knows who writes it in this image.", text: "runcmd:\n- echo nameserver 9.9.9.9 > /etc/resolv.conf", guest: unknown},

		"Asks":          {reason: "As for a network that was late.", text: "runcmd:\n- dhclient -v eth0", guest: guest, want: []string{asks}},
		"AsksAll":       {reason: "Every interface.", text: "runcmd:\n- sleep 5 && /sbin/dhclient", guest: guest, want: []string{asks}},
		"AsksList":      {reason: "The same as a list.", text: "runcmd:\n- [dhclient, ens18]", guest: guest, want: []string{asks}},
		"AsksElsewhere": {reason: "Another interface.", text: "runcmd:\n- dhclient wg0\n- udhcpc -i vlan7", guest: guest},
		"AsksNoMore":    {reason: "The lease is given back.", text: "runcmd:\n- dhclient -r eth0", guest: guest},
		"AsksByDHCP":    {reason: "It has no fixed address.", text: "runcmd:\n- dhclient eth0", guest: byDHCP},
		"AsksNobody":    {reason: "A package and a file.", text: "runcmd:\n- apt-get -y purge isc-dhcp-client dhclient; rm -f /etc/dhcp/dhclient.conf", guest: guest},

		"Gone":        {reason: "The only way in.", text: "runcmd:\n- userdel -r ops", guest: guest, want: []string{gone}},
		"GoneDebian":  {reason: "With Debian's own.", text: "runcmd:\n- deluser --remove-home ops 2>/dev/null || true", guest: guest, want: []string{gone}},
		"GoneDefault": {reason: "The image's is not the machine's.", text: "runcmd:\n- userdel -r debian\n- deluser games", guest: guest},
		"GoneGroup":   {reason: "It stays, without sudo.", text: "runcmd:\n- deluser ops sudo\n- passwd -l ops", guest: guest},

		"Early":        {reason: "No package has that name yet.", text: "bootcmd:\n- DEBIAN_FRONTEND=noninteractive apt-get install -y qemu-guest-agent", guest: guest, want: []string{early}},
		"EarlyOnce":    {reason: "As often as it may be.", text: "bootcmd:\n- [cloud-init-per, once, agent, apt-get, install, -y, qemu-guest-agent]", guest: guest, want: []string{early}},
		"EarlyFetched": {reason: "It needs to be there before mounts.", text: "bootcmd:\n- apt-get -q update\n- apt-get install -y nfs-common", guest: guest},
		"EarlyFile":    {reason: "A file needs no list.", text: "bootcmd:\n- apt-get install -y /opt/own.deb", guest: guest},
		"EarlyLater":   {reason: "Its place.", text: "runcmd:\n- apt-get -o DPkg::Lock::Timeout=300 install -y jq", guest: guest},
		"EarlyNothing": {reason: "It needs nobody.", text: "bootcmd:\n- apt-mark hold linux-image-amd64\n- echo apt-get install is for later", guest: guest},

		"Key":         {reason: "sshd passes over it.", text: "ssh_authorized_keys: [\"ssh-ed25519 AAAA ok\", \"ssh-ed25519 AAAA cut\"]", guest: guest, want: []string{"line 2: ssh_authorized_keys[1] is cut off"}},
		"KeyOfUser":   {reason: "Of any account.", text: "users: [default, {name: ann, ssh_authorized_keys: [\"ssh-ed25519 AAAA cut\"]}]", guest: guest, want: []string{"line 2: users[1].ssh_authorized_keys[0] is cut off"}},
		"KeyFine":     {reason: "They are whole.", text: "users: [{name: ann, ssh_authorized_keys: [\"ssh-ed25519 AAAA ok\"]}]\nssh_authorized_keys: [\"ssh-ed25519 AAAA ok\"]", guest: guest},
		"KeyTemplate": {reason: "Nobody knows it here.", text: "ssh_authorized_keys: ['{{ key }} cut']", guest: Guest{BrokenKey: broken}},

		"Authority":      {reason: "As openssl writes it.", text: authority(aCertificate), guest: guest},
		"AuthorityTwo":   {reason: "A chain in one text.", text: authority("# the CA of the home\n" + aCertificate + aCertificate), guest: guest},
		"AuthorityCut":   {reason: "The end is missing.", text: authority(strings.Join(lines[:5], "")), guest: guest, want: []string{torn}},
		"AuthorityTorn":  {reason: "A line is missing.", text: authority(strings.Join(lines[:3], "") + strings.Join(lines[4:], "")), guest: guest, want: []string{torn}},
		"AuthorityLine":  {reason: "Folded into one line.", text: authority(strings.ReplaceAll(strings.TrimSpace(aCertificate), "\n", " ")), guest: guest, want: []string{torn}},
		"AuthorityLast":  {reason: "The second one is cut off.", text: authority(aCertificate + strings.Join(lines[:4], "")), guest: guest, want: []string{torn}},
		"AuthorityChain": {reason: "In the line ends of Windows.", text: authority(strings.ReplaceAll(aCertificate, "\n", "\\r\n")), guest: guest},
	})
}
