package structcodec

import (
	"reflect"

	"google.golang.org/protobuf/types/known/structpb"
)

// Carry adds to an encoded Go struct what another message has that the struct has no fields for. What the struct does have
// fields for is its own word, also where it leaves one out. Lists of structs are paired by position, or by the field that
// the tag `key` of their field names; an element without a partner carries nothing.
func Carry(into, from *structpb.Struct, t reflect.Type) {
	fields := map[string]reflect.StructField{}
	for _, f := range fieldsOf(t) {
		fields[f.name] = t.FieldByIndex(f.index)
	}

	for name, v := range from.GetFields() {
		f, known := fields[name]

		switch {
		case !known:
			into.Fields[name] = v
		case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct:
			carryList(into.GetFields()[name].GetListValue(), v.GetListValue(), f)
		}
	}
}

func carryList(into, from *structpb.ListValue, f reflect.StructField) {
	key := f.Tag.Get("key")

	for i, v := range into.GetValues() {
		if partner := partnerOf(v.GetStructValue(), i, from, key); partner != nil {
			Carry(v.GetStructValue(), partner, f.Type.Elem())
		}
	}
}

func partnerOf(s *structpb.Struct, i int, from *structpb.ListValue, key string) *structpb.Struct {
	for j, v := range from.GetValues() {
		o := v.GetStructValue()
		if key == "" && i == j || key != "" && o.GetFields()[key].GetStringValue() == s.GetFields()[key].GetStringValue() {
			return o
		}
	}

	return nil
}
