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

// trouble is what a node says of itself, in parentheses; empty where it says nothing.
func trouble(c Child) string {
	all := slices.Clone(c.Silent)
	if c.Trouble != "" && !slices.Contains(all, c.Trouble) {
		all = append([]string{c.Trouble}, all...)
	}

	if len(all) == 0 {
		return ""
	}

	return " (" + strings.Join(all, ", ") + ")"
}
