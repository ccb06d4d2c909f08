package preview

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	kind "github.com/homelab-io/function-proxmox-machine/internal/definition"
	"github.com/homelab-io/function-proxmox-machine/internal/externaldns"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	kubernetes "github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// installed are the definitions of kinds that a preview assumes to be installed, since it cannot ask: of those that the function has to know
// before it composes one or asks for one. They are Cluster API's IPAddressClaim, external-dns' DNSEndpoint, provider-kubernetes' Object and the
// provider's EnvironmentContainer, of claims and of namespaced machines.
func installed() []unstructured.Unstructured {
	out := []unstructured.Unstructured{served(ipam.ClaimDefinition, ipam.Version), served(externaldns.Definition, externaldns.Version)}

	for _, f := range []kubernetes.Flavour{kubernetes.Cluster, kubernetes.Namespaced} {
		out = append(out, served(f.Definition(), f.Version()))
	}

	for _, f := range []proxmox.Flavour{proxmox.Cluster, proxmox.Namespaced} {
		out = append(out, served(f.ContainerDefinition()))
	}

	return out
}

// served is the definition of a kind that an API server serves in a version.
func served(name, version string) unstructured.Unstructured {
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": kind.APIVersion,
		"kind":       kind.Kind,
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"versions": []any{map[string]any{"name": version, "served": true}}},
		"status":     map[string]any{"conditions": []any{map[string]any{"type": "Established", "status": "True"}}},
	}}
}
