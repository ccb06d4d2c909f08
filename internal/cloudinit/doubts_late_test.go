package cloudinit

import "testing"

// TestDoubtsOfLateFiles: files whose reader has passed by when cloud-init writes them, and units that nobody enables.
func TestDoubtsOfLateFiles(t *testing.T) {
	guest := Guest{Account: "ops", Default: "debian", Has: func(string) bool { return false }}

	next := func(instead string) []string {
		return []string{"line 2: write_files[0].path is read at the guest's next boot only, since cloud-init writes it after its reader: " + instead}
	}
	never := func(instead string) []string {
		return []string{"line 2: write_files[0].path has no effect by itself: " + instead}
	}
	file := func(path, content, rest string) string {
		return "write_files: [{path: " + path + ", content: " + content + "}]\n" + rest
	}

	const (
		system = "add sysctl --system to runcmd"
		grub   = "add update-grub to runcmd, and for the first boot power_state: {mode: reboot}"
		trust  = "write the certificate into ca_certs, or add update-ca-certificates to runcmd"
		timer  = "line 2: write_files[0].path is a unit that nobody enables, so that it never starts: add systemctl enable --now a.timer to runcmd"
		unit   = `"[Timer]\nOnCalendar=daily\n[Install]\nWantedBy=timers.target\n"`
	)

	doubtsAre(t, map[string]doubtCase{
		"Sysctl":         {reason: "coreos/bugs issue 747.", text: file("/etc/sysctl.d/90-own.conf", "a=1", ""), guest: guest, want: next(system)},
		"SysctlLoaded":   {reason: "As the advice has it.", text: file("/etc/sysctl.d/90-own.conf", "a=1", "runcmd: [sysctl --system]"), guest: guest},
		"SysctlFile":     {reason: "The same with one file.", text: file("/etc/sysctl.d/90-own.conf", "a=1", "runcmd: [[sysctl, -q, -p, /etc/sysctl.d/90-own.conf]]"), guest: guest},
		"SysctlUnit":     {reason: "systemd's own.", text: file("/etc/sysctl.d/90-own.conf", "a=1", "runcmd: [systemctl restart systemd-sysctl]"), guest: guest},
		"SysctlRestart":  {reason: "The guest restarts.", text: file("/etc/sysctl.d/90-own.conf", "a=1", "power_state: {mode: reboot}"), guest: guest},
		"SysctlReboot":   {reason: "By a command.", text: file("/etc/sysctl.d/90-own.conf", "a=1", "runcmd: [[reboot]]"), guest: guest},
		"SysctlPoweroff": {reason: "It is off, and nothing is read.", text: file("/etc/sysctl.d/90-own.conf", "a=1", "power_state: {mode: halt}"), guest: guest, want: next(system)},
		"SysctlWord":     {reason: "A word in a file's name is no restart.", text: file("/etc/sysctl.d/90-own.conf", "a=1", "runcmd: [touch /run/reboot-required]"), guest: guest, want: next(system)},
		"Unknown":        {reason: "Nobody knows the image.", text: file("/etc/sysctl.d/90-own.conf", "a=1", "")},
		"Modules":        {reason: "Longhorn's second engine.", text: file("/etc/modules-load.d/a.conf", "uio_pci_generic", ""), guest: guest, want: next("add systemctl restart systemd-modules-load to runcmd")},
		"ModulesOwn":     {reason: "K3s loads these itself.", text: file("/etc/modules-load.d/k3s.conf", `"# K3s\noverlay\nbr-netfilter\n"`, ""), guest: guest},
		"ModulesLoaded":  {reason: "By hand.", text: file("/etc/modules-load.d/a.conf", "nbd", "runcmd: [modprobe nbd]"), guest: guest},
		"Resolved":       {reason: "It runs since before the network.", text: file("/etc/systemd/resolved.conf.d/a.conf", `"[Resolve]\nDNS=192.168.4.1\n"`, ""), guest: guest, want: next("add systemctl restart systemd-resolved to runcmd")},
		"ResolvedAgain":  {reason: "Restarted.", text: file("/etc/systemd/resolved.conf.d/a.conf", "x", "runcmd: [systemctl restart systemd-resolved.service]"), guest: guest},
		"Timesyncd":      {reason: "One file.", text: file("/etc/systemd/timesyncd.conf", "x", ""), guest: guest, want: next("add systemctl restart systemd-timesyncd to runcmd, or write servers into ntp")},
		"Netplan":        {reason: "cloud-init's network is up by then.", text: file("/etc/netplan/60-own.yaml", "x", ""), guest: guest, want: next("add netplan apply to runcmd")},
		"NetplanRoute":   {reason: "A command gives the guest the same until its next boot.", text: file("/etc/netplan/60-own.yaml", "x", "runcmd: [ip route add 10.0.0.0/8 via 192.168.4.2]"), guest: guest},
		"Grub":           {reason: "Even another boot changes nothing.", text: file("/etc/default/grub.d/60-own.cfg", "x", "power_state: {mode: reboot}"), guest: guest, want: never(grub)},
		"GrubMade":       {reason: "It is written into grub.cfg.", text: file("/etc/default/grub.d/60-own.cfg", "x", "runcmd: [update-grub]"), guest: guest},
		"Certificate":    {reason: "rancher/k3os issue 196.", text: file("/usr/local/share/ca-certificates/home.crt", "x", ""), guest: guest, want: never(trust)},
		"Certificates":   {reason: "cc_ca_certs runs the program.", text: file("/usr/local/share/ca-certificates/home.crt", "x", "ca_certs: {trusted: []}"), guest: guest},
		"CertificatePEM": {reason: "The program takes .crt alone.", text: file("/usr/local/share/ca-certificates/home.pem", "x", "runcmd: [update-ca-certificates]"), guest: guest, want: []string{"line 2: write_files[0].path is passed over, since the name of a file in /usr/local/share/ca-certificates must end with .crt"}},
		"Timer":          {reason: "systemd's presets come before cloud-init.", text: file("/etc/systemd/system/a.timer", unit, ""), guest: guest, want: []string{timer}},
		"TimerEnabled":   {reason: "As the advice has it.", text: file("/etc/systemd/system/a.timer", unit, "runcmd: [systemctl enable --now a.timer]"), guest: guest},
		"TimerOfAnother": {reason: "Another unit wants it.", text: "write_files: [{path: /etc/systemd/system/a.timer, content: " + unit + "}, {path: /etc/systemd/system/b.service, content: \"[Unit]\\nWants=a.timer\\n\"}]", guest: guest},
		"UnitOfAnother":  {reason: "It has no [Install], and somebody starts it.", text: file("/etc/systemd/system/a.service", `"[Service]\nExecStart=/bin/true\n"`, ""), guest: guest},
		"Hosts":          {reason: "coreos/coreos-cloudinit issue 243: a whole file.", text: file("/etc/hosts", "192.168.4.5 db", ""), guest: guest, want: []string{"line 2: write_files[0].path replaces the image's file, and with it the lines of localhost: add append: true"}},
		"HostsWhole":     {reason: "It has them.", text: file("/etc/hosts", `"127.0.0.1 localhost\n192.168.4.5 db\n"`, ""), guest: guest},
		"HostsAdded":     {reason: "As the advice has it.", text: "write_files: [{path: /etc/hosts, append: true, content: 192.168.4.5 db}]", guest: guest},
		"HostName":       {reason: "cc_set_hostname comes later.", text: file("/etc/hostname", "db", ""), guest: guest, want: []string{"line 2: write_files[0].path replaces the image's file, which cloud-init writes itself afterwards, so that this one has no effect: set spec.hostname"}},
		"MachineID":      {reason: "Two machines of one claim's text have one lease.", text: file("/etc/machine-id", "x", ""), guest: guest, want: []string{"line 2: write_files[0].path replaces the image's file, by which DHCP servers and others tell machines apart, so that two machines with this file get one address: leave it out, the guest makes its own"}},
	})
}

