package cluster

import (
	"regexp"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// fieldInText is a field of a K3sNode in what the node, or a fault of it, says. That of another node is said to be its own.
var fieldInText = regexp.MustCompile(`\b(its )?spec\.([a-zA-Z0-9]+(?:\[[^\]\s]*\])?(?:\.[a-zA-Z0-9]+(?:\[[^\]\s]*\])?)*)`)

// typed is what a node says, with the fields that a person has in the claim of its cluster. Nobody edits the claims of its nodes. Pools and nodes
// are named, where the claim has lists.
func typed(node string, role v1alpha1.K3sRole, text string) string {
	return fieldInText.ReplaceAllStringFunc(text, func(found string) string {
		of := fieldInText.FindStringSubmatch(found)
		if of[1] != "" {
			return of[1] + of[2]
		}

		return typedField(node, role, of[2])
	})
}

// typedField is a field of a node, without spec, where a person types it.
func typedField(node string, role v1alpha1.K3sRole, path string) string {
	if to, ok := renamed(path, ofRollout); ok {
		return "spec." + to
	}

	pool := "spec.servers."
	if i := strings.LastIndex(node, "-"); role == v1alpha1.K3sAgent && i > 0 {
		pool = "spec.agents[" + node[:i] + "]."
	}

	return placeIn(path, "spec.nodes["+node+"].", pool)
}

// ofRollout are fields of a node that the cluster's rollout decides.
var ofRollout = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"k3s.drain": "rollout.drain", "lifecycle.rebootPolicy": "rollout.rebootPolicy",
}
