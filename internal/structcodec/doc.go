// Package structcodec moves data between protobuf Structs, in which Crossplane sends objects, and Go structs with json tags,
// without a map or a JSON text in between. Most of a call's time would go there: a request holds several managed
// resources, each with its whole specification twice.
//
// It knows what our models are made of: structs (embedded ones inline), pointers, slices, maps with string keys, strings,
// booleans and whole numbers. The json tag names a field, and omitempty leaves a zero value out, as in encoding/json. A
// field with the tag `text:"template"` has all strings below it written through [Text].Write and read through [Text].Read,
// but for fields in it with the tag `text:"literal"`.
package structcodec

// Text changes the strings of marked fields on their way out and in. A nil function changes nothing.
type Text struct {
	Write func(string) string
	Read  func(string) string
}
