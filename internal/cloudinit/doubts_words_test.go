package cloudinit

import "testing"

// TestDoubtsOfTemplates: nobody fills in cloud-init's own variables.
func TestDoubtsOfTemplates(t *testing.T) {
	const stays = " has {{ }} with a variable of cloud-init, which stays as it is: user-data is rendered into a larger document, and is no template. Ask in runcmd instead, such as cloud-init query ds.meta_data"

	doubtsAre(t, map[string]doubtCase{
		"Command":  {reason: "As the documentation's examples have it.", text: "runcmd:\n- echo {{ v1.local_hostname }} > /etc/x", want: []string{"line 3: runcmd[0]" + stays}},
		"Pieces":   {reason: "The same in pieces.", text: "runcmd: [[echo, '{{ ds.meta_data.instance_id }}']]", want: []string{"line 2: runcmd[0]" + stays}},
		"Mount":    {reason: "Any other key.", text: "phone_home: {url: 'http://a.lab/{{v1.instance_id}}'}", want: []string{"line 2: phone_home.url" + stays}},
		"Query":    {reason: "cloud-init query fills in what it is given.", text: "runcmd: ['cloud-init query --format \"{{ v1.local_hostname }}\" > /etc/x']"},
		"Rendered": {reason: "A command fills in the file that another key writes.", text: "write_files: [{path: /etc/t, content: '{{ v1.local_hostname }}'}]\nruncmd: [[cloud-init, devel, render, /etc/t]]"},
		"QueryOf":  {reason: "The same of a format in a file.", text: "write_files: [{path: /etc/t, content: '{{ ds.meta_data.instance_id }}'}]\nruncmd: ['cloud-init query -f \"$(cat /etc/t)\"']"},
		"OtherV1":  {reason: "A v1 of another template.", text: "write_files: [{path: /etc/t, content: '{{ v1.replicas }} {{ds.name}}'}]"},
		"OtherOne": {reason: "Docker's.", text: "runcmd: [\"docker ps --format '{{.Names}}'\"]"},
	})
}

// TestDoubtsOfMirrors: apt reads none of its sources where one of them has no scheme.
func TestDoubtsOfMirrors(t *testing.T) {
	const none = "apt reads no source at all where one has an address without a scheme, and installs nothing: write http:// before it"

	doubtsAre(t, map[string]doubtCase{
		"Fine":     {reason: "As the documentation has it.", text: "apt: {primary: [{arches: [default], uri: 'http://a.lab/ubuntu', search: ['mirror+file:/etc/m']}], security: [{arches: [default], uri: 'file:/srv/apt'}]}"},
		"Mirror":   {reason: "A host and a path.", text: "apt: {primary: [{arches: [default], uri: a.lab/ubuntu}]}", want: []string{"line 2: apt.primary: " + none}},
		"Search":   {reason: "One of several.", text: "apt:\n  security:\n  - {arches: [default], search: ['http://a.lab/x', 'b.lab:3142/x']}", want: []string{"line 4: apt.security: " + none}},
		"Source":   {reason: "A line of sources.list.", text: "apt: {sources: {a: {source: 'deb [signed-by=$KEY_FILE arch=amd64] a.lab/x noble main', key: K}}}", want: []string{"line 2: apt.sources: " + none}},
		"Capitals": {reason: "A scheme is one in capitals, too.", text: "apt: {primary: [{arches: [default], uri: 'HTTP://a.lab/debian'}]}"},
		"Deb822":   {reason: "The newer form.", text: "apt: {sources: {a: {source: \"Types: deb\\nURIs: https://a.lab/x\\nSuites: noble\\nComponents: main\\nSigned-By: $KEY_FILE\", key: K}}}"},
		"Variable": {reason: "cloud-init's own words.", text: "apt: {sources: {a: {source: 'deb $MIRROR $RELEASE main'}, b: {source: 'ppa:a/b'}, c: {source: 'deb cdrom:[x]/ noble main', key: K}}}"},
	})
}

