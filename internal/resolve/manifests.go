package resolve

import (
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// manifests warns of manifests in the claim's user-data that K3s does not deploy as they are written.
func manifests(g *given, n *notes, k *machine.K3s) {
	// A data-dir elsewhere has the folder, too.
	if _, elsewhere := k.Config["data-dir"]; elsewhere {
		return
	}

	files := g.userData().PlainFiles()

	for _, file := range slices.Sorted(maps.Keys(files)) {
		for _, doubt := range k3s.ManifestDoubts(file, files[file], k3s.Role(k.Role), k.Disable) {
			n.warn("spec.bootstrap.userData: %s: %s.", message.Excerpt(file), doubt)
		}
	}
}
