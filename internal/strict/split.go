package strict

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A split list is text in place of a list, and the items behind its first comma. YAML ends a value in braces there: {dns: 1.1.1.1, 8.8.8.8} has a field 8.8.8.8
// without a value.
type split struct {
	field string
	items []string
}

// splitList of an object: its only list that has text in its place, with its fields without a value that are no field and resemble none.
func splitList(m map[string]any, t structType) split {
	var out split

	for _, f := range t.fields {
		text, isText := m[f.name].(string)
		if !isText || f.of.Kind() != reflect.Slice {
			continue
		}

		if out.field != "" {
			return split{}
		}

		out = split{f.name, []string{text}}
	}

	if out.field == "" {
		return split{}
	}

	for _, name := range slices.Sorted(maps.Keys(m)) {
		isField := func(other string) bool { return t.byName[other] }
		if m[name] == nil && !isField(name) && message.Meant(name, t.names()) == "" && !slices.ContainsFunc(synonyms[message.Plain(name)], isField) {
			out.items = append(out.items, name)
		}
	}

	if len(out.items) == 1 {
		return split{}
	}

	return out
}

// find the split list of an object at the first text that has the place of a list.
func (s *split) find(m map[string]any, t structType, kind reflect.Kind, value any) {
	if _, isText := value.(string); isText && kind == reflect.Slice {
		*s = splitList(m, t)
	}
}

// form of the list: "write [1.1.1.1, 8.8.8.8]". The order of three is lost, and nothing is shown of what may be a secret.
func (s split) form() string {
	const rule = "in braces, a comma ends the value: "

	unsuited := slices.ContainsFunc(s.items, func(item string) bool { return !word.MatchString(item) || len(item) > maxShown })
	if len(s.items) > 2 || unsuited || secretName.MatchString(s.field) {
		return rule + "write brackets around all items, " + s.field + ": [...]"
	}

	return rule + "write [" + strings.Join(s.items, ", ") + "]"
}

// without the items that are fields of the object.
func (s split) without(m map[string]any) map[string]any {
	if s.field == "" {
		return m
	}

	return maps.Collect(func(yield func(string, any) bool) {
		for name, value := range m {
			if !slices.Contains(s.items[1:], name) && !yield(name, value) {
				return
			}
		}
	})
}
