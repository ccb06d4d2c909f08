package cloudinit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDoubtsOfCommands: commands that work against their machine.
func TestDoubtsOfCommands(t *testing.T) {
	debian := func(string) bool { return false }
	plain, node, flake := Guest{Account: "ops", Has: debian}, Guest{Account: "ops", Has: debian, Bootstrap: BootstrapK3s}, Guest{Bootstrap: BootstrapNixOS}

	const (
		restarts = "restarts or stops the machine before its bootstrap for K3s, which comes after runcmd and may never run then: set spec.lifecycle.reboot to a new value once the machine is ready, or remove it"
		overruns = "writes over a disk by a name that can be another disk's at another boot: let filesystem and mountPath of spec.disks format a disk, which leaves one with data as it is"
		closesK  = "switches on a firewall in the guest that closes the ports of K3s and of pods: use spec.firewall, whose preset has them, or open them there"
		closesS  = "switches on a firewall in the guest that nothing opens for SSH: use spec.firewall, or allow SSH before, such as ufw allow OpenSSH"
		bash     = "has a word of bash, and cloud-init runs a text with sh, which does not have it: write a list, such as [bash, -c, ...], and a point in place of source"
	)

	doubtsAre(t, map[string]doubtCase{
		"Reboot":          {reason: "The node never joins.", text: "runcmd: [reboot]", guest: node, want: []string{"line 2: runcmd[0] " + restarts}},
		"RebootList":      {reason: "The same as a list.", text: "runcmd:\n- [shutdown, -r, now]", guest: node, want: []string{"line 3: runcmd[0] " + restarts}},
		"RebootInside":    {reason: "Where a shell would have it.", text: "runcmd:\n- apt-get -y full-upgrade && /sbin/reboot", guest: node, want: []string{"line 3: runcmd[0] " + restarts}},
		"RebootFlake":     {reason: "A NixOS machine converges after it.", text: "runcmd: [systemctl reboot]", guest: flake, want: []string{"line 2: runcmd[0] restarts or stops the machine before its bootstrap for NixOS, which comes after runcmd and may never run then: set spec.lifecycle.reboot to a new value once the machine is ready, or remove it"}},
		"Clean":           {reason: "It prepares a template.", text: "runcmd:\n- cloud-init clean --logs --reboot", guest: plain, want: []string{"line 3: runcmd[0] " + forgetting}},
		"CleanList":       {reason: "The same as a list.", text: "runcmd:\n- [rm, -rf, /var/lib/cloud/instances]", guest: plain, want: []string{"line 3: runcmd[0] " + forgetting}},
		"CleanOther":      {reason: "Other folders are nobody's.", text: "runcmd:\n- rm -rf /var/lib/cloudflared\n- cloud-init schema --system", guest: plain},
		"Operator":        {reason: "echo prints the rest.", text: "runcmd:\n- [echo, hi, \">\", /etc/x]", guest: plain, want: []string{"line 3: runcmd[0] is a list, which cloud-init runs without a shell, so that the program gets > as an argument: write it as one text, without brackets"}},
		"OperatorBoth":    {reason: "apt-get knows no package of that name.", text: "runcmd:\n- [apt-get, update, \"&&\", apt-get, install, -y, x]", guest: plain, want: []string{"line 3: runcmd[0] is a list, which cloud-init runs without a shell, so that the program gets && as an argument: write it as one text, without brackets"}},
		"OperatorShell":   {reason: "A shell reads it; and find has words of its own.", text: "runcmd:\n- [sh, -c, \"echo hi > /etc/x && ls | wc\"]\n- [find, /srv, -name, x, -exec, ls, \"{}\", \";\"]", guest: plain},
		"OneWord":         {reason: "A program of a strange name.", text: "runcmd:\n- [\"ls | wc -l\"]", guest: plain, want: []string{"line 3: runcmd[0] is a list of one word with blanks in it, and there is no program of that name: write it as one text, without brackets"}},
		"OneWordFine":     {reason: "A program without arguments.", text: "runcmd:\n- [ls]", guest: plain},
		"RebootPlain":     {reason: "Nothing comes after it.", text: "runcmd: [reboot]", guest: plain},
		"RebootWord":      {reason: "It is no command there.", text: "runcmd:\n- touch /etc/reboot-strategy; echo reboot is not needed\n- systemctl mask reboot.target", guest: node},
		"EveryReboot":     {reason: "It restarts for ever.", text: "bootcmd: [reboot]", guest: plain, want: []string{"line 2: bootcmd[0] restarts or stops the machine at every boot, without end, since cloud-init runs bootcmd each time: write it into runcmd"}},
		"EveryFormat":     {reason: "It loses the data at the second boot.", text: "bootcmd:\n- [mkfs.ext4, -F, /dev/sdb]", guest: plain, want: []string{"line 3: bootcmd[0] writes over a disk at every boot, since cloud-init runs bootcmd each time: let filesystem and mountPath of spec.disks format a disk, which leaves one with data as it is, or write it into runcmd"}},
		"EveryLine":       {reason: "The file grows.", text: "bootcmd:\n- echo 'a b' >> /etc/hosts", guest: plain, want: []string{"line 3: bootcmd[0] adds its line once more at every boot, since cloud-init runs bootcmd each time: write it into runcmd, or use write_files with append: true"}},
		"EveryOnce":       {reason: "cloud-init's own way to run it once.", text: "bootcmd:\n- [cloud-init-per, once, fs, mkfs.ext4, /dev/sdb]", guest: plain},
		"EveryAsks":       {reason: "It asks before.", text: "bootcmd:\n- test -e /srv/x || mkfs.ext4 /dev/sdb\n- grep -q a /etc/hosts || echo a >> /etc/hosts", guest: plain},
		"Format":          {reason: "sdb is another disk at times.", text: "runcmd:\n- sudo mkfs.xfs /dev/sdb && mount /dev/sdb /srv", guest: plain, want: []string{"line 3: runcmd[0] " + overruns}},
		"FormatByID":      {reason: "It is always the same.", text: "runcmd:\n- mkfs.xfs /dev/disk/by-id/x", guest: plain},
		"FirewallNode":    {reason: "K3s' documentation says to leave it off.", text: "runcmd:\n- ufw allow OpenSSH\n- ufw --force enable", guest: node, want: []string{"line 4: runcmd[1] " + closesK}},
		"Firewall":        {reason: "Nobody could log in.", text: "runcmd:\n- ufw --force enable", guest: plain, want: []string{"line 3: runcmd[0] " + closesS}},
		"FirewallOpen":    {reason: "SSH goes on.", text: "runcmd:\n- ufw allow 22/tcp\n- ufw --force enable", guest: plain},
		"FirewallFile":    {reason: "A file may open it.", text: "write_files: [{path: /etc/ufw/user.rules, content: x}]\nruncmd:\n- ufw --force enable", guest: plain},
		"FirewallOff":     {reason: "As K3s' documentation has it.", text: "runcmd:\n- ufw disable", guest: node},
		"Twice":           {reason: "Two installations of one K3s.", text: "runcmd:\n- curl -sfL https://get.k3s.io | sh -", guest: node, want: []string{"line 3: runcmd[0] installs Kubernetes beside the K3s that the machine installs itself, as spec.k3s says: remove it"}},
		"OwnK3s":          {reason: "A Machine does not install one.", text: "runcmd:\n- curl -sfL https://get.k3s.io | sh -", guest: plain},
		"Names":           {reason: "Guides for name servers free port 53 by it.", text: "runcmd:\n- systemctl disable --now systemd-resolved\n- rm /etc/resolv.conf", guest: plain, want: []string{"line 3: runcmd[0] " + namesLost}},
		"NamesList":       {reason: "The same in pieces, of several.", text: "runcmd:\n- [systemctl, stop, avahi-daemon, systemd-resolved.service]", guest: node, want: []string{"line 3: runcmd[0] " + namesLost}},
		"NamesWritten":    {reason: "Another server is in its place.", text: "runcmd:\n- systemctl disable --now systemd-resolved\n- echo nameserver 192.168.4.1 > /etc/resolv.conf", guest: plain},
		"NamesFile":       {reason: "A script of the document may be.", text: "write_files: [{path: /opt/dns.sh, content: 'echo nameserver 192.168.4.1 > /etc/resolv.conf'}]\nruncmd:\n- systemctl mask systemd-resolved", guest: plain},
		"NamesAgain":      {reason: "It is off for a moment.", text: "runcmd:\n- systemctl stop systemd-resolved\n- systemctl start systemd-resolved", guest: plain},
		"NamesEarly":      {reason: "A command of every boot writes them.", text: "bootcmd:\n- echo nameserver 192.168.4.1 > /etc/resolv.conf\nruncmd:\n- systemctl disable --now systemd-resolved", guest: plain},
		"NamesPackage":    {reason: "resolvconf writes the file.", text: "packages: [resolvconf]\nruncmd:\n- systemctl disable --now systemd-resolved", guest: plain},
		"NamesManager":    {reason: "So does NetworkManager.", text: "runcmd:\n- systemctl disable --now systemd-resolved\n- systemctl restart NetworkManager", guest: plain},
		"NamesFetched":    {reason: "It comes from elsewhere.", text: "runcmd:\n- systemctl disable --now systemd-resolved\n- curl -o /etc/resolv.conf http://192.168.4.1/resolv.conf", guest: plain},
		"NamesFolder":     {reason: "By its name alone.", text: "runcmd:\n- systemctl disable --now systemd-resolved\n- cd /etc && echo nameserver 192.168.4.1 > resolv.conf", guest: plain},
		"NamesOther":      {reason: "It goes on.", text: "runcmd:\n- systemctl restart systemd-resolved\n- systemctl stop systemd-timesyncd", guest: plain},
		"NamesElsewhere":  {reason: "Other images may have another one.", text: "runcmd:\n- systemctl stop systemd-resolved", guest: Guest{}},
		"Bash":            {reason: "sh of Debian and Ubuntu is dash.", text: "runcmd:\n- source /etc/profile", guest: plain, want: []string{"line 3: runcmd[0] " + bash}},
		"BashTest":        {reason: "The same.", text: "runcmd:\n- if [[ -e /a ]]; then true; fi", guest: plain, want: []string{"line 3: runcmd[0] " + bash}},
		"BashSaid":        {reason: "bash runs it.", text: "runcmd:\n- [bash, -c, source /etc/profile]\n- bash -c 'source /etc/profile'\n- cat /etc/apt/source", guest: plain},
		"BashElsewhere":   {reason: "sh of other images may be bash.", text: "runcmd:\n- source /etc/profile", guest: Guest{}},
		"NothingAtAll":    {reason: "Commands of everyday.", text: "runcmd:\n- [systemctl, enable, --now, nginx]\n- apt-get install -y nfs-common\n- modprobe iscsi_tcp\nbootcmd:\n- echo a > /etc/a", guest: node},
		"NoListOfCommand": {reason: "Its form has a fault of its own.", text: "runcmd: reboot", guest: node},
	})
}

