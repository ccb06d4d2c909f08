package lint

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// specs are the shortest specs that say something, by kind of claim.
var specs = map[string]string{ //nolint:gochecknoglobals // A constant table.
	claim.KindMachine:     "{class: small}",
	claim.KindK3sNode:     "{class: small, k3s: {cluster: home, role: agent}}",
	claim.KindK3sCluster:  "{cluster: home, servers: {count: 3}}",
	claim.KindContainer:   "{image: debian-12, proxmox: {node: pve, vmId: 150}}",
	claim.KindProxmoxSite: "{nodes: {pve: {bridges: [{name: vmbr1}]}}}",
}

// specless is the fault of a claim without a spec, which no API server takes. Fields that stand in its place are faults themselves.
func (o object) specless() []Fault {
	if o.value["spec"] != nil {
		return nil
	}

	if metadata, _ := o.value["metadata"].(map[string]any); metadata["spec"] != nil {
		return nil
	}

	for name := range o.value {
		if inside(o, name) != "" {
			return nil
		}
	}

	return []Fault{o.fault(position(o.node, "spec"), "spec", "is missing: what is claimed stands there, such as spec: "+specs[o.kind()], Error)}
}

// beyond says whether a path is in the spec of a claim that has none, which is a fault already.
func (o object) beyond(path string) bool {
	return o.value["spec"] == nil && (path == "spec" || strings.HasPrefix(path, "spec."))
}
