package strict

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// A structType is what decoding needs to know of a Go structure.
type structType struct {
	fields []structField // In the order of the type, embedded ones in place.
	byName map[string]bool
}

// formerTag is the tag of a field that has the field of another name today: the field is accepted, and messages name the other one.
const formerTag = "former"

type structField struct {
	name  string
	index []int
	of    reflect.Type
	// former says that the field has another name today.
	former bool
	// required says that the API server takes no object without the field.
	required bool
}

//nolint:gochecknoglobals // Holds what follows from the program's own types; looking at them anew takes longer than decoding.
var structTypes sync.Map

// describe a structure by its json tags.
func describe(t reflect.Type) structType {
	if known, ok := structTypes.Load(t); ok {
		if s, ok := known.(structType); ok {
			return s
		}
	}

	s := structType{byName: map[string]bool{}}
	s.add(t, nil)
	structTypes.Store(t, s)

	return s
}

func (s *structType) add(t reflect.Type, parents []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(append([]int{}, parents...), i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")

		switch {
		case f.Anonymous && name == "":
			s.add(f.Type, index)
		case f.IsExported() && name != "" && name != "-":
			s.fields = append(s.fields, structField{name: name, index: index, of: f.Type, former: f.Tag.Get(formerTag) != "", required: options == ""})
			s.byName[name] = true
		}
	}
}

// names of the fields, as they are spelled today.
func (s *structType) names() []string {
	out := make([]string, 0, len(s.fields))
	for _, f := range s.fields {
		if !f.former {
			out = append(out, f.name)
		}
	}

	return out
}

// of is the type of a field; nil of none.
func (s *structType) of(name string) reflect.Type {
	for _, f := range s.fields {
		if f.name == name {
			return f.of
		}
	}

	return nil
}

// ownDecoder says whether a type brings its own decoder from JSON. A string type that does takes numbers as well.
func ownDecoder(v reflect.Value) bool {
	_, ok := reflect.TypeAssert[json.Unmarshaler](v.Addr())

	return ok
}
