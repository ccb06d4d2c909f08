package resolve

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// fitsKernel warns of a new node whose image is older than what K3s needs of a kernel, as far as the name of its file tells. User-data may change the kernel,
// or its command line.
func fitsKernel(where func(key string) *field.Path, g *given, n *notes, m *machine.Machine, k *machine.K3s) {
	image := catalog.Image{}
	image.Volume = m.Boot.Volume

	if m.Boot.Download != nil {
		image.URL = m.Boot.Download.URL
	}

	data := g.spec.Bootstrap.UserData

	if k3s.NeedsCgroups2(k.Config, k.Version) && image.FirstCgroups() && !strings.Contains(data, "cgroup") {
		n.warn("Image %s: its processes are in cgroups of version 1, with which the kubelet does not start since v1.35 (\"kubelet is configured to not run on a host using cgroup v1\"). "+
			"Take a later release of the image, such as Ubuntu 24.04, Debian 13 or Rocky Linux 9, or set kubelet-arg: [fail-cgroupv1=false] in spec.k3s.config.", message.Excerpt(m.Boot.Image))
	}

	if k3s.UsesNFTables(k.Config) && image.OldKernel() && !strings.Contains(data, "linux-image") {
		n.warn("%s: proxy-mode=nftables needs Linux 5.13, and the kernel of image %s is older: Services have no rules. Leave it out, or take a later release of the image.",
			where("kube-proxy-arg"), message.Excerpt(m.Boot.Image))
	}
}