// TestDoubtsOfLacks: keys without which a module gives up.
func TestDoubtsOfLacks(t *testing.T) {
	without := func(at, key, write string) string {
		return "line 2: " + at + " has no " + key + ", without which cloud-init fails there: " + write
	}

	doubtsAre(t, map[string]doubtCase{
		"Ansible":        {reason: "As the documentation has it.", text: "ansible: {install_method: distro, package_name: ansible-core, pull: {url: 'https://g.lab/a', playbook_name: a.yml}}"},
		"Playbooks":      {reason: "Or several, from cloud-init 25.2 on.", text: "ansible: {install_method: pip, package_name: ansible, pull: [{url: 'https://g.lab/a', playbook_names: [a.yml, b.yml]}]}"},
		"AnsiblePackage": {reason: "validate_config ends with a ValueError.", text: "ansible: {install_method: pip, pull: {url: 'https://g.lab/a', playbook_name: a.yml}}", want: []string{without("ansible", "package_name", "write package_name: ansible")}},
		"AnsibleMethod":  {reason: "There are two.", text: "ansible: {install_method: apt, package_name: ansible}", want: []string{"line 2: ansible.install_method must be pip or distro, at another word cloud-init fails there: write install_method: distro"}},
		"AnsiblePull":    {reason: "And one of two repositories.", text: "ansible: {install_method: distro, package_name: a, pull: [{url: a, playbook_name: b}, {url: a}]}", want: []string{without("ansible.pull[1]", "playbook_name", "write the file of the playbook in the repository, playbook_name: site.yml")}},
		"WireGuard":      {reason: "As the documentation has it.", text: "wireguard: {interfaces: [{name: wg0, config_path: /etc/wireguard/wg0.conf, content: x}]}"},
		"WireGuardName":  {reason: "supplemental_schema_validation asks for all three.", text: "wireguard: {interfaces: [{config_path: /etc/wireguard/wg0.conf, content: x}]}", want: []string{without("wireguard.interfaces[0]", "name", "write name: wg0")}},
		"PhoneHome":      {reason: "Nobody to call.", text: "phone_home: {post: all}", want: []string{without("phone_home", "url", "write the address that cloud-init posts to")}},
		"Time":           {reason: "The servers have no effect.", text: "ntp: {enabled: false, servers: [192.168.4.1]}", want: []string{"line 2: ntp.enabled is false, so that cloud-init passes over the servers beside it: remove one of the two"}},
		"TimeOff":        {reason: "No time server is what they want.", text: "ntp: {enabled: false}"},
		"TimeOn":         {reason: "As the documentation has it.", text: "ntp: {enabled: true, servers: [192.168.4.1]}"},
	})
}

