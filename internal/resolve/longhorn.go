package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// signsOfLonghorn are words of those who have volumes over iSCSI on their nodes.
var signsOfLonghorn = []string{"longhorn", "open-iscsi", "iscsi_tcp", "iscsid"} //nolint:gochecknoglobals // A constant list.

// leavesVolumes warns of a node for Longhorn whose multipathd takes Longhorn's volumes for disks of its own, so that nobody can mount them: images of
// Ubuntu start it (https://longhorn.io/kb/troubleshooting-volume-with-multipath, longhorn/longhorn issue 1210). Who says anything of multipath knows it,
// and snippets that nobody reads here may.
func leavesVolumes(g *given, n *notes, m *machine.Machine, k *machine.K3s) {
	b := g.spec.Bootstrap
	data := strings.ToLower(b.UserData)

	installs := strings.Contains(data, "multipath-tools")
	knows := strings.Contains(data, "multipathd") || strings.Contains(data, "/multipath") || brings(b, "/etc/multipath.conf") || b.Snippets.VendorData != ""

	if knows || m.Boot.OS != machine.OSUbuntu && !installs || !usesLonghorn(data, m, k) {
		return
	}

	n.warn("spec.bootstrap.userData: multipathd of the image takes Longhorn's volumes for disks of its own, and nobody can mount them (\"already mounted or mount point busy\"): " +
		"write /etc/multipath.conf with the three lines `blacklist {`, `devnode \"^sd[a-z0-9]+\"` and `}`, and run `systemctl try-restart multipathd` in runcmd.")
}

// attachesVolumes warns of a node for Longhorn without the program with which a node attaches its volumes: images of Debian do not have it, and those of
// Ubuntu do (https://longhorn.io/docs/latest/deploy/install, Installation Requirements). Snippets that nobody reads here may install it.
func attachesVolumes(g *given, n *notes, m *machine.Machine, k *machine.K3s) {
	b := g.spec.Bootstrap
	data := strings.ToLower(b.UserData)

	if m.Boot.OS != machine.OSDebian || !m.Boot.CloudInit || strings.Contains(data, "iscsi") || b.Snippets.VendorData != "" || !usesLonghorn(data, m, k) {
		return
	}

	n.warn("spec.bootstrap.userData: Longhorn attaches volumes over iSCSI, and images of Debian have no iscsiadm: longhorn-manager ends (\"please make sure you have iscsiadm/open-iscsi installed on the host\"). " +
		"Write packages: [open-iscsi], and nfs-common beside it for volumes that several pods write (ReadWriteMany).")
}

// leavesFileSystems warns of a node for Rook all of whose data disks get a file system in the guest: Rook takes none that has one
// (https://rook.io/docs/rook/latest/Getting-Started/Prerequisites/prerequisites, Local Storage).
func leavesFileSystems(g *given, n *notes, m *machine.Machine) {
	if len(m.Disks) == 0 || !strings.Contains(g.spec.Bootstrap.UserData, "ceph.rook.io") {
		return
	}

	for _, d := range m.Disks {
		if d.MountPath == "" && d.Filesystem == "" {
			return
		}
	}

	n.warn("spec.disks: Rook takes no disk that has a file system, and the guest makes one on each of them: leave filesystem and mountPath out of those that are Rook's, so that ceph has one to store on.")
}

// usesLonghorn says whether a node's claim or cluster names Longhorn, or what it needs.
func usesLonghorn(userData string, m *machine.Machine, k *machine.K3s) bool {
	words := []string{userData}

	for _, d := range m.Disks {
		words = append(words, d.MountPath)
	}

	// Such as node.longhorn.io/create-default-disk.
	words = slices.AppendSeq(words, maps.Keys(k.Labels))

	for _, value := range k.Config {
		words = append(words, fmt.Sprint(value))
	}

	return slices.ContainsFunc(words, func(text string) bool {
		return slices.ContainsFunc(signsOfLonghorn, func(sign string) bool { return strings.Contains(strings.ToLower(text), sign) })
	})
}
