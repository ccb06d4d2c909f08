package structcodec

import (
	"math"
	"reflect"
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
)

// Decode reads what a Go struct has fields for, and passes over the rest. Null is as good as nothing. It returns an error
// that names the place if a value is of another type than its field, or is no whole number where one is needed; what was
// read until then stays in the struct.
func Decode(s *structpb.Struct, into any, text Text) error {
	rv := reflect.ValueOf(into)
	if rv.Kind() != reflect.Pointer || rv.Elem().Kind() != reflect.Struct {
		return errors.Errorf("cannot decode into a %T", into)
	}

	return decodeStruct(s, rv.Elem(), text, false)
}

func decodeStruct(s *structpb.Struct, into reflect.Value, text Text, template bool) error {
	values := s.GetFields()
	if len(values) == 0 {
		return nil
	}

	fields := fieldsOf(into.Type())
	for i := range fields {
		f := &fields[i]

		v, ok := values[f.name]
		if !ok {
			continue
		}

		if err := decodeValue(v, into.FieldByIndex(f.index), text, f.template(template)); err != nil {
			return within("."+f.name, err)
		}
	}

	return nil
}

func decodeValue(v *structpb.Value, into reflect.Value, text Text, template bool) error {
	kind := v.GetKind()
	if _, null := kind.(*structpb.Value_NullValue); null || kind == nil {
		return nil
	}

	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}

	switch k := kind.(type) {
	case *structpb.Value_StringValue:
		if into.Kind() == reflect.String {
			s := k.StringValue
			if template && text.Read != nil {
				s = text.Read(s)
			}

			into.SetString(s)

			return nil
		}
	case *structpb.Value_BoolValue:
		if into.Kind() == reflect.Bool {
			into.SetBool(k.BoolValue)
			return nil
		}
	case *structpb.Value_NumberValue:
		if into.Kind() == reflect.Int64 || into.Kind() == reflect.Int {
			return decodeNumber(k.NumberValue, into)
		}
	case *structpb.Value_ListValue:
		if into.Kind() == reflect.Slice {
			return decodeList(k.ListValue, into, text, template)
		}
	case *structpb.Value_StructValue:
		switch into.Kind() {
		case reflect.Struct:
			return decodeStruct(k.StructValue, into, text, template)
		case reflect.Map:
			return decodeMap(k.StructValue, into, text, template)
		default:
		}
	}

	return errors.New("want " + wanted(into.Type()))
}

// maxWhole is the largest number up to which a float64 holds every whole number.
const maxWhole = 1 << 53

func decodeNumber(n float64, into reflect.Value) error {
	if n != math.Trunc(n) || math.Abs(n) > maxWhole {
		return errors.New("want a whole number")
	}

	into.SetInt(int64(n))

	return nil
}

func decodeList(l *structpb.ListValue, into reflect.Value, text Text, template bool) error {
	into.Set(reflect.MakeSlice(into.Type(), len(l.GetValues()), len(l.GetValues())))

	for i, v := range l.GetValues() {
		if err := decodeValue(v, into.Index(i), text, template); err != nil {
			return within("["+strconv.Itoa(i)+"]", err)
		}
	}

	return nil
}

func decodeMap(s *structpb.Struct, into reflect.Value, text Text, template bool) error {
	into.Set(reflect.MakeMapWithSize(into.Type(), len(s.GetFields())))

	element := reflect.New(into.Type().Elem()).Elem() // The map gets copies of it.

	for key, v := range s.GetFields() {
		element.SetZero()

		if err := decodeValue(v, element, text, template); err != nil {
			return within("."+key, err)
		}

		into.SetMapIndex(reflect.ValueOf(key), element)
	}

	return nil
}
