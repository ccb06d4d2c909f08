package render

import (
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// moved are the snippets that the VM's node lacks: the VM was moved there, or is to be. Most datastores of snippets are a
// node's own, and a VM whose snippets are not on its node does not start again once it was stopped. On a datastore that all
// nodes share this writes the same bytes once more.
func (d describer) moved(files map[string]proxmox.File) map[string]proxmox.File {
	out := map[string]proxmox.File{}

	if !d.living {
		return out
	}

	for _, node := range d.nodes() {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			f := files[name]
			id := f.Spec.ForProvider.VolumeID()

			if !uses(*d.vm, id) || has(files, node, id) || has(out, node, id) {
				continue
			}

			f.Spec.ForProvider.NodeName = node
			prefix := metaDataPrefix

			switch i := d.vm.Spec.ForProvider.Initialization[0]; id {
			case i.UserDataFileID:
				prefix = userDataPrefix
			case i.VendorDataFileID:
				prefix = vendorDataPrefix
			}

			out[prefix+d.r.Machine.Identity.Hash(id, node)] = f
		}
	}

	return out
}

// nodes are those on which the VM needs its snippets: where it is, and where it is to go.
func (d describer) nodes() []string {
	out := []string{change.AsMade(*d.vm).NodeName}

	if to := d.r.Machine.Placement.Node; d.r.Machine.Placement.Migrate && to != out[0] {
		out = append(out, to)
	}

	return out
}

// mayMigrate says whether a VM that is to move can: its snippets have to be where it goes, also those that are lost and written
// again.
func (d describer) mayMigrate(files map[string]proxmox.File) bool {
	p := d.r.Machine.Placement
	if !p.Migrate || !d.living {
		return false
	}

	for _, f := range files {
		id := f.Spec.ForProvider.VolumeID()
		if uses(*d.vm, id) && !there(d.r.Observed.Files, p.Node, id) {
			return false
		}
	}

	return true
}

func has(files map[string]proxmox.File, node, id string) bool {
	for _, f := range files {
		if f.Spec.ForProvider.NodeName == node && f.Spec.ForProvider.VolumeID() == id {
			return true
		}
	}

	return false
}

func there(files map[string]proxmox.ObservedFile, node, id string) bool {
	for _, f := range files {
		if f.Spec.ForProvider.NodeName == node && f.Spec.ForProvider.VolumeID() == id && f.Found() {
			return true
		}
	}

	return false
}