// TestDoubtsOfPaths: files at places where they do not stay, or do harm.
func TestDoubtsOfPaths(t *testing.T) {
	guest := Guest{Account: "ops", Default: "debian"}

	file := func(path, rest string) string {
		return "write_files:\n- {path: " + path + rest + ", content: x}"
	}

	doubtsAre(t, map[string]doubtCase{
		"Folder":      {reason: "A file cannot have that name.", text: file("/etc/x/", ""), guest: guest, want: []string{"line 3: write_files[0].path is a folder, which cloud-init cannot write, so it gives up, and writes no further file: name a file in it"}},
		"Temporary":   {reason: "cloud-init's documentation advises against it.", text: file("/tmp/a.sh", ""), guest: guest, want: []string{"line 3: write_files[0].path is below /tmp, which systemd may empty while the guest starts: write it below /run, if nobody needs it after the first boot, or below /opt"}},
		"Table":       {reason: "The boot disk's line is gone.", text: file("/etc/fstab", ""), guest: guest, want: []string{"line 3: write_files[0].path replaces the image's file, and with it the line of the boot disk: use mounts, or add append: true"}},
		"TableAdded":  {reason: "One more line.", text: file("/etc/fstab", ", append: true"), guest: guest},
		"Sudo":        {reason: "The account loses its rights.", text: file("/etc//sudoers", ""), guest: guest, want: []string{"line 3: write_files[0].path replaces the image's file, and with it the line for /etc/sudoers.d, without which spec.bootstrap.adminUser has no sudo: write a file below /etc/sudoers.d"}},
		"SudoFolder":  {reason: "As it should be.", text: file("/etc/sudoers.d/90-app", ""), guest: guest},
		"Network":     {reason: "The address is gone after the next boot.", text: file("/etc/netplan/50-cloud-init.yaml", ""), guest: guest, want: []string{"line 3: write_files[0].path is where cloud-init writes spec.network and spec.nics, which are gone at the guest's next boot then: change the claim, or write a file of another name, such as /etc/netplan/60-own.yaml"}},
		"NetworkOwn":  {reason: "Beside it.", text: file("/etc/netplan/60-own.yaml", ""), guest: guest},
		"Home":        {reason: "The home belongs to root then.", text: file("/home/ops/.bashrc", ""), guest: guest, want: []string{"line 3: write_files[0].path is in the home of an account that cloud-init makes after it writes files, so the folder belongs to root: add defer: true and the owner"}},
		"HomeMade":    {reason: "The document makes it.", text: "users: [{name: app}]\n" + "write_files: [{path: /home/app/x, content: x}]", guest: guest, want: []string{"line 3: write_files[0].path is in the home of an account that cloud-init makes after it writes files, so the folder belongs to root: add defer: true and the owner"}},
		"HomeLater":   {reason: "As it should be.", text: file("/home/ops/.bashrc", ", owner: ops, defer: true"), guest: guest},
		"HomeOther":   {reason: "The image may have it.", text: file("/home/app/x", ""), guest: guest},
		"Variable":    {reason: "Nobody renders it.", text: "write_files: [{path: /etc/a, content: 'a {{ ds.meta_data.local_hostname }}'}]", guest: guest, want: []string{"line 2: write_files[0].content has {{ }} with a variable of cloud-init, which stays as it is: user-data is rendered into a larger document, and is no template. Ask in runcmd instead, such as cloud-init query ds.meta_data"}},
		"VariableGo":  {reason: "Another program's template.", text: "write_files: [{path: /etc/a, content: '{{ .Values.x }} {{ dsn }}'}]", guest: guest},
		"PathMissing": {reason: "It has a fault of its own.", text: "write_files: [{content: x}, x]", guest: guest},
	})
}

