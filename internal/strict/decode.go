// Package strict decodes what was read from JSON or YAML into Go types, and names every unknown field and every value of
// a wrong type by the path that a person typed.
//
// encoding/json gives up at the first fault and says it in the words of Go; this decoder finds all of them and says what
// would be right. It takes the types that the API server's structural schemas know: structures, lists, maps, text, truth
// values, whole numbers, text that may be a number (a string type with an UnmarshalJSON of its own), and values of any shape (a
// structure with an UnmarshalJSON of its own, or an interface).
package strict

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// maxFaults that are reported. Who has more of them gets the rest when these are put right.
const maxFaults = 40

// Decode from, which holds what encoding/json makes of a document, into the value that into points to. Faults are named
// by their path under at, in the order of the type's fields. A null is a field that was left out. A field with empty text
// that emptyAllowed (nil: always true) refuses by path is a fault too: without a rule, it would pass for left out.
//
// What could be decoded is in into even where there are faults.
func Decode(at *field.Path, from, into any, emptyAllowed func(path string) bool) field.ErrorList {
	faults, _ := DecodeEntries(at, from, into, emptyAllowed)

	return faults
}

// DecodeEntries is [Decode] that also returns the entries of maps with a name and no value, as `pve:` alone, by their path, in the order of the faults. Each
// counts as left out, as every null does; but somebody who typed a name of their own meant an entry.
func DecodeEntries(at *field.Path, from, into any, emptyAllowed func(path string) bool) (field.ErrorList, []Valueless) {
	d := decoder{emptyAllowed: emptyAllowed, prefix: at.String(), root: reflect.TypeOf(into).Elem()}
	d.value(at, from, reflect.ValueOf(into).Elem())

	return d.faults, d.valueless
}

// A Valueless entry has a name and no value.
type Valueless struct {
	Path string
	Form string // What a value of it is, in words: its fields or {}.
}

// valuelessAt a path, of a type.
func valuelessAt(at *field.Path, t reflect.Type) Valueless {
	v := Valueless{at.String(), "its value"}

	switch t.Kind() {
	case reflect.Struct:
		v.Form = "its fields or {}"
	case reflect.Slice:
		v.Form = "its items, such as [a, b],"
	}

	return v
}

type decoder struct {
	emptyAllowed func(path string) bool
	faults       field.ErrorList
	valueless    []Valueless

	prefix string // Of every path.
	root   reflect.Type
}

// add a fault. The value is shown where it is a scalar that was typed in place of another; a list or an object may hold
// what nobody should see.
func (d *decoder) add(err *field.Error) {
	if len(d.faults) < maxFaults {
		d.faults = append(d.faults, err)
	}
}

// value decodes, and says whether there was something to keep.
func (d *decoder) value(at *field.Path, from any, into reflect.Value) bool {
	if into.Kind() == reflect.Struct && ownDecoder(into) {
		return d.raw(at, from, into)
	}

	switch into.Kind() {
	case reflect.Pointer:
		target := reflect.New(into.Type().Elem())
		if !d.value(at, from, target.Elem()) {
			return false
		}

		into.Set(target)

		return true
	case reflect.Struct:
		return d.object(at, from, into)
	case reflect.Map:
		return d.mapping(at, from, into)
	case reflect.Slice:
		return d.list(at, from, into)
	case reflect.String:
		return d.text(at, from, into)
	case reflect.Bool:
		return d.truth(at, from, into)
	case reflect.Int64:
		return d.number(at, from, into)
	case reflect.Interface:
		if from == nil {
			return false
		}

		into.Set(reflect.ValueOf(whole(from)))

		return true
	default:
		// A type that no schema can have: a fault of the program that the tests of its types find.
		d.add(field.InternalError(at, fmt.Errorf("cannot decode into %s", into.Type())))
		return false
	}
}

// raw gives a structure with an UnmarshalJSON of its own its value as JSON. What is in it is for others to check.
func (d *decoder) raw(at *field.Path, from any, into reflect.Value) bool {
	b, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(b, into.Addr().Interface())
	}

	if err != nil {
		d.add(field.Invalid(at, field.OmitValueType{}, "cannot be read as JSON"))
	}

	return err == nil
}

func (d *decoder) object(at *field.Path, from any, into reflect.Value) bool {
	m, ok := from.(map[string]any)
	if !ok {
		options := optionsOf(from)
		if form := formOfOptions(into.Type(), options); form != "" {
			d.add(field.Invalid(at, field.OmitValueType{}, must("must be an object with fields", form)))
			return false
		}

		d.add(field.Invalid(at, field.OmitValueType{}, must("must be an object with fields", formOf(into.Type(), from))))
		d.unknown(at, options, describe(into.Type()))

		return false
	}

	t := describe(into.Type())
	known := 0

	var torn split

	for _, f := range t.fields {
		v, ok := m[f.name]
		if !ok {
			continue
		}

		known++

		if v == nil {
			continue
		}

		to := into.FieldByIndex(f.index)

		// Most values are text, of which nothing is to be said: no path is made for it.
		if s, ok := v.(string); ok && s != "" && to.Kind() == reflect.String {
			to.SetString(s)
			continue
		}

		p := at.Child(f.name)
		if torn.find(m, t, to.Kind(), v); f.name == torn.field {
			d.add(field.Invalid(p, field.OmitValueType{}, must("must be a list", torn.form())))
			continue
		}

		if s, ok := v.(string); ok && s == "" && d.emptyAllowed != nil && !d.emptyAllowed(p.String()) {
			d.add(field.Invalid(p, "", "must not be empty: leave it out, or say what it is"))
			continue
		}

		d.value(p, v, to)
	}

	if known < len(m) {
		d.unknown(at, torn.without(m), t)
	}

	return true
}

