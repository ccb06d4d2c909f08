package cloudinit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Disk of a machine as its claim has it. The first one of a [Guest] is the boot disk.
type Disk struct {
	Name string // Empty for the boot disk.
	// MountPath is where the guest mounts the disk by itself, which formats it before if it is empty; empty where the guest leaves the disk alone.
	MountPath string
}

// Patterns of how a cloud-config names a disk.
var (
	// A device is a disk by its letter, with a partition or none. The boot disk is the first one. Proxmox has the machine's disks on a SCSI controller.
	device = regexp.MustCompile(`^(?:/dev/)?(sd|vd|xvd|nvme)([a-z]|[0-9]+n[0-9]+)(?:p?[0-9]+|\.[a-z0-9]+)?$`)
	// A link names the same disk at each boot: by its place on the controller, or by its serial number, which is the disk's name in the claim.
	link = regexp.MustCompile(`^/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_(?:drive-scsi([0-9]+)|([a-z0-9][a-z0-9-]*?))(?:-part[0-9]+)?$`)
	// A deviceWord is what names a disk in a command.
	deviceWord = regexp.MustCompile(`/dev/(?:disk/by-id/[\w.:-]+|[a-z]+[0-9]*(?:n[0-9]+)?(?:p[0-9]+)?)`)
	// A wholeDisk is a disk without a partition.
	wholeDisk = regexp.MustCompile(`^/dev/(?:[sv]d[a-z]|disk/by-id/scsi-0QEMU_QEMU_HARDDISK_drive-scsi[0-9]+)$`)
)

// A naming is how a name leads to a disk.
type naming string

const (
	namingLetter naming = "Letter" // Whichever disk the guest found in this order: another one at another boot.
	namingLink   naming = "Link"
)

// diskOf is the disk of the machine that a name leads to, by its place among them. ok is false for what is no disk of the machine, and for a name that
// nobody can follow.
func (g Guest) diskOf(name string) (place int, by naming, ok bool) {
	if parts := device.FindStringSubmatch(name); parts != nil {
		place = int(parts[2][0] - 'a')
		return place, namingLetter, parts[1] == "sd" && place < len(g.Disks)
	}

	parts := link.FindStringSubmatch(name)

	switch {
	case parts == nil:
		return 0, "", false
	case parts[1] != "":
		place, err := strconv.Atoi(parts[1])
		return place, namingLink, err == nil && place < len(g.Disks)
	}

	place = slices.IndexFunc(g.Disks, func(d Disk) bool { return d.Name != "" && d.Name == parts[2] })

	return place, namingLink, place >= 0
}

const letsFormat = "let filesystem and mountPath of spec.disks format a disk, which leaves one with data as it is"

// doubtsOfDisks are about disks that the machine does not have, so that cloud-init mounts nothing and what is written there gets onto the boot disk; about
// those that somebody else formats; and about data that cloud-init would write over.
func (g Guest) doubtsOfDisks(key string, value *yaml.Node) []Doubt {
	var out []Doubt

	for _, n := range devicesOf(key, value) {
		if len(g.Disks) == 0 {
			break
		}

		if why := g.doubtOfDevice(key, n); why != "" {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: %s: %s", n.Line, key, why)})
		}
	}

	return append(out, overwrites(key, value)...)
}

// doubtOfDevice says what is wrong about a disk that a key names; empty for nothing.
func (g Guest) doubtOfDevice(key string, n *yaml.Node) string {
	place, by, has := g.diskOf(n.Value)

	switch {
	case !has && device.MatchString(n.Value):
		return fmt.Sprintf("the machine has no disk %s: add one to spec.disks, whose filesystem and mountPath format and mount it", n.Value)
	case !has:
		return ""
	case place == 0 && key != "mounts":
		return fmt.Sprintf("%s is the boot disk, which the image has formatted: remove it, and add a disk to spec.disks for data", n.Value)
	case place == 0:
		return ""
	case g.Disks[place].MountPath != "":
		return fmt.Sprintf("%s is disk %s, which the guest formats and mounts at %s by itself, as spec.disks says: remove it", n.Value, g.Disks[place].Name, g.Disks[place].MountPath)
	case by == namingLetter:
		return fmt.Sprintf("%s can be another disk at another boot: %s", n.Value, letsFormat)
	}

	return ""
}

// overwrites are file systems and partition tables that cloud-init makes anew whenever it takes the machine for a new one.
func overwrites(key string, value *yaml.Node) []Doubt {
	if key == "mounts" {
		return nil
	}

	entries := items(value)
	if key == "disk_setup" && value.Kind == yaml.MappingNode {
		for i := 1; i < len(value.Content); i += 2 {
			entries = append(entries, value.Content[i])
		}
	}

	var out []Doubt

	for _, entry := range entries {
		if said := lookup(entry, "overwrite"); said != nil && isTrue(said) {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: %s: overwrite: true loses what is on the disk whenever cloud-init takes the machine for a new one, "+
				"as after a change of its instance id: remove overwrite", said.Line, key)})
		}
	}

	return out
}

// doubtOfWriting says what is wrong about a command that writes over a disk of the machine; empty for nothing, and where nobody knows the disk.
func (g Guest) doubtOfWriting(text string) string {
	if !formats.MatchString(text) {
		return ""
	}

	for _, name := range deviceWord.FindAllString(text, -1) {
		place, _, has := g.diskOf(name)

		switch {
		case !has:
		case place == 0 && wholeDisk.MatchString(name) && erases.MatchString(text):
			return fmt.Sprintf("writes over %s, the boot disk: remove it", name)
		case place > 0 && g.Disks[place].MountPath != "":
			return fmt.Sprintf("writes over %s, disk %s, which the guest formats and mounts at %s by itself, as spec.disks says: remove it", name, g.Disks[place].Name, g.Disks[place].MountPath)
		}
	}

	return ""
}

// devicesOf are the nodes that name a disk.
func devicesOf(key string, value *yaml.Node) []*yaml.Node {
	var out []*yaml.Node

	if key == "disk_setup" && value.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(value.Content); i += 2 {
			out = append(out, value.Content[i])
		}

		return out
	}

	for _, item := range items(value) {
		switch n := lookup(item, "device"); {
		case key == "fs_setup" && n != nil:
			out = append(out, n)
		case key == "mounts" && len(items(item)) > 0:
			out = append(out, items(item)[0])
		}
	}

	return out
}

// locks are the doubts about commands that end at once while another program installs packages.
func locks(text string, root *yaml.Node) string {
	if !installsPackages.MatchString(text) || waits.MatchString(text) || !upgradesItself(root) {
		return ""
	}

	return "may find dpkg locked by unattended-upgrades, and apt-get gives up at once then: add -o DPkg::Lock::Timeout=300, or name the packages in packages, where cloud-init waits"
}

// upgradesItself says whether a document starts unattended-upgrades, or installs packages, which may.
func upgradesItself(root *yaml.Node) bool {
	for _, key := range []string{"packages", "package_upgrade", "apt_upgrade"} {
		if n := lookup(root, key); n != nil && (len(n.Content) > 0 || isTrue(n)) {
			return true
		}
	}

	return slices.ContainsFunc(items(lookup(root, "runcmd")), func(item *yaml.Node) bool { return strings.Contains(commandText(item), "unattended-upgrade") })
}
