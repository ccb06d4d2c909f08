package resolve

import (
	"maps"
	"net/netip"
	"path"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// manifestsFolder is where K3s takes manifests from: https://docs.k3s.io/installation/packaged-components.
const manifestsFolder = "/var/lib/rancher/k3s/server/manifests"

// announces warns of addresses that MetalLB or Cilium would give to a Service, by a manifest in the claim's user-data, although a host has them: both answer
// for them then, and the host is reached by chance only.
func (r clusterNode) announces(at *field.Path, c catalog.Cluster) {
	files := cloudinit.PlainFiles(r.g.spec.Bootstrap.UserData)

	for _, file := range slices.Sorted(maps.Keys(files)) {
		if path.Dir(path.Clean(file)) != manifestsFolder {
			continue
		}

		for _, a := range k3s.AnnouncedBy(files[file]) {
			for _, t := range r.addresses(at, c) {
				if address, err := netip.ParseAddr(t.value); err == nil && a.Contains(address.Unmap()) {
					r.n.warn("spec.bootstrap.userData: the %s in %s has %s, which is %s: a Service may get it, and two hosts answer then. Leave it out of the range %s-%s.",
						a.Kind, message.Excerpt(file), t.value, t.at, a.From, a.To)
				}
			}
		}
	}
}
