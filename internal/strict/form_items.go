package strict

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

var (
	// several are words that somebody has separated by commas or blanks.
	several = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]*([ ]*[, ;][ ]*[A-Za-z0-9][A-Za-z0-9._:/-]*)+$`)
	between = regexp.MustCompile(`[ ,;]+`)

	// millicores are whole cores as Kubernetes writes them.
	millicores = regexp.MustCompile(`^([1-9][0-9]*)000m$`)
	// counted is a number with the name of what it counts before it, such as vlan20.
	counted = regexp.MustCompile(`^(?i:vlan|vm|ct|id)[ _-]?([1-9][0-9]*)$`)
	// withUnit is a number with what it counts behind it, such as 2 vCPU or 30s, where the field counts that anyway.
	withUnit = regexp.MustCompile(`^([1-9][0-9]*) ?(?i:v?cpus?|v?cores?|threads?|s|secs?|seconds?|nodes?|servers?|agents?|x)$`)
	// thousands is a number as people say it of an MTU: 9k.
	thousands = regexp.MustCompile(`^([1-9][0-9]{0,2})[kK]$`)
	// severalNumbers are whole numbers where one belongs, such as 10,20.
	severalNumbers = regexp.MustCompile(`^([1-9][0-9]*)(?:[,; ] ?[0-9]+)+$`)
)

// maxShownItems is how many items of a list a message shows.
const maxShownItems = 5

// formOfItems is a list of texts for which somebody wrote one text: "write [web, db]". Empty where nobody knows one.
func formOfItems(text string) string {
	if !several.MatchString(text) {
		return ""
	}

	items := between.Split(text, -1)
	tooLong := slices.ContainsFunc(items, func(item string) bool { return len(item) > maxShown })

	if tooLong || len(items) > maxShownItems {
		return ""
	}

	return "write [" + strings.Join(items, ", ") + "]"
}

// formOfTags is the list for which somebody wrote an object with one word each: a list has no names.
func formOfTags(at *field.Path, from map[string]any) string {
	if nameOf(at) != "tags" {
		return ""
	}

	items := []string{}

	for _, name := range slices.Sorted(maps.Keys(from)) {
		value, ok := wordOf(from[name])
		if from[name] == nil {
			items = append(items, name)
			continue
		}

		if !ok || !word.MatchString(name) || len(name) > maxShown || secretName.MatchString(name) {
			return "tags of Proxmox are words without values"
		}

		items = append(items, name+"-"+value)
	}

	if len(items) == 0 || len(items) > maxShownItems {
		return "tags of Proxmox are words without values"
	}

	return "tags of Proxmox are words without values: write [" + strings.Join(items, ", ") + "]"
}

// formOfNamed is the list of objects for which somebody wrote an object with the names as keys: "write [{name: data, size: 100Gi}]".
func formOfNamed(known form, from map[string]any) string {
	if !strings.Contains(known.form, "{name: %s, size: ") || len(from) == 0 || len(from) > maxShownItems {
		return ""
	}

	items := make([]string, 0, len(from))

	for _, name := range slices.Sorted(maps.Keys(from)) {
		size, ok := wordOf(from[name])
		if !ok || !quantity.MatchString(size) || !word.MatchString(name) || len(name) > maxShown {
			return ""
		}

		items = append(items, fmt.Sprintf("{name: %s, size: %s}", name, size))
	}

	return "write [" + strings.Join(items, ", ") + "]"
}

// formOfKeyed is the list of objects for which somebody wrote an object with the names as keys and an object each, as {worker: {count: 2}}: a hyphen
// alone would make the name a field. Empty for a list of objects without names, and for one such object.
func formOfKeyed(t reflect.Type, from map[string]any) string {
	if t.Kind() != reflect.Struct || !has(t, "name") || len(from) == 0 {
		return ""
	}

	first := slices.Min(slices.Collect(maps.Keys(from)))

	for name, item := range from {
		if _, isObject := item.(map[string]any); !isObject || has(t, name) {
			return ""
		}
	}

	if !word.MatchString(first) || len(first) > maxShown {
		return "write each item as one with its name, [{name: ..., ...}]"
	}

	return "write each item as one with its name, [{name: " + first + ", ...}]"
}

// pair is a name with its value, as kubectl writes a label.
var pair = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._/-]*)[=:] ?([A-Za-z0-9][A-Za-z0-9._-]*)$`)

