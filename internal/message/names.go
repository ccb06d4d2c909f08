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

// Meant is the name that a misspelt one probably meant: another case, a plural, hyphens or underscores in place of capitals, a letter too
// many, too few or exchanged. Empty where no name is near, or where two are equally near.
func Meant(name string, names []string) string {
	typed := Plain(name)
	if typed == "" {
		return ""
	}

	// One typing error in a short name, two in a long one.
	best, nearest, twice := "", 1+min(3, len(typed)/3), false
	if len(typed) > 3 && len(typed) < 6 {
		nearest = 2
	}

	for _, n := range names {
		d := min(distance(Plain(n), typed), distance(strings.ToLower(Excerpt(n)), strings.ToLower(Excerpt(name))))

		switch {
		case d < nearest:
			best, nearest, twice = n, d, false
		case d == nearest && best != "":
			twice = true
		}
	}

	if twice {
		return ""
	}

	return best
}

// Same is the name that differs in case, hyphens, underscores or the s of a plural alone; empty where there is none.
func Same(name string, names []string) string {
	for _, n := range names {
		if Plain(n) == Plain(name) {
			return n
		}
	}

	return ""
}

// distance is how many letters differ; two that are exchanged count as one.
func distance(a, b string) int {
	if len(a) == len(b) {
		for i := range len(a) - 1 {
			if a[:i]+a[i+1:i+2]+a[i:i+1]+a[i+2:] == b {
				return min(1, levenshtein.ComputeDistance(a, b))
			}
		}
	}

	return levenshtein.ComputeDistance(a, b)
}

// separators are what people put between the words of a name.
var separators = strings.NewReplacer("-", "", "_", "", " ", "") //nolint:gochecknoglobals // A constant table.

// Plain is a name without what people write in different ways: case, hyphens, underscores, blanks, and the ending of a plural.
func Plain(name string) string {
	name = strings.ToLower(separators.Replace(Excerpt(name)))

	switch {
	case len(name) > 5 && strings.HasSuffix(name, "sses"):
		return strings.TrimSuffix(name, "es")
	case len(name) > 3 && !strings.HasSuffix(name, "ss"):
		return strings.TrimSuffix(name, "s")
	default:
		return name
	}
}

// There is the end of a message on a name that does not exist: the name that was probably meant, and the names that do exist, nearest
// first.
func There(names []string, name string) string {
	if meant := Meant(name, names); meant != "" && len(names) == 1 {
		return "did you mean " + Key(meant) + "?"
	} else if meant != "" {
		return "did you mean " + Key(meant) + "? There are: " + strings.TrimPrefix(ThereAre(SortNearest(slices.Clone(names), name)), "there are: ")
	}

	return ThereAre(SortNearest(slices.Clone(names), name))
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
