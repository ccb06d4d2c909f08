package structcodec

import (
	"reflect"
	"strings"
	"sync"
)

// A structField is what the tags of a Go field say.
type structField struct {
	name  string
	index []int
	omit  bool   // Leave a zero value out.
	text  string // template or literal; empty: as the field around it.
}

// template says whether strings of this field are changed on their way; above is the word of the field around it.
func (f *structField) template(above bool) bool {
	return f.text == "template" || above && f.text != "literal"
}

// known are the fields of types seen before. It saves work and changes no result.
var known sync.Map //nolint:gochecknoglobals // A cache of what reflection finds.

// fieldsOf a struct type, embedded ones inline, in the order of their declaration.
func fieldsOf(t reflect.Type) []structField {
	if f, ok := known.Load(t); ok {
		if fields, ok := f.([]structField); ok {
			return fields
		}
	}

	var out []structField

	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")

		switch {
		case f.Anonymous && name == "":
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				out = append(out, inner)
			}
		case name != "" && name != "-":
			out = append(out, structField{
				name: name, index: []int{i},
				omit: strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero"), text: f.Tag.Get("text"),
			})
		}
	}

	known.Store(t, out)

	return out
}
