package cloudinit

import (
	"testing"
)

// TestDoubtsOfShell: commands that do in a terminal what they say, and not in a boot. Each is from reports that stand beside the patterns.
func TestDoubtsOfShell(t *testing.T) {
	has := func(name string) bool { return name == "www-data" }
	guest, ofImage, unknown := Guest{Account: "ops", Default: "debian", Has: has}, Guest{Default: "debian", Has: has}, Guest{Account: "ops"}

	const (
		waits   = "line 3: runcmd[0] waits for the end of the boot that it is a part of, so neither ever ends: remove it"
		home    = "line 3: runcmd[0] asks for the home or the name of whoever runs it, and cloud-init runs it without HOME and USER: write the path and the name, or begin with export HOME=/root"
		named   = "line 3: runcmd[0] gives the guest another host name than the one that it has in the claim, in DNS and as a Node: set spec.hostname"
		account = "line 3: runcmd[0] names account ubuntu, which the machine does not have: spec.bootstrap.adminUser, ops, is in place of the image's default user"
		asks    = "line 3: runcmd[0] asks before it changes other packages than those that it names, and gives up, since nobody answers: add -y"
		python  = "line 3: runcmd[0] is refused by Debian 12, Ubuntu 24.04 and later ones (externally-managed-environment): name the package in packages, such as python3-requests, or install it with the pip of " +
			"a folder that python3 -m venv makes"
		closesS = "line 3: runcmd[0] switches on a firewall in the guest that nothing opens for SSH: use spec.firewall, or allow SSH before, such as ufw allow OpenSSH"
	)

	run := func(lines string) string { return "runcmd:\n" + lines }

	doubtsAre(t, map[string]doubtCase{
		"Waits":        {reason: "cloud-init waits for itself.", text: run("- cloud-init status --wait"), guest: guest, want: []string{waits}},
		"WaitsList":    {reason: "The same as a list.", text: run("- [cloud-init, status, --long, --wait]"), guest: guest, want: []string{waits}},
		"WaitsSystem":  {reason: "cloud-final is a part of it.", text: run("- systemctl is-system-running --wait && touch /done"), guest: guest, want: []string{waits}},
		"WaitsBeside":  {reason: "Nobody waits for it.", text: run("- nohup sh -c 'cloud-init status --wait; reboot' &\n- cloud-init status"), guest: guest},
		"Manager":      {reason: "It is another distribution's.", text: run("- dnf install -y nginx"), guest: guest, want: []string{"line 3: runcmd[0] finds no program dnf, which Debian and Ubuntu do not have: name the packages in packages, by their names there, or run apt-get install -y"}},
		"AptKey":       {reason: "apt has no such program any more.", text: "runcmd:\n- curl -fsSL https://x.org/gpg | sudo apt-key add -", guest: Guest{Default: "debian", Has: func(string) bool { return false }}, want: []string{"line 3: runcmd[0] finds no program apt-key, which Debian 13 and later ones do not have: use apt.sources with the key, or write it into a file below /etc/apt/keyrings, and signed-by with its name into the source"}},
		"AptKeyUbuntu": {reason: "The releases with long support have it.", text: "runcmd:\n- curl -fsSL https://x.org/gpg | apt-key add -", guest: Guest{Default: "ubuntu", Has: func(string) bool { return false }}},
		"AptKeyLooks":  {reason: "It asks first.", text: "runcmd:\n- command -v apt-key && apt-key add /x", guest: Guest{Default: "debian", Has: func(string) bool { return false }}},
		"ManagerList":  {reason: "The same as a list.", text: run("- [apk, add, curl]"), guest: guest, want: []string{"line 3: runcmd[0] finds no program apk, which Debian and Ubuntu do not have: name the packages in packages, by their names there, or run apt-get install -y"}},
		"ManagerAsked": {reason: "The script looks for it.", text: run("- if command -v dnf; then dnf install -y a; fi\n- docker run alpine apk add curl"), guest: guest},
		"ManagerOther": {reason: "Nobody knows the image.", text: run("- dnf install -y nginx"), guest: unknown},
		"Snap":         {reason: "Debian's images have none.", text: run("- snap install helm --classic"), guest: guest, want: []string{"line 3: runcmd[0] finds no program snap, which images of Debian do not have: add snapd to packages, or take an image of Ubuntu"}},
		"SnapPackage":  {reason: "cloud-init installs it before.", text: "packages: [snapd]\nruncmd:\n- snap install helm", guest: guest},
		"SnapUbuntu":   {reason: "Ubuntu's images have it.", text: run("- snap install helm"), guest: Guest{Account: "ops", Default: "ubuntu", Has: has}},
		"Home":         {reason: "~ stays as it is.", text: run("- cp /a ~/.ssh/b"), guest: guest, want: []string{home}},
		"HomeVariable": {reason: "It is empty.", text: run("- [sh, -c, 'cd $HOME']"), guest: guest, want: []string{home}},
		"User":         {reason: "The same of the name.", text: run("- usermod -aG docker $USER"), guest: guest, want: []string{home}},
		"HomeGiven":    {reason: "The commands are one script.", text: run("- export HOME=/root\n- cp /a ~/b"), guest: guest},
		"HomeOther":    {reason: "Another program replaces it.", text: run("- echo 'PATH=$HOME/bin' >> /etc/profile\n- su - app -c 'cd ~/x'\n- [echo, $HOME]\n- ls ~app/x a~\n- echo ${HOME:-/root}"), guest: guest},
		"Name":         {reason: "The Node has the claim's.", text: run("- hostnamectl set-hostname a.b"), guest: guest, want: []string{named}},
		"NameOld":      {reason: "The older way.", text: run("- [hostname, web]"), guest: guest, want: []string{named}},
		"NameAsked":    {reason: "They ask.", text: run("- hostname -f > /etc/a\n- hostnamectl status"), guest: guest},
		"Account":      {reason: "It is another image's.", text: run("- usermod -aG docker ubuntu"), guest: guest, want: []string{account}},
		"AccountHome":  {reason: "There is no such folder.", text: run("- cp /a /home/ubuntu/b"), guest: guest, want: []string{account}},
		"AccountFirst": {reason: "The machine's stands in its place.", text: run("- chown -R debian:debian /srv"), guest: guest, want: []string{"line 3: runcmd[0] names account debian, which the machine does not have: spec.bootstrap.adminUser, ops, is in place of the image's default user"}},
		"AccountThere": {reason: "The image has it.", text: run("- usermod -aG docker debian"), guest: ofImage},
		"AccountMade":  {reason: "The document makes it.", text: "users: [{name: ubuntu}]\nruncmd: [usermod -aG docker ubuntu]", guest: guest},
		"AccountAdded": {reason: "A command makes it.", text: run("- useradd -m ubuntu\n- chown ubuntu /srv"), guest: guest},
		"AccountElse":  {reason: "No accounts.", text: run("- chown ops /opt/ubuntu\n- docker pull ubuntu\n- su - ops -c 'echo ubuntu'\npackages: [docker.io]"), guest: guest},
		"AccountOf":    {reason: "Nobody knows the image.", text: run("- usermod -aG docker ubuntu"), guest: unknown},
		"Asks":         {reason: "Nobody answers.", text: run("- apt-get install nginx"), guest: guest, want: []string{asks}},
		"AsksNot":      {reason: "They are answered.", text: run("- apt-get -y install a\n- apt install b -y\n- [apt-get, -qqy, upgrade]\n- apt-get install --yes c\n- yes | apt-get install d"), guest: guest},
		"AsksElse":     {reason: "Other images may ask nothing.", text: run("- apt-get install nginx"), guest: unknown},
		"Python":       {reason: "PEP 668.", text: run("- pip3 install ansible"), guest: guest, want: []string{python}},
		"PythonModule": {reason: "The same.", text: run("- python3 -m pip install ansible"), guest: guest, want: []string{python}},
		"PythonOwn":    {reason: "Folders of their own.", text: run("- python3 -m venv /opt/a\n- /opt/a/bin/pip install ansible"), guest: guest},
		"PythonActive": {reason: "The same, in a shell.", text: run("- . /opt/a/bin/activate && pip install ansible"), guest: guest},
		"PythonForced": {reason: "The author knows.", text: run("- pip3 install --break-system-packages ansible"), guest: guest},
		"Closes":       {reason: "Nobody could log in.", text: run("- iptables -P INPUT DROP"), guest: guest, want: []string{closesS}},
		"ClosesOpen": {reason: "SSH goes on, and at the next boot there is no rule.", text: run("- iptables -A INPUT -p tcp --dport 22 -j ACCEPT\n- iptables -P INPUT DROP"), guest: guest, want: []string{
			"line 3: runcmd[0] is gone at the guest's next boot, since cloud-init runs runcmd once: use spec.firewall, or keep it with iptables-persistent in packages and netfilter-persistent save behind it",
		}},
	})
}