// unknown names the fields of an object that its type does not have.
func (d *decoder) unknown(at *field.Path, m map[string]any, t structType) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		// What is no longer reported is not searched for either: a document may have as many unknown fields as it has room for.
		if len(d.faults) >= maxFaults {
			return
		}

		if t.byName[name] {
			continue
		}

		typed := at.Child(message.Key(name))

		meant := d.meant(at, name, t)
		if meant.path == "" {
			d.add(field.Forbidden(typed, "unknown field; "+message.ThereAre(message.SortNearest(t.names(), name))))

			if strings.Contains(strings.ToLower(name), imageField) {
				d.imageFile(typed, m[name])
			}

			continue
		}

		text, inside := d.rest(typed, meant, m[name])
		d.add(field.Forbidden(typed, "unknown field; did you mean "+meant.path+"?"+text))

		for _, err := range inside {
			d.add(err)
		}
	}
}

func (d *decoder) mapping(at *field.Path, from any, into reflect.Value) bool {
	m, ok := from.(map[string]any)
	if !ok {
		d.add(field.Invalid(at, field.OmitValueType{}, must("must be an object", formOfMap(from))))

		return false
	}

	if form := formOfNameless(into.Type().Elem(), m); form != "" {
		d.add(field.Invalid(at, field.OmitValueType{}, form))
		d.value(at, m, reflect.New(into.Type().Elem()).Elem())

		return false
	}

	out := reflect.MakeMapWithSize(into.Type(), len(m))

	for _, name := range slices.Sorted(maps.Keys(m)) {
		v := reflect.New(into.Type().Elem()).Elem()

		if m[name] == nil {
			d.valueless = append(d.valueless, valuelessAt(at.Child(message.Key(name)), v.Type()))
		} else if d.value(at.Child(message.Key(name)), m[name], v) {
			out.SetMapIndex(reflect.ValueOf(name), v)
		}
	}

	into.Set(out)

	return true
}

func (d *decoder) list(at *field.Path, from any, into reflect.Value) bool {
	items, ok := from.([]any)
	if !ok {
		d.add(field.Invalid(at, field.OmitValueType{}, must("must be a list", d.formOfList(at, into.Type().Elem(), from))))
		return false
	}

	out := reflect.MakeSlice(into.Type(), len(items), len(items))
	for i, item := range items {
		d.value(at.Index(i), item, out.Index(i))
	}

	into.Set(out)

	return true
}

func (d *decoder) text(at *field.Path, from any, into reflect.Value) bool {
	number := ownDecoder(into)

	switch v := from.(type) {
	case string:
		into.SetString(v)
		return true
	case float64, int64, int:
		n, ok := integer(v)

		switch {
		case number && ok:
			into.SetString(strconv.FormatInt(n, 10))
			return true
		case number && numberRule(at) != "":
			// A name such as 24.04.
			d.add(field.Invalid(at, v, numberRule(at)))
		case number:
			d.add(field.Invalid(at, v, "must be text or a whole number"))
		case numberRule(at) != "":
			d.add(field.Invalid(at, v, numberRule(at)))
		default:
			d.add(field.Invalid(at, v, textInstead(at, v)))
		}
	case bool:
		d.add(field.Invalid(at, v, textInstead(at, v)))
	case map[string]any:
		rule := namesOf[nameOf(at)].object
		if rule == "" {
			rule = must("must be text", d.formOfText(at, from))
		}

		d.add(field.Invalid(at, field.OmitValueType{}, rule))

		if nameOf(at) == imageField && v["fileName"] == nil {
			d.imageFile(at.Child("url"), v["url"])
		}
	default:
		d.add(field.Invalid(at, field.OmitValueType{}, must("must be text", d.formOfText(at, from))))
	}

	return false
}

func (d *decoder) truth(at *field.Path, from any, into reflect.Value) bool {
	v, ok := from.(bool)
	if !ok {
		d.add(field.Invalid(at, shown(from), must("must be true or false, without quotes", formOfTruth(from))))
		return false
	}

	into.SetBool(v)

	return true
}

func (d *decoder) number(at *field.Path, from any, into reflect.Value) bool {
	n, ok := integer(from)
	if !ok {
		d.add(field.Invalid(at, shown(from), wholeNumber(from)))
		return false
	}

	into.SetInt(n)

	return true
}

// wholeNumber is the rule of a number, with the one that somebody meant by something else.
func wholeNumber(from any) string {
	rule := "must be a whole number"

	if items, several := from.([]any); several {
		if _, ok := integer(first(items)); ok {
			return must(rule, formOfText(items))
		}
	}

	s, _ := from.(string)

	if _, err := strconv.ParseInt(s, 10, 64); err == nil {
		rule += ", without quotes"
	}

	rule = must(rule, formOfNumber(s))

	if slices.Contains([]string{"auto", "automatic", "default", "next", "any", "none"}, strings.ToLower(s)) {
		rule += ": leave the field out for the default"
	}

	return rule
}

// maxShown is the length of text that a message shows where a number or a truth value was expected. A secret that ended
// up in the wrong field is longer.
const maxShown = 15

// shown is a scalar for a message. Of anything else only the fault is said.
func shown(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) > maxShown {
			return field.OmitValueType{}
		}

		return v
	case float64, int64, int, bool:
		return v
	default:
		return field.OmitValueType{}
	}
}
