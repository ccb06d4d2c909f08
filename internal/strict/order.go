package strict

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// last is the place of what a type does not have: behind what it has.
const last = 1 << 20

// Compare returns a function that compares paths by the order of the fields in the type of v, which is the order of the documentation,
// and by the indexes of lists. Both paths begin below v: "disks[1].name".
func Compare(v any) func(a, b string) int {
	t := reflect.TypeOf(v)

	return func(a, b string) int {
		return cmp.Or(slices.Compare(places(t, a), places(t, b)), cmp.Compare(a, b))
	}
}

// places of the parts of a path in their structures and lists. They end where the names are those that people choose.
func places(t reflect.Type, path string) []int {
	var out []int

	for path != "" {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}

		switch t.Kind() {
		case reflect.Struct:
			name := path
			if end := strings.IndexAny(path, ".["); end >= 0 {
				name = path[:end]
			}

			s := describe(t)

			i := slices.IndexFunc(s.fields, func(f structField) bool { return f.name == name })
			if i < 0 {
				return append(out, last)
			}

			out = append(out, i)
			t, path = t.FieldByIndex(s.fields[i].index).Type, strings.TrimPrefix(path[len(name):], ".")
		case reflect.Slice:
			index, rest, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")

			i, err := strconv.Atoi(index)
			if !ok || err != nil {
				return append(out, last)
			}

			out = append(out, i)
			t, path = t.Elem(), strings.TrimPrefix(rest, ".")
		default:
			return out
		}
	}

	return out
}
