package catalog

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// enumerating is a part of the schema of the catalogue.
type enumerating struct {
	Properties           map[string]enumerating `json:"properties"`
	AdditionalProperties json.RawMessage        `json:"additionalProperties"`
	Items                *enumerating           `json:"items"`
	AnyOf                []enumerating          `json:"anyOf"`
	OneOf                []enumerating          `json:"oneOf"`
	Enum                 []string               `json:"enum"`
}

// inside a schema: documents with 5 in the place of each word that it enumerates, and these words.
func (e enumerating) inside(found func(document any, words []string)) {
	if len(e.Enum) > 0 {
		found(5, e.Enum)
	}

	for name, p := range e.Properties {
		p.inside(func(d any, words []string) { found(map[string]any{name: d}, words) })
	}

	var entry enumerating
	if json.Unmarshal(e.AdditionalProperties, &entry) == nil {
		entry.inside(func(d any, words []string) { found(map[string]any{"mine": d}, words) })
	}

	if e.Items != nil {
		e.Items.inside(func(d any, words []string) { found([]any{d}, words) })
	}

	for _, other := range slices.Concat(e.AnyOf, e.OneOf) {
		other.inside(found)
	}
}

// TestWordsInPlaceOfNumbers writes a number into every field of a catalogue that takes one of a few words: the answer has the words, or one of many.
func TestWordsInPlaceOfNumbers(t *testing.T) {
	content, err := os.ReadFile("../../schemas/catalogue.json")
	if err != nil {
		t.Fatal(err)
	}

	var all enumerating
	if err := json.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}

	fields := 0

	all.Properties["data"].inside(func(document any, words []string) {
		fields++

		d, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}

		_, errs := Decode(d, "data")
		if !slices.ContainsFunc(errs, func(err *field.Error) bool {
			return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(err.Detail, word) })
		}) {
			t.Errorf("%s: no answer has one of %q: %v", d, words, errs)
		}
	})

	if fields < 15 {
		t.Errorf("%d fields with words", fields)
	}
}
