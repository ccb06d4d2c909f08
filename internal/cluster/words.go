package cluster

import (
	"fmt"
	"slices"
	"strings"
)

// maxNamed is how many nodes a sentence names.
const maxNamed = 3

// list of names, as a sentence has them.
func list(names []string) string {
	some := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		some += fmt.Sprintf(" and %d more", more)
	}

	return some
}

// sentence ends with a full stop.
func sentence(s string) string { return strings.TrimSuffix(s, ".") + "." }

// sentences of what keeps nodes from their turns, each once.
func sentences(all []string) []string {
	var out []string

	for _, s := range all {
		if s = sentence(s); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}

	return out
}

// asTypedInCluster is what a node says, with the fields that a person has in the claim of its cluster. What it says of another node is that one's.
func asTypedInCluster(node, text string) string {
	return strings.NewReplacer(
		"its spec.lifecycle.", "its lifecycle.",
		"spec.lifecycle.", "spec.nodes["+node+"].lifecycle.",
		"spec.k3s.drain", "spec.rollout.drain",
	).Replace(text)
}
