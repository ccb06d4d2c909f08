package cloudinit

import (
	"strings"
	"testing"
)

// TestDoubtsOfModules: modules that fail at what other tools take. The reports stand beside the code.
func TestDoubtsOfModules(t *testing.T) {
	has := func(string) bool { return false }
	ubuntu, debian, unknown := Guest{Default: "ubuntu", Has: has}, Guest{Default: "debian", Has: has}, Guest{}

	const (
		zone = "line 2: timezone is none that Ubuntu 24.04, Debian 13 and later ones have, so that cloud-init fails there, and the guest stays with UTC: " +
			"write a part of the world and a place, such as Europe/Berlin or America/New_York"
		object = "line 2: ntp must be an object, at anything else cloud-init fails: write ntp: {servers: [0.pool.ntp.org]}"
		alone  = " must be a name or an address alone: no time comes from it otherwise"
		itself = " must be the certificate itself, from -----BEGIN CERTIFICATE----- on: cloud-init does not read it from a path or an address, and the guest does not trust it"
		file   = "line 2: apt.sources: source names a file for its key that nobody writes, and cloud-init writes key and keyid elsewhere, so that apt installs nothing from it: write signed-by=$KEY_FILE"
		ppa    = "line 2: apt.sources: there are no PPAs for Debian, and cloud-init fails at one: take an archive that is built for Debian, or an image of Ubuntu"
		sshd   = "line 2: runcmd[0] finds no unit sshd on Ubuntu 24.04, where OpenSSH keeps its former settings then: write systemctl restart ssh, and for another Port before it systemctl daemon-reload and " +
			"systemctl restart ssh.socket"
	)

	doubtsAre(t, map[string]doubtCase{
		"Zone":       {reason: "As most write it.", text: "timezone: America/Argentina/Buenos_Aires", guest: ubuntu},
		"ZoneUTC":    {reason: "The images' own.", text: "timezone: UTC", guest: debian},
		"ZoneEtc":    {reason: "A fixed distance.", text: "timezone: Etc/GMT+5", guest: debian},
		"ZoneLegacy": {reason: "It is in tzdata-legacy since then.", text: "timezone: US/Eastern", guest: ubuntu, want: []string{zone}},
		"ZoneSummer": {reason: "An abbreviation is no zone.", text: "timezone: CEST", guest: debian, want: []string{zone}},
		"ZoneOther":  {reason: "Nobody knows the image.", text: "timezone: US/Eastern", guest: unknown},

		"Time":       {reason: "As the documentation has it.", text: "ntp: {enabled: true, servers: [ntp.lab, 10.0.0.1], pools: [0.pool.ntp.org]}", guest: ubuntu},
		"TimeOne":    {reason: "1, 0 and . are no servers.", text: "ntp: {servers: 10.0.0.1}", guest: ubuntu, want: []string{"line 2: ntp.servers must be a list, cloud-init takes each letter of a text for a server: write it in brackets"}},
		"TimeEmpty":  {reason: "It takes the defaults.", text: "ntp:", guest: ubuntu},
		"TimeList":   {reason: "As chrony's role of Ansible has it.", text: "ntp: [0.pool.ntp.org]", guest: ubuntu, want: []string{object}},
		"TimeText":   {reason: "One server.", text: "ntp: 0.pool.ntp.org", guest: unknown, want: []string{object}},
		"TimeScheme": {reason: "No URL.", text: "ntp: {servers: [a.lab, \"ntp://b.lab\"]}", guest: ubuntu, want: []string{"line 2: ntp.servers[1]" + alone}},

		"Authority":     {reason: "The certificate.", text: "ca_certs: {trusted: [\"" + strings.ReplaceAll(aCertificate, "\n", "\\n") + "\"]}", guest: ubuntu},
		"AuthorityPath": {reason: "cloud-init reads no file.", text: "ca-certs: {trusted: /root/ca.crt}", guest: ubuntu, want: []string{"line 2: ca_certs.trusted[0]" + itself}},
		"AuthorityURL":  {reason: "Nor an address.", text: "ca_certs: {trusted: [\"https://ca.lab/root.crt\"]}", guest: unknown, want: []string{"line 2: ca_certs.trusted[0]" + itself}},

		"Keyring":        {reason: "As Docker's documentation has it for a shell.", text: "apt: {sources: {d: {source: 'deb [arch=amd64 signed-by=/etc/apt/keyrings/docker.gpg] https://download.docker.com/linux/ubuntu noble stable', keyid: X}}}", guest: ubuntu, want: []string{file}},
		"KeyringOfInit":  {reason: "cloud-init puts its own file there.", text: "apt: {sources: {d: {source: 'deb [signed-by=$KEY_FILE] https://download.docker.com/linux/ubuntu noble stable', key: X}}}", guest: ubuntu},
		"KeyringWritten": {reason: "The document brings it.", text: "apt: {sources: {d: {source: 'deb [signed-by=/etc/apt/k.asc] https://a.lab noble stable', key: X}}}\nwrite_files: [{path: /etc/apt/k.asc, content: x}]", guest: ubuntu},
		"KeyringFetched": {reason: "A command may fetch it.", text: "apt: {sources: {d: {source: 'deb [signed-by=/etc/apt/k.asc] https://a.lab noble stable', key: X}}}\nbootcmd: [curl -o /etc/apt/k.asc https://a.lab/key]", guest: ubuntu},
		"Archive":        {reason: "Launchpad builds for Ubuntu.", text: "apt: {sources: {p: {source: 'ppa:deadsnakes/ppa'}}}", guest: debian, want: []string{ppa}},
		"ArchiveUbuntu":  {reason: "As here.", text: "apt: {sources: {p: {source: 'ppa:deadsnakes/ppa'}}}", guest: ubuntu},

		"Daemon":       {reason: "The unit has another name.", text: "runcmd: [systemctl restart sshd]", guest: ubuntu, want: []string{sshd}},
		"DaemonOld":    {reason: "The older way.", text: "runcmd: [[service, sshd, restart]]", guest: ubuntu, want: []string{sshd}},
		"DaemonDebian": {reason: "It has both names.", text: "runcmd: [systemctl restart sshd.service]", guest: debian},
		"DaemonName":   {reason: "Its own name, and who tries both.", text: "runcmd: [systemctl restart ssh, 'systemctl restart sshd || systemctl restart ssh']", guest: ubuntu},
	})
}
