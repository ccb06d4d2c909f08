package resolve

import (
	"fmt"
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// ownRuntime says whether a node has another container runtime than that of K3s.
func ownRuntime(k *machine.K3s) bool {
	return k.Config["container-runtime-endpoint"] != nil || fmt.Sprint(k.Config["docker"]) == "true"
}

// manifests warns of manifests, and of files of containerd, in the claim's user-data that K3s does not take as they are written.
func manifests(g *given, n *notes, k *machine.K3s) {
	// A data-dir elsewhere has the folder, too.
	if _, elsewhere := k.Config["data-dir"]; elsewhere {
		return
	}

	files := g.userData().PlainFiles()

	for _, file := range slices.Sorted(maps.Keys(files)) {
		doubts := k3s.ManifestDoubts(file, files[file], k3s.Role(k.Role), k.Version, k.Disable)

		for _, doubt := range append(doubts, k3s.ContainerdDoubts(file, files, k.Version, ownRuntime(k))...) {
			n.warn("spec.bootstrap.userData: %s: %s.", message.Excerpt(file), doubt)
		}
	}
}
