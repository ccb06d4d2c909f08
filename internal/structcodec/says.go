package structcodec

import (
	"reflect"

	"google.golang.org/protobuf/types/known/structpb"
)

// says is whether a value is what would be encoded of a Go value. It makes no garbage.
func says(read *structpb.Value, v reflect.Value, text Text, template bool) bool {
	switch v.Kind() {
	case reflect.String:
		s, ok := read.GetKind().(*structpb.Value_StringValue)
		if !ok {
			return false
		}

		if template && text.Write != nil {
			return s.StringValue == text.Write(v.String())
		}

		return s.StringValue == v.String()
	case reflect.Bool:
		b, ok := read.GetKind().(*structpb.Value_BoolValue)
		return ok && b.BoolValue == v.Bool()
	case reflect.Int64, reflect.Int:
		n, ok := read.GetKind().(*structpb.Value_NumberValue)
		return ok && n.NumberValue == float64(v.Int())
	case reflect.Pointer:
		return !v.IsNil() && says(read, v.Elem(), text, template)
	case reflect.Slice:
		return saysSlice(read, v, text, template)
	case reflect.Map:
		return saysTexts(read, v, template)
	case reflect.Struct:
		return saysStruct(read, v, text, template)
	default:
		return false
	}
}

func saysSlice(read *structpb.Value, v reflect.Value, text Text, template bool) bool {
	list, ok := read.GetKind().(*structpb.Value_ListValue)
	if !ok || v.IsNil() || len(list.ListValue.GetValues()) != v.Len() {
		return false
	}

	for i, value := range list.ListValue.GetValues() {
		if !says(value, v.Index(i), text, template) {
			return false
		}
	}

	return true
}

// saysTexts is says for labels and annotations; other maps are encoded anew.
func saysTexts(read *structpb.Value, v reflect.Value, template bool) bool {
	object, ok := read.GetKind().(*structpb.Value_StructValue)
	texts, ofTexts := reflect.TypeAssert[map[string]string](v)

	if !ok || !ofTexts || template || len(object.StructValue.GetFields()) != len(texts) {
		return false
	}

	for key, value := range object.StructValue.GetFields() {
		s, ok := value.GetKind().(*structpb.Value_StringValue)
		if has, there := texts[key]; !ok || !there || has != s.StringValue {
			return false
		}
	}

	return true
}

func saysStruct(read *structpb.Value, v reflect.Value, text Text, template bool) bool {
	object, ok := read.GetKind().(*structpb.Value_StructValue)
	fields := fieldsOf(v.Type())

	if !ok || len(object.StructValue.GetFields()) != written(v, fields) {
		return false
	}

	for i := range fields {
		f := &fields[i]

		fv := v.FieldByIndex(f.index)
		if f.omits(fv) {
			continue
		}

		value, there := object.StructValue.GetFields()[f.name]
		if !there || !says(value, fv, text, f.template(template)) {
			return false
		}
	}

	return true
}