// TestDoubtsOfPacked: content that says to be packed, and is not.
func TestDoubtsOfPacked(t *testing.T) {
	const not = "line 2: write_files[0].content is not what gzip makes, as encoding says, and which no text can be: cloud-init gives up, and writes no further file. " +
		"Write encoding: gz+base64 for a packed file in base64, or leave encoding out"

	file := func(encoding, content string) string {
		return "write_files: [{path: /a, encoding: " + encoding + ", content: " + content + "}]"
	}

	doubtsAre(t, map[string]doubtCase{
		"Both":   {reason: "As the documentation has it.", text: file("gz+b64", "H4sIAAAAAAAAA0vMSy0GAAAA")},
		"Binary": {reason: "YAML's own base64.", text: file("gzip", "!!binary H4sIAAAAAAAAA0vMSy0GAAAA")},
		"Text":   {reason: "Base64 is a second packing.", text: file("gzip", "H4sIAAAAAAAAA0vMSy0GAAAA"), want: []string{not}},
		"Source": {reason: "What cloud-init fetches is not in the text.", text: "write_files: [{path: /a, encoding: gz, source: {uri: 'https://a.lab/x.gz'}}]"},
		"Empty":  {reason: "An empty file.", text: file("gz", "''")},
		"Plain":  {reason: "Base64 of a text.", text: file("gz+base64", "aGVsbG8="), want: []string{not}},
	})
}

