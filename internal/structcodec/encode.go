package structcodec

import (
	"reflect"
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
)

// Encode makes a Struct of a Go struct, or of a pointer to one. It returns an error that names the place if there is a type in it
// that models are not made of.
func Encode(v any, text Text) (*structpb.Struct, error) { return EncodeAs(v, nil, text) }

// EncodeAs is Encode, and takes from another message, nil for none, what is the same there, at whatever depth: most of what is written is what was read. So
// nobody may change anything below the fields of the Struct.
func EncodeAs(v any, read *structpb.Struct, text Text) (*structpb.Struct, error) {
	rv := reflect.Indirect(reflect.ValueOf(v))
	if rv.Kind() != reflect.Struct {
		return nil, errors.Errorf("cannot encode a %T as an object", v)
	}

	return encodeStruct(rv, read, text, false)
}

func encodeStruct(v reflect.Value, read *structpb.Struct, text Text, template bool) (*structpb.Struct, error) {
	fields := fieldsOf(v.Type())
	// Most fields of a VM are left out: a map with room for all of them would be most of the garbage.
	out := &structpb.Struct{Fields: make(map[string]*structpb.Value, written(v, fields))}

	for i := range fields {
		f := &fields[i]

		fv := v.FieldByIndex(f.index)
		if f.omits(fv) {
			continue
		}

		value, err := encodeValue(fv, read.GetFields()[f.name], text, f.template(template))
		if err != nil {
			return nil, within("."+f.name, err)
		}

		out.Fields[f.name] = value
	}

	return out, nil
}

// written is how many fields of a struct are not left out.
func written(v reflect.Value, fields []structField) int {
	n := 0

	for i := range fields {
		if f := &fields[i]; !f.omits(v.FieldByIndex(f.index)) {
			n++
		}
	}

	return n
}

func encodeValue(v reflect.Value, read *structpb.Value, text Text, template bool) (*structpb.Value, error) {
	if read != nil && says(read, v, text, template) {
		return read, nil
	}

	switch v.Kind() {
	case reflect.String:
		s := v.String()
		if template && text.Write != nil {
			s = text.Write(s)
		}

		return textValue(s), nil
	case reflect.Bool:
		return structpb.NewBoolValue(v.Bool()), nil
	case reflect.Int64, reflect.Int:
		return structpb.NewNumberValue(float64(v.Int())), nil
	case reflect.Pointer:
		if v.IsNil() {
			return structpb.NewNullValue(), nil
		}

		return encodeValue(v.Elem(), read, text, template)
	case reflect.Slice:
		return encodeSlice(v, read.GetListValue(), text, template)
	case reflect.Map:
		return encodeMap(v, text, template)
	case reflect.Struct:
		s, err := encodeStruct(v, read.GetStructValue(), text, template)
		return structpb.NewStructValue(s), err
	default:
		return nil, errors.Errorf("cannot encode a %s", v.Type())
	}
}

// textValue is a value with its text in one piece of memory: most of what is encoded are texts, and to allocate costs more than all else.
func textValue(s string) *structpb.Value {
	out := &struct {
		value structpb.Value
		text  structpb.Value_StringValue
	}{}
	out.text.StringValue = s
	out.value.Kind = &out.text

	return &out.value
}

func encodeSlice(v reflect.Value, read *structpb.ListValue, text Text, template bool) (*structpb.Value, error) {
	if v.IsNil() {
		return structpb.NewNullValue(), nil
	}

	values := make([]*structpb.Value, v.Len())

	for i := range values {
		var was *structpb.Value
		if i < len(read.GetValues()) {
			was = read.GetValues()[i]
		}

		var err error
		if values[i], err = encodeValue(v.Index(i), was, text, template); err != nil {
			return nil, within("["+strconv.Itoa(i)+"]", err)
		}
	}

	return structpb.NewListValue(&structpb.ListValue{Values: values}), nil
}

func encodeMap(v reflect.Value, text Text, template bool) (*structpb.Value, error) {
	out := &structpb.Struct{Fields: make(map[string]*structpb.Value, v.Len())}

	// Labels and annotations: reflection would copy every key and every value.
	if texts, ok := reflect.TypeAssert[map[string]string](v); ok && !template {
		for key, value := range texts {
			out.Fields[key] = textValue(value)
		}

		return structpb.NewStructValue(out), nil
	}

	for key, value := range v.Seq2() {
		var err error
		if out.Fields[key.String()], err = encodeValue(value, nil, text, template); err != nil {
			return nil, within("."+key.String(), err)
		}
	}

	return structpb.NewStructValue(out), nil
}

func (f *structField) omits(v reflect.Value) bool { return f.omit && isEmpty(v) }

// isEmpty is what encoding/json's omitempty leaves out, and zero structs beside it: an empty object would be intent.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}
