package cloudinit

import "testing"

// TestDoubtsOfWritten: files that nobody reads or runs, although cloud-init writes them.
func TestDoubtsOfWritten(t *testing.T) {
	guest, unknown := Guest{Account: "ops", Default: "debian", Has: func(string) bool { return false }}, Guest{Account: "ops"}

	const (
		file   = "line 3: write_files[0]."
		noRun  = file + `path is run as a program, and nobody may: add permissions: "0755"`
		shells = file + "content has words of a shell in Exec..., and systemd starts the program without one, and hands them over as arguments: write /bin/sh -c '...'"
		noUnit = file + "content has no [Install], so that systemctl enable does nothing, and nobody starts the unit at the next boot: add [Install] with WantedBy="
	)

	write := func(lines string) string { return "write_files:\n" + lines }
	passed := func(folder, must string) string {
		return file + "path is passed over, since the name of a file in " + folder + " must " + must
	}

	doubtsAre(t, map[string]doubtCase{
		"Sysctl":         {reason: "Only *.conf are read.", text: write("- {path: /etc/sysctl.d/99-swap, content: \"vm.swappiness = 1\"}"), guest: guest, want: []string{passed("/etc/sysctl.d", "end with .conf")}},
		"Netplan":        {reason: "The other ending of YAML.", text: write("- {path: /etc/netplan/60-own.yml}"), guest: guest, want: []string{passed("/etc/netplan", "end with .yaml")}},
		"Sudoers":        {reason: "sudo takes a dot for a backup.", text: write("- {path: /etc/sudoers.d/10.ops}"), guest: guest, want: []string{passed("/etc/sudoers.d", "have no dot, and no ~ at its end")}},
		"Cron":           {reason: "The same of cron.", text: write("- {path: /etc/cron.d/backup.cron, content: \"0 3 * * * root /a\\n\"}"), guest: guest, want: []string{passed("/etc/cron.d", "have letters, digits, _ and - only")}},
		"CronScript":     {reason: "run-parts runs no such name.", text: write("- {path: /etc/cron.daily/backup.sh, permissions: \"0755\"}"), guest: guest, want: []string{passed("/etc/cron.daily", "have letters, digits, _ and - only")}},
		"DropIn":         {reason: "A part of a unit.", text: write("- {path: /etc/systemd/system/k3s.service.d/limits}"), guest: guest, want: []string{passed("/etc/systemd/system/*.d", "end with .conf")}},
		"Names":          {reason: "As each program has it.", text: write("- {path: /etc/sysctl.d/99-a.conf}\n- {path: /etc/netplan/60-a.yaml}\n- {path: /etc/sudoers.d/ops}\n- {path: /etc/cron.d/a_b-c}\n- {path: /etc/apt/sources.list.d/a.sources}\n- {path: /etc/sudoers.d/README.txt}\n- {path: /etc/systemd/resolved.conf.d/a.conf}\n- {path: /etc/docker/a.json}\npower_state: {mode: reboot}"), guest: guest},
		"NamesOf":        {reason: "Nobody knows the image.", text: write("- {path: /etc/sysctl.d/99}"), guest: unknown},
		"NoAccount":      {reason: "cron takes the command for the account.", text: write("- path: /etc/cron.d/a\n  content: |\n    PATH=/usr/bin\n    # at night\n    0 3 * * MON /usr/bin/a\n"), guest: guest, want: []string{file + "content: line 3 has no account, which stands before the command in /etc/cron.d, so that cron runs nothing of the file: write root before it"}},
		"NoAccountBoot":  {reason: "The same with a word.", text: write("- path: /etc/cron.d/a\n  content: |\n    @reboot /usr/bin/a\n"), guest: guest, want: []string{file + "content: line 1 has no account, which stands before the command in /etc/cron.d, so that cron runs nothing of the file: write root before it"}},
		"NoEnd":          {reason: "cron takes the file for cut off.", text: write("- {path: /etc/cron.d/a, content: 0 3 * * * root /usr/bin/a}"), guest: guest, want: []string{file + "content must end with a line end, or cron passes over the file: write content: | and the lines below it"}},
		"CronFine":       {reason: "As crontab(5) has it.", text: write("- path: /etc/cron.d/a\n  content: |\n    MAILTO=root\n    */5 8-18 * jan,feb 1-5 root /usr/bin/a > /dev/null\n    @daily ops ~/a\n"), guest: guest},
		"NoAssignment":   {reason: "systemd-sysctl passes over it.", text: write("- path: /etc/sysctl.d/a.conf\n  content: |\n    # less\n    vm.swappiness 1\n"), guest: guest, want: []string{file + "content: line 2 is no assignment, and systemd-sysctl passes over it: write name = value"}},
		"Assignments":    {reason: "As sysctl.d(5) has them.", text: write("- path: /etc/sysctl.d/a.conf\n  content: |\n    ; less\n    -net.ipv4.conf.all.rp_filter\n    net.ipv4.ip_forward=1\nruncmd: [sysctl --system]\n"), guest: guest},
		"SysctlConf":     {reason: "Debian 13 gave it up.", text: write("- {path: /etc/sysctl.conf, content: a=1}"), guest: guest, want: []string{file + "path is not read by Debian 13 and later ones: write /etc/sysctl.d/60-own.conf"}},
		"SysctlUbuntu":   {reason: "Ubuntu has a link to it.", text: write("- {path: /etc/sysctl.conf, content: a=1}\nruncmd: [sysctl -p]"), guest: Guest{Default: "ubuntu", Has: guest.Has}},
		"Shell":          {reason: "There is no shell.", text: write("- path: /etc/systemd/system/a.service\n  content: |\n    [Service]\n    ExecStartPre=-/bin/true\n    ExecStart=/usr/bin/a && /usr/bin/b\n"), guest: guest, want: []string{shells}},
		"ShellOutput":    {reason: "Nor is there one for files.", text: write("- path: /etc/systemd/system/a.service\n  content: |\n    [Service]\n    ExecStart=/usr/bin/a > /var/log/a\n"), guest: guest, want: []string{shells}},
		"ShellFine":      {reason: "A shell, words in quotes, and what systemd reads itself.", text: write("- path: /etc/systemd/system/a.service\n  content: |\n    [Service]\n    ExecStart=/bin/sh -c 'a && b'\n    ExecStop=/usr/bin/a \"x > y\" ; /usr/bin/b $VAR\n    ExecReload=/usr/bin/docker exec c sh -c a|b\n"), guest: guest},
		"NoInstall":      {reason: "Nothing is linked.", text: write("- path: /etc/systemd/system/a.service\n  content: |\n    [Service]\n    ExecStart=/bin/true\nruncmd:\n- systemctl daemon-reload\n- [systemctl, enable, --now, a]"), guest: guest, want: []string{noUnit + "multi-user.target"}},
		"NoInstallText":  {reason: "The same as a text.", text: write("- path: /etc/systemd/system/a.timer\n  content: |\n    [Timer]\n    OnCalendar=daily\nruncmd:\n- systemctl --now enable b.service a.timer"), guest: guest, want: []string{noUnit + "timers.target"}},
		"Install":        {reason: "As it must be; and a unit that a timer starts.", text: write("- path: /etc/systemd/system/a.timer\n  content: |\n    [Timer]\n    [Install]\n    WantedBy=timers.target\n- path: /etc/systemd/system/a.service\n  content: |\n    [Service]\nruncmd:\n- systemctl enable a.timer\n- systemctl start a.service"), guest: guest},
		"NotExecutable":  {reason: "cloud-init's own mode is 0644.", text: write("- {path: /usr/local/bin/a, content: x}\nruncmd: [/usr/local/bin/a --now]"), guest: guest, want: []string{noRun}},
		"NotExecList":    {reason: "The same as a list, with a mode.", text: write("- {path: /usr/local/bin/a, content: x, permissions: \"0600\"}\nruncmd: [[/usr/local/bin/a, b]]"), guest: guest, want: []string{noRun}},
		"NotExecUnit":    {reason: "systemd runs it.", text: write("- {path: /usr/local/bin/a, content: x}\n- {path: /etc/systemd/system/a.service, content: \"[Service]\\nExecStart=/usr/local/bin/a\\n\"}"), guest: guest, want: []string{noRun}},
		"Executable":     {reason: "They may, or a shell reads them, or nobody runs them.", text: write("- {path: /a, permissions: \"0755\"}\n- {path: /b, content: x}\n- {path: /c, content: x}\nruncmd: [/a, sh /b, [bash, /b], cat /c]"), guest: guest},
		"ExecutableLate": {reason: "A command says so.", text: write("- {path: /a, content: x}\nruncmd: [chmod +x /a, /a]"), guest: guest},
	})
}

