package cloudinit

import "testing"

// TestDoubtsOfDisks: disks that are not there, that somebody else formats, or that have data.
func TestDoubtsOfDisks(t *testing.T) {
	one := Guest{Disks: []Disk{{}}}
	two := Guest{Disks: []Disk{{}, {Name: "data", MountPath: "/srv"}, {Name: "raw"}}}

	const (
		lacks  = ": add one to spec.disks, whose filesystem and mountPath format and mount it"
		takes  = " is disk data, which the guest formats and mounts at /srv by itself, as spec.disks says: remove it"
		moves  = " can be another disk at another boot: " + letsFormat
		loses  = "overwrite: true loses what is on the disk whenever cloud-init takes the machine for a new one, as after a change of its instance id: remove overwrite"
		boots  = " is the boot disk, which the image has formatted: remove it, and add a disk to spec.disks for data"
		byID   = "/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_"
		writes = "writes over "
	)

	doubtsAre(t, map[string]doubtCase{
		"Missing":       {reason: "One more than there are.", text: "mounts:\n- [/dev/sdb1, /srv]", guest: one, want: []string{"line 3: mounts: the machine has no disk /dev/sdb1" + lacks}},
		"MissingShort":  {reason: "cloud-init takes names without the folder.", text: "fs_setup: [{device: vdb, filesystem: ext4}]", guest: one, want: []string{"line 2: fs_setup: the machine has no disk vdb" + lacks}},
		"MissingSetup":  {reason: "Its keys are disks.", text: "disk_setup: {/dev/sdb: {layout: true}, ephemeral0: {layout: true}}", guest: one, want: []string{"line 2: disk_setup: the machine has no disk /dev/sdb" + lacks}},
		"MissingDotted": {reason: "cloud-init's own form of a partition.", text: "fs_setup: [{device: ephemeral0.1}, {device: sdd.auto}]", guest: two, want: []string{"line 2: fs_setup: the machine has no disk sdd.auto" + lacks}},
		"MissingLink":   {reason: "Nobody knows what else a link leads to.", text: "mounts: [[" + byID + "drive-scsi9, /a], [" + byID + "other, /b], [/dev/disk/by-uuid/1, /c]]", guest: two},
		"Label":         {reason: "Nobody knows what has this label.", text: "mounts: [[LABEL=data, /srv], [\"nas:/srv\", /mnt/nas], [swap, none], []]", guest: one},
		"OfTemplate":    {reason: "A template may bring more.", text: "mounts: [[/dev/sdc, /srv]]", guest: Guest{}},
		"BootMount":     {reason: "It has it already.", text: "mounts: [[/dev/sda15, /boot/efi]]", guest: two},

		"Taken":       {reason: "Two would format it.", text: "fs_setup: [{device: /dev/sdb, filesystem: ext4}]", guest: two, want: []string{"line 2: fs_setup: /dev/sdb" + takes}},
		"TakenMount":  {reason: "Two would mount it.", text: "mounts:\n- [sdb1, /srv]", guest: two, want: []string{"line 3: mounts: sdb1" + takes}},
		"TakenSetup":  {reason: "The guest formats it without partitions.", text: "disk_setup:\n  /dev/sdb: {table_type: gpt, layout: true}", guest: two, want: []string{"line 3: disk_setup: /dev/sdb" + takes}},
		"TakenPlace":  {reason: "By the place on its controller.", text: "mounts: [[" + byID + "drive-scsi1-part1, /srv]]", guest: two, want: []string{"line 2: mounts: " + byID + "drive-scsi1-part1" + takes}},
		"TakenSerial": {reason: "By its serial number.", text: "mounts: [[" + byID + "data, /srv]]", guest: two, want: []string{"line 2: mounts: " + byID + "data" + takes}},
		"Letter":      {reason: "Proxmox has each disk on a controller of its own, and the guest finds them in any order.", text: "fs_setup: [{device: /dev/sdc, filesystem: xfs}]\nmounts: [[/dev/sdc, /var/lib/x]]", guest: two, want: []string{"line 2: fs_setup: /dev/sdc" + moves, "line 3: mounts: /dev/sdc" + moves}},
		"Link":        {reason: "It is always the same.", text: "fs_setup: [{device: " + byID + "drive-scsi2, filesystem: xfs, overwrite: false}]", guest: two},
		"Boot":        {reason: "The root file system is there.", text: "disk_setup: {sda: {layout: true}}\nfs_setup: [{device: /dev/sda1, filesystem: ext4}]", guest: two, want: []string{"line 2: disk_setup: sda" + boots, "line 3: fs_setup: /dev/sda1" + boots}},
		"Overwrite":   {reason: "The second instance id loses the data.", text: "fs_setup:\n- device: " + byID + "drive-scsi2\n  overwrite: yes", guest: two, want: []string{"line 4: fs_setup: " + loses}},
		"OverwriteOf": {reason: "The table, too; whatever disk it is.", text: "disk_setup: {LABEL=x: {overwrite: true}}", guest: Guest{}, want: []string{"line 2: disk_setup: " + loses}},

		"Writes":     {reason: "The guest has formatted it, or will.", text: "runcmd:\n- mkfs.ext4 /dev/sdb", guest: two, want: []string{"line 3: runcmd[0] " + writes + "/dev/sdb, disk data, which the guest formats and mounts at /srv by itself, as spec.disks says: remove it"}},
		"WritesLink": {reason: "The same disk.", text: "runcmd:\n- [wipefs, -a, " + byID + "drive-scsi1]", guest: two, want: []string{"line 3: runcmd[0] " + writes + byID + "drive-scsi1, disk data, which the guest formats and mounts at /srv by itself, as spec.disks says: remove it"}},
		"WritesEveryBoot": {reason: "Once is as bad.", text: "bootcmd:\n- [cloud-init-per, once, x, mkfs.ext4, /dev/sdb]\n- test -e /x || mkfs.ext4 /dev/sdb", guest: two, want: []string{
			"line 3: bootcmd[0] " + writes + "/dev/sdb, disk data, which the guest formats and mounts at /srv by itself, as spec.disks says: remove it",
			"line 4: bootcmd[1] " + writes + "/dev/sdb, disk data, which the guest formats and mounts at /srv by itself, as spec.disks says: remove it",
		}},
		"WritesBoot":   {reason: "Nothing is left.", text: "runcmd:\n- dd if=/dev/zero of=/dev/sda bs=1M count=10", guest: one, want: []string{"line 3: runcmd[0] " + writes + "/dev/sda, the boot disk: remove it"}},
		"WritesRoom":   {reason: "A partition more on the boot disk is what some want.", text: "runcmd:\n- sgdisk -e " + byID + "drive-scsi0", guest: one},
		"WritesRaw":    {reason: "The guest leaves it alone, and the link is right.", text: "runcmd:\n- mkfs.ext4 " + byID + "drive-scsi2", guest: two},
		"WritesLetter": {reason: "The letter is not.", text: "runcmd:\n- dd if=/x of=/dev/sdc", guest: two, want: []string{"line 3: runcmd[0] writes over a disk by a name that can be another disk's at another boot: " + letsFormat}},
		"Reads":        {reason: "Nothing is written.", text: "runcmd:\n- dd if=/dev/sdb of=/root/head count=1\n- lsblk /dev/sdb\n- dd if=/dev/zero of=/dev/null count=1\n- dd if=/dev/zero of=/swapfile bs=1M count=9", guest: two},
	})
}

