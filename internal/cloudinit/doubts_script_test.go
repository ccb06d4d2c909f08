package cloudinit

import "testing"

// TestDoubtsOfScript: commands that do not come, or keep others from coming.
func TestDoubtsOfScript(t *testing.T) {
	guest := Guest{Account: "ops", Default: "debian", Has: func(string) bool { return false }}
	ubuntu := Guest{Account: "ops", Default: "ubuntu", Has: guest.Has}

	const (
		ends   = "line 2: runcmd[0] ends all of it, since cloud-init runs the commands as one script: those behind it never run. Remove it"
		byKey  = "line 2: runcmd[0] has no effect, since a file of /etc/ssh/sshd_config.d comes before, with which login is by key only, as on every machine: remove it, and give the account ssh_authorized_keys"
		docker = "line 2: runcmd[0] finds no program docker, which the images do not have: add docker.io to packages"
		source = "line 2: apt.sources: source has what a shell fills in, and cloud-init fills in $RELEASE, $MIRROR and $KEY_FILE alone, so that apt finds nothing there: write $RELEASE for the release of the image"
		swap   = "line 2: runcmd[0] is gone at the guest's next boot, since cloud-init runs runcmd once: write it into swap, as {filename: /swap.img, size: 2G}, which makes the file, too"
	)

	doubtsAre(t, map[string]doubtCase{
		"Exit":         {reason: "canonical/cloud-init issue 7037: one script.", text: "runcmd: [exit 0, touch /a]", guest: guest, want: []string{ends}},
		"ExitLast":     {reason: "Nothing comes behind it.", text: "runcmd: [touch /a, exit 0]", guest: guest},
		"ExitOr":       {reason: "Somebody wants no more where one fails.", text: "runcmd: [test -f /a || exit 1, touch /b]", guest: guest},
		"Password":     {reason: "canonical/cloud-init issue 5934.", text: "runcmd: ['sed -i \"s/PasswordAuthentication no/PasswordAuthentication yes/\" /etc/ssh/sshd_config']", guest: guest, want: []string{byKey}},
		"PasswordOff":  {reason: "It is so already.", text: "runcmd: ['sed -i \"s/PasswordAuthentication yes/PasswordAuthentication no/\" /etc/ssh/sshd_config']", guest: guest},
		"PasswordDrop": {reason: "The file that counts.", text: "runcmd: ['sed -i \"s/no/PasswordAuthentication yes/\" /etc/ssh/sshd_config.d/50-cloud-init.conf']", guest: guest},
		"Docker":       {reason: "Guides take it for granted.", text: "runcmd: [docker run -d nginx]", guest: guest, want: []string{docker}},
		"DockerThere":  {reason: "runcmd comes after packages.", text: "packages: [docker.io]\nruncmd: [docker run -d nginx]", guest: guest},
		"DockerScript": {reason: "Docker's own.", text: "runcmd: [curl -fsSL https://get.docker.com | sh, docker compose up -d]", guest: ubuntu},
		"DockerOther":  {reason: "A word in a text.", text: "runcmd: [echo docker run]", guest: guest},
		"DockerImage":  {reason: "Nobody knows the image.", text: "runcmd: [docker run -d nginx]"},
		"Git":          {reason: "Debian's images have none.", text: "runcmd: [git clone https://g.lab/a /a]", guest: guest, want: []string{"line 2: runcmd[0] finds no program git, which the images do not have: add git to packages"}},
		"GitUbuntu":    {reason: "Ubuntu's have it.", text: "runcmd: [git clone https://g.lab/a /a]", guest: ubuntu},
		"UFW":          {reason: "So with Ubuntu's firewall.", text: "runcmd: [ufw allow 22/tcp]", guest: guest, want: []string{"line 2: runcmd[0] finds no program ufw, which the images do not have: add ufw to packages, or write what may connect into spec.firewall"}},
		"UFWUbuntu":    {reason: "Ubuntu's have it.", text: "runcmd: [ufw allow 22/tcp]", guest: ubuntu},
		"UFWThere":     {reason: "It is installed.", text: "packages: [ufw]\nruncmd: [ufw allow 22/tcp]", guest: guest},
		"Firewalld":    {reason: "That is Fedora's.", text: "runcmd: [firewall-cmd --reload]", guest: ubuntu, want: []string{"line 2: runcmd[0] finds no program firewall-cmd, which the images do not have: add firewalld to packages, or write what may connect into spec.firewall"}},
		"GitThere":     {reason: "It is installed.", text: "packages: [git]\nruncmd: [git clone https://g.lab/a /a]", guest: guest},
		"Swap":         {reason: "Nobody swaps there again.", text: "runcmd: [mkswap /swap.img && swapon /swap.img]", guest: guest, want: []string{swap}},
		"SwapKept":     {reason: "It is in the table.", text: "runcmd: [swapon /swap.img, 'echo /swap.img none swap sw 0 0 >> /etc/fstab']", guest: guest},
		"Source":       {reason: "As Docker's documentation has it for a shell.", text: "apt: {sources: {docker: {source: 'deb [signed-by=$KEY_FILE] https://d.lab $(lsb_release -cs) stable', keyid: A}}}", guest: guest, want: []string{source}},
		"SourceName":   {reason: "A KeyError of cloud-init.", text: "apt: {sources: {docker: {source: 'deb [signed-by=$KEY_FILE] https://d.lab ${VERSION_CODENAME} stable', keyid: A}}}", guest: guest, want: []string{source}},
		"SourceOwn":    {reason: "cloud-init's own.", text: "apt: {sources: {docker: {source: 'deb [signed-by=$KEY_FILE] $MIRROR ${RELEASE} stable', keyid: A}}}", guest: guest},
		"Home":         {reason: "useradd: invalid home directory.", text: "users: [{name: bob, homedir: bob}]", guest: guest, want: []string{"line 2: users[0].homedir must be an absolute path, such as /srv/app: useradd fails at it, and cloud-init makes no account from there on"}},
		"HomeThere":    {reason: "As cloud-init has it.", text: "users: [{name: bob, homedir: /srv/bob}]", guest: guest},
	})
}