// TestDoubtsOfPrograms: files with which a program does not start, and packages that Debian's images do not ask for.
func TestDoubtsOfPrograms(t *testing.T) {
	guest := Guest{Account: "ops", Default: "debian", Has: func(string) bool { return false }}
	ubuntu := Guest{Account: "ops", Default: "ubuntu", Has: guest.Has}

	const (
		two   = "line 2: write_files[0].content adds a second ExecStart to the unit's own, and systemd starts no service with two: write a line ExecStart= with nothing behind it before"
		plain = "line 2: write_files[0].content is no JSON, and the program that reads it does not start: look for a comma too many, and for quotes"
		zfs   = "line 2: packages[0]: zfsutils-linux is in contrib of Debian's archive, and the cloud images ask main alone: " +
			"add apt: {sources: {contrib: {source: deb http://deb.debian.org/debian $RELEASE contrib}}}. Otherwise " + noneInstalled
	)

	dropIn := func(content string) string {
		return "write_files: [{path: /etc/systemd/system/docker.service.d/a.conf, content: " + content + "}]"
	}

	doubtsAre(t, map[string]doubtCase{
		"Start":        {reason: "moby/moby: Service has more than one ExecStart= setting.", text: dropIn(`"[Service]\nExecStart=/usr/bin/dockerd -H tcp://127.0.0.1\n"`), guest: guest, want: []string{two}},
		"StartAnew":    {reason: "As Docker's documentation has it.", text: dropIn(`"[Service]\nExecStart=\nExecStart=/usr/bin/dockerd\n"`), guest: guest},
		"StartBefore":  {reason: "There may be many of these.", text: dropIn(`"[Service]\nExecStartPre=/bin/true\n"`), guest: guest},
		"StartOneshot": {reason: "It may have several.", text: dropIn(`"[Service]\nType=oneshot\nExecStart=/bin/true\n"`), guest: guest},
		"Daemon":       {reason: "A comma too many.", text: "write_files: [{path: /etc/docker/daemon.json, content: '{\"log-driver\": \"local\",}'}]", guest: guest, want: []string{plain}},
		"DaemonFine":   {reason: "As Docker has it.", text: "write_files: [{path: /etc/docker/daemon.json, content: '{\"log-driver\": \"local\"}'}]", guest: guest},
		"DaemonCoded":  {reason: "Nobody reads it here.", text: "write_files: [{path: /etc/docker/daemon.json, encoding: b64, content: e30=}]", guest: guest},
		"ZFS":          {reason: "E: Package 'zfsutils-linux' has no installation candidate.", text: "packages: [zfsutils-linux]", guest: guest, want: []string{zfs}},
		"ZFSUbuntu":    {reason: "It is in Ubuntu's main.", text: "packages: [zfsutils-linux]", guest: ubuntu},
		"ZFSSource":    {reason: "As the advice has it.", text: "apt: {sources: {contrib: {source: 'deb http://deb.debian.org/debian $RELEASE contrib'}}}\npackages: [zfsutils-linux]", guest: guest},
		"Virtual":      {reason: "Package netcat is a virtual package.", text: "packages: [netcat]", guest: ubuntu, want: []string{"line 2: packages[0]: Debian and Ubuntu have no package netcat: write netcat-openbsd. Otherwise " + noneInstalled}},
		"VirtualNamed": {reason: "One of them.", text: "packages: [netcat-openbsd, python3]", guest: ubuntu},
	})
}
