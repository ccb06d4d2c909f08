package k3s

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The config of a cluster in the catalogue is for all of its nodes, and some keys are for servers or for agents alone.

// ConfigFor returns the keys of a cluster's config that a node of a role gets: a key for the other kind of node is left out. A key
// that neither kind of node can have is a fault.
func ConfigFor(role Role, config map[string]any, path *field.Path) (map[string]any, field.ErrorList) {
	other := RoleAgent
	if role == RoleAgent {
		other = RoleServer
	}

	out := make(map[string]any, len(config))

	var faults field.ErrorList

	for _, key := range sortedKeys(config) {
		one := map[string]any{key: config[key]}

		switch own := ValidateConfig(role, one, path); {
		case len(own) == 0:
			out[key] = config[key]
		case len(ValidateConfig(other, one, nil)) > 0:
			faults = append(faults, inCluster(own, path)...)
		}
	}

	return out, faults
}

// inCluster names the fields of a cluster's entry of the catalogue, which stand beside its config, in place of those of a claim. labels and taints are
// in claims only.
func inCluster(faults field.ErrorList, path *field.Path) field.ErrorList {
	entry, ok := strings.CutSuffix(path.String(), ".config")
	if !ok {
		return faults
	}

	entry = entry[strings.LastIndex(entry, " ")+1:] // Without the name of the object, which the fault's path has.

	for _, fault := range faults {
		for _, name := range []string{"disable", "server", "tlsSANs", "token"} {
			if fault.Detail == "set spec.k3s."+name || strings.HasSuffix(fault.Detail, "; set spec.k3s."+name) {
				fault.Detail = strings.TrimSuffix(fault.Detail, "spec.k3s."+name) + entry + "." + name
			}
		}
	}

	return faults
}

// ValidateClusterConfig checks a cluster's config: K3s must have each key for servers or for agents. The faults are those of a
// server.
func ValidateClusterConfig(config map[string]any, path *field.Path) field.ErrorList {
	_, faults := ConfigFor(RoleServer, config, path)

	return faults
}