// TestDoubtsBeforeK3s: runcmd is over when K3s is installed.
func TestDoubtsBeforeK3s(t *testing.T) {
	node, machine := Guest{Bootstrap: BootstrapK3s}, Guest{}

	const (
		needs = "line 3: runcmd[0] needs K3s, which the machine installs after runcmd: on a server, write a manifest into /var/lib/rancher/k3s/server/manifests, or run it later"
		waits = "line 3: runcmd[0] waits for K3s, which the machine installs after runcmd, so neither ever comes: remove it"
	)

	doubtsAre(t, map[string]doubtCase{
		"Kubectl":  {reason: "There is no API.", text: "runcmd:\n- kubectl apply -f /a.yaml", guest: node, want: []string{needs}},
		"List":     {reason: "The same as a list.", text: "runcmd:\n- [k3s, kubectl, get, nodes]", guest: node, want: []string{needs}},
		"Helm":     {reason: "The same of a chart.", text: "runcmd:\n- cd /srv && helm upgrade --install a b", guest: node, want: []string{needs}},
		"Loop":     {reason: "It would wait without end.", text: "runcmd:\n- until kubectl get nodes; do sleep 1; done", guest: node, want: []string{waits}},
		"File":     {reason: "The same.", text: "runcmd:\n- while [ ! -f /etc/rancher/k3s/k3s.yaml ]; do sleep 1; done", guest: node, want: []string{waits}},
		"Unit":     {reason: "The same.", text: "runcmd:\n- until systemctl is-active --quiet k3s; do sleep 1; done", guest: node, want: []string{waits}},
		"Fine":     {reason: "They ask nobody, ask another cluster, or go on by themselves.", text: "runcmd:\n- kubectl completion bash > /etc/a\n- kubectl --kubeconfig /a get nodes\n- nohup sh -c 'until kubectl get nodes; do sleep 1; done' &\n- helm repo add a https://b\n- ln -s /usr/local/bin/k3s /usr/local/bin/kubectl\n- cat /a/kubectl\n- |\n  cat > /a <<EOF\n  kubectl get nodes\n  EOF", guest: node},
		"NoNode":   {reason: "The image may have it.", text: "runcmd:\n- kubectl apply -f /a.yaml", guest: machine},
		"BootFile": {reason: "bootcmd runs at each boot, also when K3s is there.", text: "bootcmd:\n- kubectl version", guest: node},
	})
}

