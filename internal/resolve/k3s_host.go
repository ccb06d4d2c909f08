package resolve

import (
	"net/netip"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// fitsEndpoint refuses an endpoint that is no other host's address: on each node it would be that node itself, or nobody. Without a port, K3s asks for
// 443, where a load balancer may listen and K3s does not.
func fitsEndpoint(r clusterNode, at *field.Path, c catalog.Cluster) {
	endpoint := r.endpoint(at, c)

	u, err := url.Parse(endpoint.value)
	if err != nil || u.Hostname() == "" {
		return // Package k3s says what it must be.
	}

	host := strings.ToLower(u.Hostname())
	address, err := netip.ParseAddr(host)
	edge := edgeAt(r.resolver, address)

	switch {
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		r.add(field.Invalid(endpoint.at, message.Excerpt(endpoint.value), "is each node itself: name the host by which all nodes reach the servers"))
	case err == nil && validate.IsNobodys(address):
		r.add(field.Invalid(endpoint.at, message.Excerpt(endpoint.value),
			"must be the address of a host that all nodes reach, not a loopback, link-local, multicast or reserved address"))
	case edge != "":
		r.add(field.Invalid(endpoint.at, message.Excerpt(endpoint.value), edge+": no host can have it"))
	case u.Port() == "":
		r.warn("%s: %s has no port, so nodes join at 443, where K3s does not listen: unless a load balancer does, write https://%s:6443.",
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
func fitsSize(r clusterNode, k *machine.K3s) {
	m := r.out

	switch {
	case k.Role == v1alpha1.K3sServer && m.MemoryMiB > 0 && m.MemoryMiB < serverMemoryMiB:
		r.warn("spec.size.memory: %dMi is less than the 2Gi that a K3s server needs: its etcd is killed under load.", m.MemoryMiB)
	case k.Role == v1alpha1.K3sServer && m.Cores > 0 && m.Cores < serverCores:
		r.warn("spec.size.cores: %d is less than the 2 cores that a K3s server needs: its etcd loses its leader under load.", m.Cores)
	case m.MemoryMiB > 0 && m.MemoryMiB < agentMemoryMiB:
		r.warn("spec.size.memory: %dMi is less than the 512Mi that a K3s agent needs, before any pod.", m.MemoryMiB)
	}
}
