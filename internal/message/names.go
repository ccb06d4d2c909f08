package message

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxNames is how many names a message lists.
const maxNames = 10

// Nearest are the keys of m in the order of their distance from name, those of the same distance in alphabetical order.
func Nearest[V any](m map[string]V, name string) []string {
	return SortNearest(slices.Collect(maps.Keys(m)), name)
}

// SortNearest puts names into the order of their distance from name, those of the same distance into alphabetical order, and
// returns them.
func SortNearest(names []string, name string) []string {
	// The distance takes time with the product of the lengths, and nobody's typing error is this long.
	name = strings.ToLower(Excerpt(name))

	distance := make(map[string]int, len(names))
	for _, n := range names {
		distance[n] = levenshtein.ComputeDistance(strings.ToLower(Excerpt(n)), name)
	}

	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance[a], distance[b]), cmp.Compare(a, b))
	})

	return names
}

// ThereAre is the end of a message on a name that does not exist: the names that do, as they are ordered.
func ThereAre(names []string) string {
	shown := names[:min(len(names), maxNames)]
	for i := range shown {
		shown[i] = Key(shown[i])
	}

	switch {
	case len(names) == 0:
		return "there are none"
	case len(names) > maxNames:
		return fmt.Sprintf("there are: %s and %d more", strings.Join(shown, ", "), len(names)-maxNames)
	default:
		return "there are: " + strings.Join(shown, ", ")
	}
}