// TestDoubtsOfLogins: rules of sudo, passwords and proxies that do not do what they say.
func TestDoubtsOfLogins(t *testing.T) {
	guest := Guest{Account: "ops", Default: "debian", Has: func(name string) bool { return name == "www-data" }}

	const (
		unread = "is nothing that sudo can read, so the account has no sudo; before sudo 1.9.3 nobody has, spec.bootstrap.adminUser included: write a rule, such as ALL=(ALL) NOPASSWD:ALL"
		expire = "line 2: chpasswd without expire: false lets the passwords expire at once: every login of the account waits for a new one first, logins by SSH key and by Ansible included. Add expire: false"
		scheme = "apt gives up at a proxy without a scheme, and installs nothing: write http:// before it"
	)

	sudo := func(rule string) string { return "users:\n- {name: app, sudo: " + rule + "}" }

	doubtsAre(t, map[string]doubtCase{
		"SudoTrue":    {reason: "cloud-init gives up.", text: sudo("true"), guest: guest, want: []string{"line 3: users[0].sudo is true, at which cloud-init gives up, and makes no further account: write a rule, such as ALL=(ALL) NOPASSWD:ALL"}},
		"SudoAll":     {reason: "A rule has an equals sign.", text: sudo("ALL"), guest: guest, want: []string{"line 3: users[0].sudo " + unread}},
		"SudoTag":     {reason: "A tag has a colon.", text: sudo("ALL=(ALL) NOPASSWD ALL"), guest: guest, want: []string{"line 3: users[0].sudo " + unread}},
		"SudoCut":     {reason: "The commands are missing.", text: sudo("['ALL=(ALL) ALL', 'ALL=(ALL) NOPASSWD:']"), guest: guest, want: []string{"line 3: users[0].sudo " + unread}},
		"SudoRules":   {reason: "They can be read.", text: sudo("['ALL=(ALL) NOPASSWD:ALL', 'ALL=(ALL:ALL) ALL', 'ALL = NOPASSWD: /usr/bin/apt-get, /sbin/reboot', 'web01=(www-data) /bin/a']"), guest: guest},
		"SudoNone":    {reason: "No sudo.", text: "users:\n- {name: a, sudo: false}\n- {name: b, sudo: null}\n- {name: c, sudo: ''}\n- {name: d}", guest: guest},
		"Expire":      {reason: "It is cloud-init's default.", text: "chpasswd: {users: [{name: ops, password: x}]}", guest: guest, want: []string{expire}},
		"ExpireList":  {reason: "The older form.", text: "chpasswd: {list: 'ops:x'}", guest: guest, want: []string{expire}},
		"ExpireSaid":  {reason: "As said, either way.", text: "chpasswd: {expire: true, users: [{name: ops, password: x}]}", guest: guest},
		"Nobody":      {reason: "chpasswd changes all or none.", text: "chpasswd: {expire: false, users: [{name: ubuntu, password: x}]}", guest: guest, want: []string{"line 2: chpasswd.users[0].name: the machine has no account ubuntu, so chpasswd sets no password at all: make it in users, or name another one"}},
		"Somebody":    {reason: "The image, the claim and the document have them.", text: "users: [{name: app}]\nchpasswd: {expire: false, users: [{name: root}, {name: ops}, {name: app}, {name: www-data}]}", guest: guest},
		"NobodyKnows": {reason: "Another image.", text: "chpasswd: {expire: false, users: [{name: ubuntu}]}", guest: Guest{Account: "ops"}},
		"Proxy":       {reason: "apt does not guess.", text: "apt: {proxy: 'proxy.home:3128', https_proxy: proxy}", guest: guest, want: []string{"line 2: apt.proxy: " + scheme, "line 2: apt.https_proxy: " + scheme}},
		"ProxyWhole":  {reason: "As it should be.", text: "apt: {proxy: 'http://proxy.home:3128', https_proxy: DIRECT, http_proxy: ''}", guest: guest},
	})
}