// TestDoubtsOfLocks: apt-get that gives up while something else installs packages.
func TestDoubtsOfLocks(t *testing.T) {
	debian := Guest{Has: func(string) bool { return false }}

	const held = "may find dpkg locked by unattended-upgrades, and apt-get gives up at once then: add -o DPkg::Lock::Timeout=300, or name the packages in packages, where cloud-init waits"

	doubtsAre(t, map[string]doubtCase{
		"Beside":    {reason: "Packages may start it.", text: "packages: [curl]\nruncmd:\n- apt-get install -y nfs-common", guest: debian, want: []string{"line 4: runcmd[0] " + held}},
		"Upgrade":   {reason: "The same.", text: "package_upgrade: true\nruncmd:\n- DEBIAN_FRONTEND=noninteractive apt-get -y -o Dpkg::Options::=x dist-upgrade", guest: debian, want: []string{"line 4: runcmd[0] " + held}},
		"Started":   {reason: "It is started by name.", text: "runcmd:\n- systemctl start unattended-upgrades\n- [apt, -y, install, jq]", guest: debian, want: []string{"line 4: runcmd[1] " + held}},
		"Waits":     {reason: "As it should be.", text: "packages: [curl]\nruncmd:\n- apt-get -o DPkg::Lock::Timeout=300 install -y jq\n- until apt-get install -y jq; do sleep 5; done", guest: debian},
		"Alone":     {reason: "cloud-init ends before apt-daily begins.", text: "runcmd:\n- apt-get install -y jq", guest: debian},
		"NotAsked":  {reason: "Nothing is upgraded.", text: "package_upgrade: false\npackages: []\nruncmd:\n- apt-get install -y jq", guest: debian},
		"Lists":     {reason: "dpkg is not asked.", text: "packages: [curl]\nruncmd:\n- apt-get clean\n- apt list --installed\n- echo apt-get install", guest: debian},
		"Elsewhere": {reason: "Nobody knows the image's packages.", text: "packages: [curl]\nruncmd:\n- apt-get install -y jq", guest: Guest{}},
	})
}
