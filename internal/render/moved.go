package render

import (
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// moved are the snippets that the VM's node lacks: the VM was moved there, or is to be. Most datastores of snippets are a
// node's own, and a VM whose snippets are not on its node does not start again once it was stopped. On a datastore that all
// nodes share this writes the same bytes once more.
func (w *work) moved(files map[string]proxmox.File) map[string]proxmox.File {
	out := map[string]proxmox.File{}

	if !w.made {
		return out
	}

	for _, node := range w.nodes() {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			f := files[name]
			id := f.Spec.ForProvider.VolumeID()

			if !uses(w.vm, id) || has(files, node, id) || has(out, node, id) {
				continue
			}

			f.Spec.ForProvider.NodeName = node
			prefix := metaDataPrefix

			if id == w.vm.Spec.ForProvider.Initialization[0].UserDataFileID {
				prefix = userDataPrefix
			}

			out[prefix+w.Machine.Identity.Hash(id, node)] = f
		}
	}

	return out
}

// nodes are those on which the VM needs its snippets: where it is, and where it is to go.
func (w *work) nodes() []string {
	out := []string{asMade(w.vm).NodeName}

	if to := w.Machine.Placement.Node; w.Machine.Placement.Migrate && to != out[0] {
		out = append(out, to)
	}

	return out
}

// mayMigrate says whether a VM that is to move can: its snippets have to be where it goes.
func (w *work) mayMigrate() bool {
	p := w.Machine.Placement
	if !p.Migrate || !w.made {
		return false
	}

	for _, f := range w.State.Files {
		id := f.Spec.ForProvider.VolumeID()
		if uses(w.vm, id) && !there(w.State.Files, p.Node, id) {
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