// TestDoubtsOfNetworkMounts: mounts come before packages.
func TestDoubtsOfNetworkMounts(t *testing.T) {
	guest, unknown := Guest{Default: "debian", Has: func(string) bool { return false }}, Guest{}

	const (
		nfs  = "line 2: mounts[0]: images of Debian and Ubuntu have no program for nfs, and cloud-init mounts before it installs packages: add nfs-common to packages, and mount -a to runcmd"
		cifs = "line 2: mounts[0]: images of Debian and Ubuntu have no program for cifs, and cloud-init mounts before it installs packages: add cifs-utils to packages, and mount -a to runcmd"
	)

	doubtsAre(t, map[string]doubtCase{
		"NFS":      {reason: "The program is missing.", text: "mounts: [[\"nas:/a\", /mnt/a, nfs]]", guest: guest, want: []string{nfs}},
		"CIFS":     {reason: "It is installed too late.", text: "mounts: [[//nas/a, /mnt/a, cifs, defaults]]\npackages: [cifs-utils]", guest: guest, want: []string{cifs}},
		"Later":    {reason: "A command mounts it.", text: "mounts: [[\"nas:/a\", /mnt/a, nfs4, defaults]]\npackages: [[nfs-common, \"1\"]]\nruncmd: [mount -a]", guest: guest},
		"Commands": {reason: "Commands do both.", text: "mounts: [[\"nas:/a\", /mnt/a, nfs]]\nruncmd: [apt-get install -y nfs-common && mount /mnt/a]", guest: guest},
		"Disk":     {reason: "The kernel mounts it.", text: "mounts: [[LABEL=a, /mnt/a, ext4], [swap, none]]", guest: guest},
		"Image":    {reason: "Nobody knows what it has.", text: "mounts: [[\"nas:/a\", /mnt/a, nfs]]", guest: unknown},
	})
}
