package message

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Likely returns up to three of the known names that a misspelt one may have meant, best first; none where nothing is near.
func Likely(name string, known []string) []string {
	const most, tolerance = 3, 3

	distance := make(map[string]int, len(known))
	for _, candidate := range known {
		distance[candidate] = levenshtein.ComputeDistance(name, candidate)
	}

	near := slices.DeleteFunc(slices.Sorted(slices.Values(known)), func(candidate string) bool {
		// A part of a name is near, too: label for node-label.
		partial := len(name) > tolerance && strings.Contains(candidate, name)

		return !partial && distance[candidate] > min(tolerance, len(name)/2)
	})
	slices.SortStableFunc(near, func(a, b string) int { return distance[a] - distance[b] })

	return near[:min(most, len(near))]
}
