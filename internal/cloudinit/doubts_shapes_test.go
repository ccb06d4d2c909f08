package cloudinit

import "testing"

// TestDoubtsOfShapes: forms that cloud-init does not take of a key, as its modules read them (releases 22.4 to 26.2).
func TestDoubtsOfShapes(t *testing.T) {
	guest := Guest{}

	const (
		swap   = "line 2: swap must be an object, with anything else there is no swap space: write swap: {filename: /swap.img, size: 2G}"
		mounts = " mounts must be a list of lists: cloud-init mounts nothing else, and what is written there gets onto the boot disk. " +
			"Write mounts: [[nas.lab:/srv, /srv, nfs, defaults]]; filesystem and mountPath of spec.disks mount a disk of the machine"
		sources = "cloud-init fails at it, and adds no source of packages: write sources: {docker: {source: deb ...}}"
		unread  = " must be a number with K, M, G or T, such as 2G, or bytes: cloud-init cannot read it, and there is no swap space"
		mode    = "line 2: growpart.mode must be auto, growpart, gpart or off: at another word cloud-init fails, and the boot disk stays as small as the image in the guest"
		client  = "line 2: ntp.ntp_client is none that cloud-init knows, so that it fails there and configures no time server: write auto, chrony, ntp, ntpdate, openntpd or systemd-timesyncd"
	)

	doubtsAre(t, map[string]doubtCase{
		"Swap":         {reason: "As the documentation has it.", text: "swap: {filename: /swap.img, size: 2G, maxsize: 2147483648}", guest: guest},
		"SwapAuto":     {reason: "Half of what the memory asks for.", text: "swap: {filename: /swap.img, size: auto, maxsize: 1.5G}", guest: guest},
		"SwapBytes":    {reason: "human2bytes takes a B behind the unit.", text: "swap: {size: 2GB}", guest: guest},
		"SwapText":     {reason: "canonical/cloud-init: input for swap config was not a dict.", text: "swap: 2G", guest: guest, want: []string{swap}},
		"SwapOff":      {reason: "No swap space is what they want.", text: "swap: false", guest: guest},
		"SwapNothing":  {reason: "Nothing is said.", text: "swap:", guest: guest},
		"SwapUnit":     {reason: "As Kubernetes has it.", text: "swap: {size: 2Gi, maxsize: 4gb}", guest: guest, want: []string{"line 2: swap.size" + unread, "line 2: swap.maxsize" + unread}},
		"SwapMegabyte": {reason: "2048 are bytes.", text: "swap: {size: 2048}", guest: guest, want: []string{"line 2: swap.size is 2048 bytes, which make no swap space: write it with a unit, as 2048M"}},
		"SwapZero":     {reason: "No swap space is what they want.", text: "swap: {size: 0}", guest: guest},
		"SwapFile":     {reason: "There is no folder to make.", text: "swap: {filename: swap.img, size: 1G}", guest: guest, want: []string{"line 2: swap.filename must be an absolute path, otherwise there is no swap space: write /swap.img"}},

		"Mounts":     {reason: "As the documentation has it.", text: "mounts: [[nas:/x, /srv], [swap, null]]", guest: guest},
		"MountsFlat": {reason: "One mount, without its own brackets.", text: "mounts: [/dev/vdb, /srv, ext4]", guest: guest, want: []string{"line 2:" + mounts}},
		"MountsText": {reason: "As fstab has it; one word on all of them.", text: "mounts:\n  - [nas:/x, /srv]\n  - nas:/y /var/y nfs\n  - nas:/z /var/z nfs", guest: guest, want: []string{"line 4:" + mounts}},
		"MountsMap":  {reason: "As other tools have it.", text: "mounts: {/srv: /dev/vdb}", guest: guest, want: []string{"line 2:" + mounts}},

		"Sources":     {reason: "As the documentation has it.", text: "apt: {sources: {d: {source: 'deb [signed-by=$KEY_FILE] http://a.lab x y', key: K}}}", guest: guest},
		"SourcesNone": {reason: "Nothing is said.", text: "apt: {sources: }", guest: guest},
		"SourcesText": {reason: "A TypeError in add_apt_sources.", text: "apt: {sources: {d: deb http://a.lab x y}}", guest: guest, want: []string{"line 2: apt.sources: each source must be an object: " + sources}},
		"SourcesList": {reason: "As version 1 of the key had it.", text: "apt: {sources: [{source: deb http://a.lab x y}]}", guest: guest, want: []string{"line 2: apt.sources must be an object with a name for each source: " + sources}},

		"Growing": {reason: "cloud-init makes a list of one text.", text: "growpart: {mode: auto, devices: /}", guest: guest},
		"GrowingOff": {reason: "It is switched off, of which there is a warning of its own.", text: "growpart: {mode: off}", guest: guest, want: []string{
			"line 2: growpart leaves the root file system as small as the image's, whatever spec.size.disk says: remove it",
		}},
		"GrowingNot":  {reason: "cloud-init grows nothing, as they want it.", text: "growpart: false", guest: guest},
		"GrowingWord": {reason: "A ValueError in resizer_factory.", text: "growpart: {mode: growpartt}", guest: guest, want: []string{mode}},
		"GrowingText": {reason: "'growpart' in config was not a dict.", text: "growpart: auto", guest: guest, want: []string{
			"line 2: growpart must be an object, with anything else the boot disk stays as small as the image in the guest: write growpart: {mode: auto, devices: [/]}",
		}},

		"Client":      {reason: "One that it knows.", text: "ntp: {ntp_client: chrony, servers: [a.lab]}", guest: guest},
		"ClientOwn":   {reason: "The document says what it is.", text: "ntp: {ntp_client: mine, config: {confpath: /etc/mine}}", guest: guest},
		"ClientOther": {reason: "The daemon's name.", text: "ntp: {ntp_client: chronyd}", guest: guest, want: []string{client}},

		"Keyboard":      {reason: "As the documentation has it.", text: "keyboard: {layout: de}", guest: guest},
		"KeyboardText":  {reason: "A text has no layout.", text: "keyboard: de", guest: guest, want: []string{"line 2: keyboard must be an object, with anything else cloud-init fails there: write keyboard: {layout: de}"}},
		"KeyboardModel": {reason: "A KeyError.", text: "keyboard: {model: pc105}", guest: guest, want: []string{"line 2: keyboard has no layout, without which cloud-init fails there: write keyboard: {layout: de}"}},

		"Wireguard": {reason: "Its schema has an object only.", text: "wireguard: [wg0]", guest: guest, want: []string{"line 2: wireguard must be an object, with anything else cloud-init does nothing there"}},
	})
}

