package properties

import (
	"maps"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// shrunkPair is a smaller pair that fails, too: without edits, fields and parts of fields that do not matter. Pairs that are
// refused do not count, unless the fault is a refusal.
func shrunkPair(p pair, faults func(p pair) []string) pair {
	refused := func(all []string) string {
		for _, f := range all {
			if _, why, ok := strings.Cut(f, ": fatal: "); ok {
				return why
			}
		}

		return ""
	}
	was := refused(faults(p))

	// What comes after a part that is gone takes its place; a second round finds what depended on something.
	for range 2 {
		for i := 0; ; {
			smaller := smallerPairs(p)
			if i >= len(smaller) {
				break
			}

			if f := faults(smaller[i]); len(f) > 0 && refused(f) == was {
				p = smaller[i]
			} else {
				i++
			}
		}
	}

	return p
}

// smallerPairs have one thing less, each of them.
func smallerPairs(p pair) []pair {
	var out []pair

	if p.catalogueMoves {
		q := p
		q.catalogueMoves = false
		out = append(out, q)
	}

	if p.apiMoves {
		q := p
		q.apiMoves = false
		out = append(out, q)
	}

	for weather := range p.weather {
		q := p
		q.weather = weather
		out = append(out, q)
	}

	if p.entry {
		q := p
		q.entry = false
		out = append(out, q)
	}

	if !p.adopts && len(p.taken)+len(p.claimed) > 0 {
		q := p
		q.taken, q.claimed = nil, nil
		out = append(out, q)
	}

	for _, path := range paths(nil, p.first, p.second) {
		was, is := read(p.first, path), read(p.second, path)
		if was != nil {
			q := p
			q.first = with(p.first, path, nil)
			q.second = with(p.second, path, nil)
			out = append(out, q)
		}

		if world.Compact(was) != world.Compact(is) {
			q := p
			q.second = with(p.second, path, was)
			out = append(out, q)
		}
	}

	return out
}

// paths of all fields of two specs, those of objects before those in them.
func paths(at []string, a, b map[string]any) [][]string {
	var out [][]string

	for _, k := range world.UnionKeys(a, b) {
		path := append(append([]string{}, at...), k)
		out = append(out, path)
		out = append(out, paths(path, world.Object(a[k]), world.Object(b[k]))...)
	}

	return out
}

func read(spec map[string]any, path []string) any {
	for _, k := range path[:len(path)-1] {
		spec = world.Object(spec[k])
	}

	return spec[path[len(path)-1]]
}

// with a value at a path; nil takes it away.
func with(spec map[string]any, path []string, v any) map[string]any {
	out := maps.Clone(spec)

	switch {
	case len(path) > 1:
		inner := world.Object(out[path[0]])
		if len(inner) == 0 && v == nil {
			return out
		}

		out[path[0]] = with(inner, path[1:], v)
	case v == nil:
		delete(out, path[0])
	default:
		if out == nil {
			out = map[string]any{}
		}

		out[path[0]] = v
	}

	return out
}
