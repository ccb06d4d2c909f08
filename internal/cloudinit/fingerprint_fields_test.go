package cloudinit

import (
	"reflect"
	"testing"
)

// TestFingerprintSeesFieldsToCome sets each field of a document alone, by reflection: a field that is added later and that the
// fingerprint leaves out fails here.
func TestFingerprintSeesFieldsToCome(t *testing.T) {
	document := func(d Document) Document { return d }
	user := func(u User) Document { return Document{Users: []User{u}} }
	// The content of a constant file is left out on purpose.
	file := func(f File) Document { return Document{WriteFiles: []File{f}} }

	eachField(t, document)
	eachField(t, user)
	eachField(t, file)
}

// eachField of a structure changes the fingerprint of the document that holds it.
func eachField[T any](t *testing.T, in func(T) Document) {
	t.Helper()

	var zero T

	for i := range reflect.TypeFor[T]().NumField() {
		field := reflect.TypeFor[T]().Field(i)

		var one T

		v := reflect.ValueOf(&one).Elem().Field(i)
		if !v.CanSet() {
			continue
		}

		fill(t, field.Name, v)

		// What an earlier release wrote in place of a file's content changes the fingerprint of its document.
		if in(one).Fingerprint() == in(zero).Fingerprint() && in(one).WithFormerContent().Fingerprint() == in(zero).WithFormerContent().Fingerprint() {
			t.Errorf("%T.%s: the fingerprint does not change with it", zero, field.Name)
		}

		if in(one).Digest() == in(zero).Digest() {
			t.Errorf("%T.%s: the digest does not change with it", zero, field.Name)
		}
	}
}

// fill sets a value to one that is not its zero.
func fill(t *testing.T, name string, v reflect.Value) {
	t.Helper()

	switch v.Kind() { //nolint:exhaustive // The default says which kinds are missing.
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, name, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, name, v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x"), reflect.ValueOf("y"))
	case reflect.Struct:
		for _, f := range v.Fields() {
			// A file of a later release is left out as a whole, which is seen where Since is set alone.
			if f.Type() != reflect.TypeFor[Release]() {
				fill(t, name, f)
			}
		}
	default:
		t.Fatalf("field %s is of a kind that this test cannot set: %s", name, v.Kind())
	}
}