// TestDoubtsOfPackages: packages, archives and modules that Debian and Ubuntu do not have.
func TestDoubtsOfPackages(t *testing.T) {
	guest := Guest{Has: func(string) bool { return false }}

	doubtsAre(t, map[string]doubtCase{
		"Other":        {reason: "The name that RHEL has.", text: "packages: [curl, iscsi-initiator-utils]", guest: guest, want: []string{"line 2: packages[1]: Debian and Ubuntu have no package iscsi-initiator-utils: write open-iscsi. Otherwise " + noneInstalled}},
		"OtherVersion": {reason: "With its version.", text: "packages: [[nfs-utils, 1.0]]", guest: guest, want: []string{"line 2: packages[0]: Debian and Ubuntu have no package nfs-utils: write nfs-common. Otherwise " + noneInstalled}},
		"OtherImage":   {reason: "Nobody knows its packages.", text: "packages: [nfs-utils, docker-ce]"},
		"Docker":       {reason: "It is in Docker's archive.", text: "packages: [docker-ce]", guest: guest, want: []string{"line 2: packages[0]: Debian and Ubuntu have no package docker-ce, which is in Docker's archive: add that to apt.sources, with its key. Otherwise " + noneInstalled}},
		"DockerSource": {reason: "The document adds it.", text: "apt: {sources: {docker: {source: 'deb [signed-by=$KEY_FILE] https://download.docker.com/linux/ubuntu $RELEASE stable', keyid: x}}}\npackages: [docker-ce]", guest: guest},
		"K3s":          {reason: "There is none anywhere.", text: "packages: [k3s]", guest: guest, want: []string{"line 2: packages[0]: there is no package k3s: a K3sNode installs K3s. With it here, " + noneInstalled}},

		"Key":       {reason: "apt trusts nobody without.", text: "apt:\n  sources:\n    docker.list: {source: 'deb [arch=amd64] https://download.docker.com/linux/ubuntu $RELEASE stable'}", guest: guest, want: []string{"line 4: apt.sources: an archive without key or keyid is not trusted, so that apt installs nothing from it: add its key, and signed-by=$KEY_FILE in source"}},
		"KeySaid":   {reason: "Signed by a file that somebody brings.", text: "apt: {sources: {a: {source: 'deb [signed-by=/etc/apt/keyrings/a.asc] https://a.example stable main'}}}", guest: guest},
		"KeyMirror": {reason: "The images have its key.", text: "apt: {sources: {a: {source: 'deb http://mirror.example/ubuntu noble main universe'}, b: {source: 'deb $MIRROR $RELEASE main'}, c: {source: 'ppa:a/b'}}}", guest: guest},

		"Resolver":    {reason: "The module is for others.", text: "manage_resolv_conf: true", guest: guest, want: []string{"line 2: manage_resolv_conf has no effect on Debian and Ubuntu: set spec.network.dns and spec.network.searchDomains"}},
		"ResolverOff": {reason: "Nothing is asked for.", text: "manage_resolv_conf: false", guest: guest},
		"ResolverRed": {reason: "It has an effect there.", text: "manage_resolv_conf: true"},
		"Grow":        {reason: "The claim says the size.", text: "growpart: {mode: 'off'}\nresize_rootfs: false", guest: guest, want: []string{"line 2: growpart leaves the root file system as small as the image's, whatever spec.size.disk says: remove it", "line 3: resize_rootfs leaves the root file system as small as the image's, whatever spec.size.disk says: remove it"}},
		"GrowAuto":    {reason: "cloud-init's default.", text: "growpart: {mode: auto}\nresize_rootfs: noblock", guest: guest},
	})
}

type doubtCase struct {
	reason, text string
	guest        Guest
	want         []string
}

// doubtsAre compares the doubts of cloud-configs, whose first line the cases leave out.
func doubtsAre(t *testing.T, cases map[string]doubtCase) {
	t.Helper()

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range Parse("#cloud-config\n" + tc.text + "\n").Doubts(tc.guest) {
				got = append(got, d.Text)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
