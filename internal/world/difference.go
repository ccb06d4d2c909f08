package world

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
)

// What became of a value.
const (
	Appears  = "appears"
	Vanishes = "vanishes"
	Changes  = "changes"
)

// A Difference between two JSON values.
type Difference struct {
	Path string // spec.forProvider.disk[0].size
	What string // Appears, Vanishes or Changes.
	From string // JSON; empty where there was nothing.
	To   string
}

// Differences between two JSON values at a path; nil is none. Objects are compared field by field, and lists of objects item by
// item; a list of plain values is one value.
func Differences(path string, was, is any) []Difference {
	wasObject, isObject := Object(was), Object(is)
	wasList, isList := objects(was), objects(is)

	switch {
	case reflect.DeepEqual(was, is):
		return nil
	case was == nil:
		return []Difference{{Path: path, What: Appears, To: Compact(is)}}
	case is == nil:
		return []Difference{{Path: path, What: Vanishes, From: Compact(was)}}
	case len(wasObject) > 0 && len(isObject) > 0:
		return FieldDifferences(path, wasObject, isObject)
	case len(wasList) > 0 && len(isList) > 0:
		var out []Difference
		for i := range max(len(wasList), len(isList)) {
			out = append(out, Differences(fmt.Sprintf("%s[%d]", path, i), At(wasList, i), At(isList, i))...)
		}

		return out
	default:
		return []Difference{{Path: path, What: Changes, From: Compact(was), To: Compact(is)}}
	}
}

// FieldDifferences between two objects, either of which may be empty.
func FieldDifferences(path string, was, is map[string]any) []Difference {
	var out []Difference
	for _, k := range UnionKeys(was, is) {
		out = append(out, Differences(path+step(k), was[k], is[k])...)
	}

	return out
}

// objects is a list that holds nothing but objects.
func objects(v any) []any {
	list, ok := v.([]any)
	if !ok || slices.ContainsFunc(list, func(item any) bool { return len(Object(item)) == 0 }) {
		return nil
	}

	return list
}

// At is an item of a list, nil where there is none.
func At(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}

	return nil
}

var plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// step to a key of an object.
func step(key string) string {
	if plainKey.MatchString(key) {
		return "." + key
	}

	return `["` + key + `"]`
}

// UnionKeys are the keys of two objects, sorted.
func UnionKeys(a, b map[string]any) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]any{}
	}

	maps.Copy(all, b)

	return Keys(all)
}

// Compact JSON of a value; empty for none.
func Compact(v any) string {
	if v == nil {
		return ""
	}

	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}

	return string(b)
}
