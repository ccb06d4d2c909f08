package resolve

import (
	"net/netip"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// A typed address, and the field that has it.
type typed struct {
	value string
	at    *field.Path
}

// fitsEndpoint refuses an endpoint that is no other host's address: on each node it would be that node itself, or nobody. Without a port, K3s asks for
// 443, where a load balancer may listen and K3s does not.
func fitsEndpoint(n *notes, endpoint typed, nics []machine.NIC) {
	u, err := url.Parse(endpoint.value)
	if err != nil || u.Hostname() == "" {
		return // Package k3s says what it must be.
	}

	host := strings.ToLower(u.Hostname())
	address, err := netip.ParseAddr(host)
	edge := edgeAt(nics, address)

	switch {
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		n.add(field.Invalid(endpoint.at, message.Excerpt(endpoint.value), "is each node itself: name the host by which all nodes reach the servers"))
	case err == nil && validate.IsNobodys(address):
		n.add(field.Invalid(endpoint.at, message.Excerpt(endpoint.value),
			"must be the address of a host that all nodes reach, not a loopback, link-local, multicast or reserved address"))
	case edge != "":
		n.add(field.Invalid(endpoint.at, message.Excerpt(endpoint.value), edge+": no host can have it"))
	case u.Port() == "":
		n.warn("%s: %s has no port, so nodes join at 443, where K3s does not listen: unless a load balancer does, write https://%s:6443.",
			endpoint.at, message.Excerpt(endpoint.value), message.Excerpt(u.Host))
	}
}

// The least that K3s needs, by its documentation (https://docs.k3s.io/installation/requirements, Hardware): a server two cores and 2 GiB, an agent 512 MiB.
const (
	serverCores     = 2
	serverMemoryMiB = 2048
	agentMemoryMiB  = 512
)

// fitsSize warns of a node that is smaller than K3s needs. A server that is short of memory loses its etcd to the kernel, long after it was Ready.
func fitsSize(n *notes, m *machine.Machine, k *machine.K3s) {
	switch {
	case k.Role == v1alpha1.K3sServer && m.MemoryMiB > 0 && m.MemoryMiB < serverMemoryMiB:
		n.warn("spec.size.memory: %dMi is less than the 2Gi that a K3s server needs: its etcd is killed under load.", m.MemoryMiB)
	case k.Role == v1alpha1.K3sServer && m.Cores > 0 && m.Cores < serverCores:
		n.warn("spec.size.cores: %d is less than the 2 cores that a K3s server needs: its etcd loses its leader under load.", m.Cores)
	case m.MemoryMiB > 0 && m.MemoryMiB < agentMemoryMiB:
		n.warn("spec.size.memory: %dMi is less than the 512Mi that a K3s agent needs, before any pod.", m.MemoryMiB)
	}
}

// hostsK3s checks that cloud-init can install K3s on the machine.
func hostsK3s(g *given, n *notes, m *machine.Machine) {
	at := g.at.Child("image")
	b := m.Boot

	switch {
	case b.Source == "":
	case b.OS == machine.OSNixOS:
		n.add(field.Invalid(at, message.Excerpt(b.Image), "a NixOS machine configures K3s in its flake: use a Machine with nix.flakeRef"))
	case b.OS == machine.OSWindows || b.OS == machine.OSOther:
		n.add(field.Invalid(at, message.Excerpt(b.Image), "K3s needs a Linux image with cloud-init: name an image with os: debian, ubuntu or linux"))
	case !b.CloudInit:
		n.add(field.Invalid(at, message.Excerpt(b.Image), "K3s needs an image that reads cloud-init data"))
	}

	if len(m.Hostname) > k3s.MaxNodeName {
		n.add(field.Invalid(g.at.Child("hostname"), message.Excerpt(m.Hostname), "must be at most 63 characters long, because it is the name of a Kubernetes node"))
	}
}
