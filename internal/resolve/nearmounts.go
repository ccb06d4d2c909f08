package resolve

import (
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// nearMounts warns of folders of K3s that are on the boot disk for a typing error in the mount path of a data disk: a replacement of the VM throws away what is
// on the boot disk.
func nearMounts(where func(key string) *field.Path, n *notes, disks []machine.Disk, k *machine.K3s) {
	for _, key := range []string{"data-dir", "default-local-storage-path", "etcd-snapshot-dir"} {
		folder, _ := k.Config[key].(string)
		if d, near := nearMount(disks, folder); near {
			n.warn("%s: %s is on the boot disk, and a replacement of the VM throws away what is there; did you mean %s, where disk %s is mounted?",
				where(key), message.Excerpt(folder), message.Excerpt(d.MountPath), message.Excerpt(d.Name))
		}
	}
}

// nearMount is the disk whose mount path a folder misses by a typing error.
func nearMount(disks []machine.Disk, folder string) (machine.Disk, bool) {
	onDisk := func(d machine.Disk) bool { return d.MountPath != "" && strings.HasPrefix(folder+"/", d.MountPath+"/") }
	if !path.IsAbs(folder) || slices.ContainsFunc(disks, onDisk) {
		return machine.Disk{}, false
	}

	parts := strings.Split(path.Clean(folder), "/")

	for _, d := range disks {
		deep := strings.Count(d.MountPath, "/") + 1
		if d.MountPath == "" || len(parts) < deep {
			continue
		}

		if typed := strings.Join(parts[:deep], "/"); message.Meant(typed, []string{d.MountPath}) != "" {
			return d, true
		}
	}

	return machine.Disk{}, false
}
