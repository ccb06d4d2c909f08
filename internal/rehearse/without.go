package rehearse

import "slices"

// without what others are.
func without[T any](all, others []T, same func(a, b T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool {
		return slices.ContainsFunc(others, func(o T) bool { return same(one, o) })
	})
}

func identical[T comparable](a, b T) bool { return a == b }