// notText is what YAML reads as a number, a truth value or nothing.
var notText = regexp.MustCompile(`^([0-9][0-9._e+-]*|(?i:true|false|yes|no|on|off|y|n|null))$`)

// formOfMap is the object with names of their own for which somebody wrote a list: "write {tier: web}". Empty for anything else.
func formOfMap(from any) string {
	items, _ := from.([]any)
	if len(items) == 0 {
		return ""
	}

	const keys = "write each name as a key, without hyphens or brackets"

	pairs := make([]string, 0, len(items))

	for _, item := range items {
		if object, isObject := item.(map[string]any); isObject {
			if name, ok := wordOf(object["name"]); ok {
				return keys + ", {" + name + ": {...}}"
			}
		}

		text, _ := item.(string)

		m := pair.FindStringSubmatch(text)
		if m == nil || len(text) > maxShown*2 || secretName.MatchString(text) || len(items) > maxShownItems {
			return keys
		}

		value := m[2]
		if notText.MatchString(value) {
			value = strconv.Quote(value)
		}

		pairs = append(pairs, m[1]+": "+value)
	}

	return "write {" + strings.Join(pairs, ", ") + "}"
}

// formOfUnnamed is the list of objects for which somebody wrote one object without the name that each item has: "write [{name: worker, count: 2}]".
func formOfUnnamed(t reflect.Type, from map[string]any) string {
	example, named := strings.CutPrefix(forms[t.Name()].form, "{name: %s, ")
	if _, given := from["name"]; !named || given || example == "" || len(from) == 0 || len(from) > maxShownItems {
		return ""
	}

	fields := []string{"name: " + forms[t.Name()].example}

	for _, name := range slices.Sorted(maps.Keys(from)) {
		value, ok := wordOf(from[name])
		if !ok || !has(t, name) || secretName.MatchString(name) {
			return "write each item as one with its name, [{name: " + forms[t.Name()].example + ", ...}]"
		}

		fields = append(fields, name+": "+value)
	}

	return "write [{" + strings.Join(fields, ", ") + "}]"
}

// formOfInner is the list of words that somebody wrote as the only field of an object: "write [1.1.1.1]" for {addresses: [1.1.1.1]}.
func formOfInner(from map[string]any) string {
	for name, value := range from {
		items, isList := value.([]any)
		if !isList || len(from) > 1 || len(items) == 0 || len(items) > maxShownItems || secretName.MatchString(name) {
			return ""
		}

		words := make([]string, 0, len(items))

		for _, item := range items {
			w, ok := wordOf(item)
			if !ok {
				return ""
			}

			words = append(words, w)
		}

		return "write [" + strings.Join(words, ", ") + "]"
	}

	return ""
}

// formOfNumber is the whole number that a text stands for: "write 2, not 2000m". Empty where nobody knows one.
func formOfNumber(typed string) string {
	for _, pattern := range []*regexp.Regexp{millicores, counted, withUnit} {
		if m := pattern.FindStringSubmatch(typed); m != nil && len(typed) <= maxShown {
			return fmt.Sprintf("write %s, not %s", m[1], typed)
		}
	}

	if m := thousands.FindStringSubmatch(typed); m != nil {
		return fmt.Sprintf("write %s000, not %s", m[1], typed)
	}

	if m := severalNumbers.FindStringSubmatch(typed); m != nil && len(typed) <= maxShown {
		return "write one of them, such as " + m[1]
	}

	switch strings.ToLower(typed) {
	case "first":
		return "write 1, not first"
	case "last":
		return "write a number higher than the others', not last"
	}

	return prefixLength(typed)
}

// formOfTruth is the truth value that something else stands for: "write true". Empty where nobody knows one.
func formOfTruth(from any) string {
	typed, _ := wordOf(from)

	switch strings.ToLower(typed) {
	case "true", "enabled", "enable", "yes", "on", "1", "always":
		return "write " + strconv.FormatBool(true)
	case "false", "disabled", "disable", "no", "off", "0", "never":
		return "write " + strconv.FormatBool(false)
	}

	return ""
}
