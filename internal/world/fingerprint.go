package world

import (
	"hash/maphash"
	"math"
	"math/bits"
)

// seed of fingerprints, which are of one process.
var seed = maphash.MakeSeed() //nolint:gochecknoglobals // A constant.

// Tags of what has no text of its own, so that no two of them have one fingerprint.
const (
	tagNil uint64 = iota + 1
	tagTrue
	tagFalse
	tagNumber
	tagText
	tagList
	tagObject
)

// Fingerprint of a JSON value: the same for the same value, whatever types hold it, and another one for any other, as far as 64 bits can say. It costs a
// fraction of a copy or of a comparison, because nothing is allocated.
func Fingerprint(v any) uint64 { return fingerprint(textPrint, v) }

// textPrint is the fingerprint of a text.
func textPrint(text string) uint64 { return mixed(tagText + maphash.String(seed, text)) }

// fingerprint of a value, of whose texts text is the fingerprint.
func fingerprint(text func(string) uint64, v any) uint64 {
	switch v := v.(type) {
	case nil:
		return mixed(tagNil)
	case bool:
		if v {
			return mixed(tagTrue)
		}

		return mixed(tagFalse)
	case string:
		return text(v)
	case float64:
		return mixed(tagNumber + mixed(math.Float64bits(v)))
	case int:
		return fingerprint(text, float64(v))
	case []any:
		if v == nil {
			return mixed(tagNil)
		}

		out := tagList
		for i := range v {
			out = mixed(bits.RotateLeft64(out, 1) + fingerprint(text, v[i]))
		}

		return out
	case map[string]any:
		return fingerprintOf(text, v)
	case map[string]map[string]any:
		return fingerprintOf(text, v)
	}

	return fingerprint(text, throughText(v))
}

// fingerprintOf an object: a sum, because its keys come in any order.
func fingerprintOf[T any](text func(string) uint64, v map[string]T) uint64 {
	if v == nil {
		return mixed(tagNil)
	}

	out := tagObject
	for k := range v {
		out += mixed(bits.RotateLeft64(maphash.String(seed, k), 1) + fingerprint(text, v[k]))
	}

	return mixed(out)
}

// mixed bits: each depends on all (the finalizer of MurmurHash3).
func mixed(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	h ^= h >> 33

	return h
}
