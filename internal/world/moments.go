package world

import (
	"iter"
	"math/bits"
	"slices"
	"strings"
)

// A moment of the world's clock, as texts have it: what they begin with, and the length of what follows.
const (
	month      = "2026-01-"
	restLength = len("01T00:00:00Z")
)

// FingerprintInOrder is a Fingerprint of all that there is, and of what else is given. Of moments only the order counts, as nobody reads more of them.
func (c *Cluster) FingerprintInOrder(more ...any) uint64 {
	return fingerprintInOrder(append(c.all(), more...))
}

// fingerprintInOrder of a value.
func fingerprintInOrder(v any) uint64 {
	var moments []string

	fingerprint(func(text string) uint64 {
		for behind := range behindMonths(text) {
			moments = append(moments, momentOf(behind))
		}

		return 0
	}, v)

	slices.Sort(moments)
	moments = slices.Compact(moments)

	return fingerprint(func(text string) uint64 {
		before, _, _ := strings.Cut(text, month)
		out := textPrint(before)

		for behind := range behindMonths(text) {
			moment := momentOf(behind)
			at, _ := slices.BinarySearch(moments, moment)
			out = mixed(bits.RotateLeft64(out, 1) + mixed(uint64(at)) + textPrint(behind[len(moment):])) //nolint:gosec // An index.
		}

		return out
	}, v)
}

// behindMonths are the parts of a text behind the month of each of its moments, up to the next.
func behindMonths(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		_, behind, found := strings.Cut(text, month)
		for found {
			var part string
			if part, behind, found = strings.Cut(behind, month); !yield(part) {
				return
			}
		}
	}
}

// momentOf what follows a month.
func momentOf(text string) string { return text[:min(restLength, len(text))] }