// TestDoubtsOfNumbers: accounts that useradd does not make, after which cloud-init makes no other one.
func TestDoubtsOfNumbers(t *testing.T) {
	guest := Guest{Account: "ops", Default: "debian", Has: func(name string) bool { return name == "www-data" || name == "sys" }}

	const fails = ", which is there before: useradd fails, and cloud-init makes no account from there on. Write another one, such as "

	doubtsAre(t, map[string]doubtCase{
		"Free":      {reason: "The machine's own account has 1000.", text: "users: [{name: app, uid: 1001}, {name: web, uid: 3000, primary_group: web}]", guest: guest},
		"Admin":     {reason: "bagisto/bagisto-docker issue 36, and many others: UID 1000 is not unique.", text: "users: [{name: app, uid: 1000}]", guest: guest, want: []string{"line 2: users[0].uid: 1000 is that of spec.bootstrap.adminUser" + fails + "1001"}},
		"Text":      {reason: "As a text.", text: "users: [{name: app, uid: \"1000\"}]", guest: guest, want: []string{"line 2: users[0].uid: 1000 is that of spec.bootstrap.adminUser" + fails + "1001"}},
		"Twice":     {reason: "Two of them.", text: "users: [{name: app, uid: 1500}, {name: web, uid: 1500}]", guest: guest, want: []string{"line 2: users[1].uid: 1500 is that of users[0]" + fails + "1501"}},
		"Given":     {reason: "useradd gives 1001 to the first one.", text: "users: [app, {name: web, uid: 1001}]", guest: guest, want: []string{"line 2: users[1].uid: 1001 is that of users[0]" + fails + "1002"}},
		"System":    {reason: "A system account gets a number below 1000.", text: "users: [{name: app, system: true}, {name: web, uid: 1001}]", guest: guest},
		"Image":     {reason: "The image's own.", text: "users: [{name: app, uid: 33}]", guest: guest, want: []string{"line 2: users[0].uid: 33 is that of www-data in the image" + fails + "1001"}},
		"Exists":    {reason: "cloud-init leaves an account that exists as it is.", text: "users: [{name: www-data, uid: 33}]", guest: guest},
		"NoNumber":  {reason: "useradd takes a number.", text: "users: [{name: app, uid: app}]", guest: guest, want: []string{"line 2: users[0].uid must be a number: useradd fails at it, and cloud-init makes no account from there on"}},
		"Unknown":   {reason: "Nobody knows the image's accounts.", text: "users: [{name: app, uid: 1000}]", guest: Guest{Account: "ops"}},
		"Groups":    {reason: "cloud-init makes a group that is not there.", text: "users: [{name: app, groups: docker}, {name: web, groups: 'sudo, docker'}, {name: db, groups: [sudo]}]", guest: guest},
		"GroupsOne": {reason: "One group with a blank in its name.", text: "users: [{name: app, groups: sudo docker}]", guest: guest, want: []string{"line 2: users[0].groups has a blank in the name of a group: useradd fails, and cloud-init makes no account from there on. Write [sudo, docker]"}},

		"Members":      {reason: "As the documentation has it, of accounts that the image has.", text: "groups: [{admingroup: [root, sys]}, media]", guest: guest},
		"MembersAdmin": {reason: "groups come before users.", text: "groups: [{docker: [ops]}]", guest: guest, want: []string{"line 2: groups: ops does not become a member of docker, since cloud-init makes groups before accounts: add [usermod, -aG, docker, ops] to runcmd"}},
		"MembersUser":  {reason: "The same in another form.", text: "groups: {docker: app}\nusers: [{name: app}]", guest: guest, want: []string{"line 2: groups: app does not become a member of docker, since cloud-init makes groups before accounts: write groups: [docker] at the account in users"}},
		"MembersNone":  {reason: "Nobody makes it.", text: "groups: [{docker: [app]}]", guest: guest, want: []string{"line 2: groups: the machine has no account app: make it in users, with groups: [docker]"}},
	})
}