// TestDoubtsOfDocumentedWords: words that cloud-init's modules do not know, and devices and programs that the guest does not have.
func TestDoubtsOfDocumentedWords(t *testing.T) {
	guest := Guest{Account: "ops", Default: "debian", Has: func(string) bool { return false }, Disks: []Disk{{}}}
	ubuntu := Guest{Account: "ops", Default: "ubuntu", Has: func(string) bool { return false }}

	const (
		grown = "line 2: growpart.devices has no device of the root file system, which stays as small as the image's, whatever spec.size.disk says: write devices: [/]"
		mode  = "line 2: power_state.mode must be reboot, poweroff or halt: cloud-init fails there, and the guest goes on"
		delay = "line 2: power_state.delay must be now, or minutes without a unit, such as +5: cloud-init fails there, and the guest goes on"
		zsh   = "line 2: users[0].shell: images of Debian and Ubuntu have no zsh, and nobody logs in to an account whose shell is not there: add zsh to packages"
	)

	running := Guest{StaysOn: true}

	doubtsAre(t, map[string]doubtCase{
		"Grown":        {reason: "The default, written out.", text: "growpart: {mode: auto, devices: ['/']}", guest: guest},
		"GrownPart":    {reason: "The same of this hypervisor.", text: "growpart: {devices: [/dev/sda1, /var]}", guest: guest},
		"GrownVirtio":  {reason: "Another bus: the machine's disks are on a SCSI controller.", text: "growpart: {devices: [/dev/vda1]}", guest: guest, want: []string{grown}},
		"GrownDisk":    {reason: "A disk is no partition.", text: "growpart: {devices: /dev/sda}", guest: guest, want: []string{grown}},
		"GrownBSD":     {reason: "FreeBSD's names.", text: "growpart: {devices: [/dev/gpt/rootfs]}", guest: guest},
		"GrownOff":     {reason: "One word about it is enough.", text: "growpart: {mode: 'off', devices: [/dev/sdb1]}", guest: guest, want: []string{"line 2: growpart leaves the root file system as small as the image's, whatever spec.size.disk says: remove it"}},
		"GrownUnknown": {reason: "Nobody knows the disks.", text: "growpart: {devices: [/dev/vda1]}"},

		"Power":        {reason: "As the documentation has it.", text: "power_state: {mode: reboot, delay: '+5', message: x}", guest: guest},
		"PowerNow":     {reason: "The default, written out.", text: "power_state: {mode: poweroff, delay: now}", guest: guest},
		"PowerOff":     {reason: "The claim starts it again.", text: "power_state: {mode: poweroff}", guest: running, want: []string{"line 2: power_state.mode: poweroff switches the guest off at the end of its first boot, and spec.power: Running has it started again, minutes later: write reboot, or spec.power: Unmanaged for a guest that is to stay off"}},
		"PowerHalt":    {reason: "Nobody starts it again.", text: "power_state: {mode: halt}", guest: running, want: []string{"line 2: power_state.mode: halt stops the guest at the end of its first boot, and Proxmox goes on running its VM, so that nobody starts it again: write reboot, or poweroff beside spec.power: Unmanaged for a guest that is to stay off"}},
		"PowerReboot":  {reason: "It comes back.", text: "power_state: {mode: reboot}", guest: running},
		"PowerWhen":    {reason: "A command decides it.", text: "power_state: {mode: poweroff, condition: test -e /run/a}", guest: running},
		"PowerNumber":  {reason: "Minutes.", text: "power_state: {mode: halt, delay: 5}", guest: guest},
		"PowerMode":    {reason: "A KeyError.", text: "power_state: {mode: restart}", guest: guest, want: []string{mode}},
		"PowerNoMode":  {reason: "There is no default.", text: "power_state: {delay: now}", guest: guest, want: []string{mode}},
		"PowerMinutes": {reason: "A TypeError: power_state[delay] must be 'now' or '+m'.", text: "power_state: {mode: reboot, delay: 5m}", guest: guest, want: []string{delay}},

		"Shell":        {reason: "Images have it.", text: "users: [{name: app, shell: /bin/bash}, {name: web, shell: /usr/sbin/nologin}]", guest: guest},
		"ShellZsh":     {reason: "canonical/cloud-init issue 3388.", text: "users: [{name: app, shell: /usr/bin/zsh}]", guest: guest, want: []string{zsh}},
		"ShellPackage": {reason: "It is installed.", text: "users: [{name: app, shell: /usr/bin/zsh}]\npackages: [zsh]", guest: guest},
		"ShellCommand": {reason: "It is installed, too.", text: "users: [{name: app, shell: /usr/bin/fish}]\nruncmd: [apt-get install -y fish]", guest: guest},
		"ShellVersion": {reason: "Of a version.", text: "users: [{name: app, shell: /bin/zsh}]\npackages: [zsh=5.9-4, {apt: [git]}]", guest: guest},
		"ShellBy":      {reason: "By the name of its manager.", text: "users: [{name: app, shell: /bin/zsh}]\npackages: [{apt: [zsh]}]", guest: guest},
		"ShellIn":      {reason: "tcsh has csh, too.", text: "users: [{name: app, shell: /bin/csh}]\npackages: [tcsh]", guest: guest},
		"Shell93":      {reason: "And ksh has ksh93.", text: "users: [{name: app, shell: /bin/ksh93}]\npackages: [ksh]", guest: guest},
		"ShellScript":  {reason: "A script installs it.", text: "users: [{name: app, shell: /bin/fish}]\nwrite_files: [{path: /s, content: apt-get install -y fish}]", guest: guest},
		"ShellOwn":     {reason: "No package puts it there.", text: "users: [{name: app, shell: /opt/fish/bin/fish}]", guest: guest},
		"ShellBSD":     {reason: "pw of FreeBSD looks for it.", text: "users: [{name: app, shell: tcsh}]"},
		"ShellUnknown": {reason: "Nobody knows the image.", text: "users: [{name: app, shell: /usr/bin/zsh}]"},
		"ShellName":    {reason: "useradd: invalid shell.", text: "users: [{name: app, shell: bash}]", guest: guest, want: []string{"line 2: users[0].shell must be a path: useradd fails, and cloud-init makes no account from there on. Write /bin/bash"}},

		"Snap":       {reason: "Ubuntu has it.", text: "snap: {commands: [snap install lxd]}", guest: ubuntu},
		"SnapEmpty":  {reason: "Nothing to run.", text: "snap: {commands: []}", guest: guest},
		"SnapBefore": {reason: "bootcmd comes before it.", text: "snap: {commands: [snap install lxd]}\nbootcmd: [apt-get update && apt-get install -y snapd]", guest: guest},
		"SnapDebian": {reason: "The module comes before packages.", text: "snap: {commands: [snap install lxd]}\npackages: [snapd]", guest: guest, want: []string{"line 2: snap finds no program snap, which images of Debian do not have, and comes before packages: write apt-get install -y snapd and the commands into runcmd, or take an image of Ubuntu"}},
	})
}
