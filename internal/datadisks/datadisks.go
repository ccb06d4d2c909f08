// Package datadisks is what formats and mounts a machine's data disks in the guest: a constant script with its unit, and a table of
// the disks.
//
// cloud-init's fs_setup is not used: with "partition: none" it formats a disk whatever is on it, also with "overwrite: false", and with
// a number of a partition it formats one whose label or file system differs (cc_disk_setup.mkfs of cloud-init 22.4.2). Neither is
// systemd's x-systemd.makefs, which looks for file systems only, and not for partition tables.
package datadisks

import (
	_ "embed" // The scripts.
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TablePath is the path of the table of disks: a line "name filesystem path" for each.
const TablePath = "/etc/data-disks/table"

const (
	scriptPath = "/usr/local/sbin/data-disks"
	unit       = "data-disks.service"
	units      = "/etc/systemd/system/"
	root       = "root:root"
)

var (
	//go:embed scripts/data-disks.sh
	script string
	//go:embed scripts/data-disks.service
	service string
	//go:embed scripts/k3s.conf
	k3sDropIn string
)

// k3sUnits are the units that must not run without the disks.
func k3sUnits() []string {
	return []string{"k3s-bootstrap.service", "k3s.service", "k3s-agent.service"}
}

// Mounts are the disks that are formatted and mounted, as [machine.Machine.Mounts] orders them.
type Mounts []machine.Disk

// Files returns the table, the script and its unit; with k3s, also what keeps K3s from starting without the disks. Without disks
// there are none.
func (ms Mounts) Files(k3s bool) []cloudinit.File {
	if len(ms) == 0 {
		return nil
	}

	files := []cloudinit.File{
		{Path: TablePath, Permissions: "0644", Owner: root, Content: ms.table()},
		constant(scriptPath, "0755", script),
		constant(units+unit, "0644", service),
	}

	if k3s {
		for _, u := range k3sUnits() {
			files = append(files, constant(units+u+".d/10-data-disks.conf", "0644", k3sDropIn))
		}
	}

	return files
}

func constant(path, mode, content string) cloudinit.File {
	return cloudinit.File{Path: path, Permissions: mode, Owner: root, Content: content, Constant: true}
}

// table has no quoting, because a claim's names and paths have no white space.
func (ms Mounts) table() string {
	var b strings.Builder

	for _, m := range ms {
		b.WriteString(Line(m) + "\n")
	}

	return b.String()
}

// Line is a disk's line of the table.
func Line(d machine.Disk) string { return d.Name + " " + d.Filesystem + " " + d.MountPath }

// Parse reads a line of the table.
func Parse(line string) machine.Disk {
	var d machine.Disk
	if f := strings.Fields(line); len(f) == 3 {
		d.Name, d.Filesystem, d.MountPath = f[0], f[1], f[2]
	}

	return d
}

// Packages returns the packages that the script needs and that Debian's cloud images lack.
func (ms Mounts) Packages() []string {
	for _, m := range ms {
		if m.Filesystem == "xfs" {
			return []string{"xfsprogs"}
		}
	}

	return nil
}

// FirstCommands returns the commands that come before all others of the first boot, so that these find the disks mounted.
func (ms Mounts) FirstCommands() [][]string {
	if len(ms) == 0 {
		return nil
	}

	return [][]string{
		{"systemctl", "daemon-reload"},
		{"systemctl", "enable", unit},
		{"systemctl", "start", unit},
	}
}

// LastCommands returns the command with which the first boot ends, because its status becomes cloud-init's.
func (ms Mounts) LastCommands() [][]string {
	if len(ms) == 0 {
		return nil
	}

	return [][]string{{"systemctl", "is-active", "--quiet", unit}}
}

// Reserve adds the paths of the disks to those that the claim's own cloud-config may not write: cloud-init writes files before the
// disks are mounted.
func (ms Mounts) Reserve(rules cloudinit.Rules) cloudinit.Rules {
	if len(ms) == 0 {
		return rules
	}

	const advice = "set spec.disks[].filesystem and mountPath"

	rules.Reserved["/etc/data-disks/"] = advice

	for _, m := range ms {
		rules.Reserved[m.MountPath+"/"] = "disk " + m.Name + " is mounted there after cloud-init has written files; write it with runcmd"
	}

	return rules
}

// Owned says whether a file belongs to the disks; the table does, too.
func Owned(path string) bool {
	return slices.ContainsFunc(Mounts{{}}.Files(true), func(f cloudinit.File) bool { return f.Path == path })
}

// ByHand says how a person formats and mounts a disk in a guest without this package's script. The disk may be older than the claim, as that of an adopted VM
// is: what has a file system or a table of partitions is not formatted.
func ByHand(d machine.Disk) string {
	pass := "2"
	if d.Filesystem == "xfs" {
		pass = "0"
	}

	return "To use disk " + d.Name + ", run as root in the guest, with the device that lsblk -o PATH,SERIAL shows for " + d.Name + `: test -n "$(wipefs DEVICE)" || mkfs.` + d.Filesystem +
		" DEVICE, which formats an empty disk only; then: mkdir -p " + d.MountPath + ` && echo "UUID=$(blkid -s UUID -o value DEVICE) ` + d.MountPath + " " + d.Filesystem +
		" nofail,x-systemd.growfs 0 " + pass + `" >>/etc/fstab && mount ` + d.MountPath + "."
}

// Apply says how a person has the script of a guest format and mount another disk. line is its line of the table.
func Apply(line string) string {
	name, _, _ := strings.Cut(line, " ")

	return "To use disk " + name + ", run as root in the guest: echo '" + line + "' >>" + TablePath + "; then: systemctl restart " + unit + "."
}

// Correct says how a person changes what a guest does with a disk.
func Correct(line string) string {
	name, _, _ := strings.Cut(line, " ")

	return "The guest has disk " + name + " as it was: " + line + ". To change this, correct its lines in " + TablePath +
		" and /etc/fstab, and restart the guest."
}

// MaxLabel is the number of characters that the label of a file system can have.
func MaxLabel(filesystem string) int {
	if filesystem == "xfs" {
		return 12
	}

	return 16
}

// NixFileSystems returns the entries of fileSystems that a NixOS machine's flake needs for the disks, by their labels: the names in
// /dev/disk/by-id depend on the version of Proxmox VE.
func (ms Mounts) NixFileSystems() []string {
	var out []string

	for _, m := range ms {
		out = append(out, `fileSystems."`+m.MountPath+`" = { device = "/dev/disk/by-label/`+m.Name+`"; fsType = "`+m.Filesystem+
			`"; options = [ "nofail" "x-systemd.growfs" ]; };`)
	}

	return out
}