// TestDoubtsOfTakenNames: accounts whose name is an account's or a group's already. useradd says "group sudo exists", and cloud-init ends there.
func TestDoubtsOfTakenNames(t *testing.T) {
	guest := Guest{
		Account: "ops", Default: "debian",
		Has: func(name string) bool { return name == "backup" || name == "www-data" }, HasGroup: func(name string) bool { return name == "sudo" },
	}
	system := func(i, name string) string {
		return "line 2: users[" + i + "]: the image has a system account " + name + ", which cloud-init leaves as it is, so nobody can log in to it: choose another name"
	}
	group := func(line, i, whose, name string) string {
		return "line " + line + ": users[" + i + "]: " + whose + ", so useradd makes no account of that name, and cloud-init none from there on: write {name: " + name + ", primary_group: " + name + "}"
	}

	doubtsAre(t, map[string]doubtCase{
		"Free":      {reason: "Nobody has the names.", text: "users: [default, app, {name: web, groups: [sudo, docker]}, {name: root}]", guest: guest},
		"System":    {reason: "In each form of an entry.", text: "users: [backup, {name: www-data}]", guest: guest, want: []string{system("0", "backup"), system("1", "www-data")}},
		"Together":  {reason: "cloud-init splits a text at commas.", text: "users: ['app, backup']", guest: guest, want: []string{system("0", "backup")}},
		"Group":     {reason: "useradd: group sudo exists.", text: "users: [{name: sudo}]", guest: guest, want: []string{group("2", "0", "the image has a group sudo", "sudo")}},
		"GroupSaid": {reason: "The account is to be in the group.", text: "users: [{name: sudo, primary_group: sudo}, {name: docker, groups: docker, no_user_group: true}]", guest: guest},
		"Own":       {reason: "cloud-init makes the groups of an account before it.", text: "users: [{name: docker, groups: [docker]}]", guest: guest, want: []string{group("2", "0", "cloud-init makes the group docker before", "docker")}},
		"First": {
			reason: "groups come before users, and the first account before the second.", text: "groups: [media, {app: [root]}]\nusers: [{name: app}, {name: web, primary_group: db}, db]", guest: guest,
			want: []string{group("3", "0", "cloud-init makes the group app before", "app"), group("3", "2", "cloud-init makes the group db before", "db")},
		},
		"Unknown": {reason: "Nobody knows the image's accounts.", text: "users: [backup, sudo]", guest: Guest{Account: "ops"}},
	})
}
