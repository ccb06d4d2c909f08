package strict

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// numberText is text that may be a number, as v1alpha1.Quantity is.
type numberText string

// UnmarshalJSON marks the type.
func (n *numberText) UnmarshalJSON(b []byte) error {
	*n = numberText(b)
	return nil
}

// rawJSON is a value of any shape, as runtime.RawExtension is.
type rawJSON struct{ JSON string }

// UnmarshalJSON takes objects alone.
func (r *rawJSON) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		return errors.New("no object")
	}

	r.JSON = string(b)

	return nil
}

type inner struct {
	Name  string `json:"name"`
	Count *int64 `json:"count,omitempty"`
}

type embedded struct {
	Flag *bool `json:"flag,omitempty"`
}

type outer struct {
	embedded `json:",inline"`

	Text    string              `json:"text,omitempty"`
	Size    numberText          `json:"size,omitempty"`
	Whole   int64               `json:"whole,omitempty"`
	Truth   bool                `json:"truth,omitempty"`
	Inner   inner               `json:"inner,omitzero"`
	Pointer *inner              `json:"pointer,omitempty"`
	Items   []inner             `json:"items,omitempty"`
	Names   []string            `json:"names,omitempty"`
	Labels  map[string]string   `json:"labels,omitempty"`
	Lists   map[string][]string `json:"lists,omitempty"`
	Entries map[string]inner    `json:"entries,omitempty"`
	Any     map[string]any      `json:"any,omitempty"`
	Raw     *rawJSON            `json:"raw,omitempty"`
	Hidden  string              `json:"-"`
}

func decodeJSON(t *testing.T, document string, emptyAllowed func(string) bool) (outer, []string) {
	t.Helper()

	var from any
	if err := json.Unmarshal([]byte(document), &from); err != nil {
		t.Fatal(err)
	}

	var into outer

	errs := Decode(field.NewPath("spec"), from, &into, emptyAllowed)

	var faults []string
	for _, err := range errs {
		faults = append(faults, err.Error())
	}

	return into, faults
}

func TestDecode(t *testing.T) {
	three, yes := int64(3), true

	type want struct {
		value  outer
		faults []string
	}

	cases := map[string]struct {
		reason   string
		document string
		want     want
	}{
		"Everything": {
			reason: "Every kind of field is decoded, and embedded structures stand where they are embedded.",
			document: `{"flag": true, "text": "a", "size": "4Gi", "whole": 7, "truth": true, "inner": {"name": "b", "count": 3},
				"pointer": {"name": "c"}, "items": [{"name": "d"}, {"name": "e"}], "names": ["f"], "labels": {"g": "h"},
				"lists": {"i": ["j"]}, "entries": {"k": {"name": "l"}}, "any": {"m": 1, "n": [1.5, {"o": 2}], "p": "q"}}`,
			want: want{value: outer{
				embedded: embedded{Flag: &yes},
				Text:     "a", Size: "4Gi", Whole: 7, Truth: true,
				Inner: inner{Name: "b", Count: &three}, Pointer: &inner{Name: "c"},
				Items: []inner{{Name: "d"}, {Name: "e"}}, Names: []string{"f"},
				Labels: map[string]string{"g": "h"}, Lists: map[string][]string{"i": {"j"}},
				Entries: map[string]inner{"k": {Name: "l"}},
				Any:     map[string]any{"m": int64(1), "n": []any{1.5, map[string]any{"o": int64(2)}}, "p": "q"},
			}},
		},
		"NumberAsText": {
			reason:   "Text that may be a number takes whole numbers, without an exponent.",
			document: `{"size": 4194304000}`,
			want:     want{value: outer{Size: "4194304000"}},
		},
		"OwnDecoder": {
			reason:   "What a structure reads itself is not looked into.",
			document: `{"raw": {"a": [1, "b"], "text": 1}}`,
			want:     want{value: outer{Raw: &rawJSON{JSON: `{"a":[1,"b"],"text":1}`}}},
		},
		"OwnDecoderRefuses": {
			reason:   "Its error may show the value, and so is not passed on.",
			document: `{"raw": "token"}`,
			want:     want{faults: []string{`spec.raw: Invalid value: cannot be read as JSON`}},
		},
		"EmptyLists": {
			reason:   "An empty list is not a list that was left out.",
			document: `{"names": [], "lists": {"a": []}}`,
			want:     want{value: outer{Names: []string{}, Lists: map[string][]string{"a": {}}}},
		},
		"Nulls": {
			reason:   "A null is a field that was left out, as the API server takes it.",
			document: `{"text": null, "inner": null, "pointer": null, "items": null, "labels": {"a": null}, "truth": null, "any": {"a": null}}`,
			want:     want{value: outer{Labels: map[string]string{}, Any: map[string]any{}}},
		},
		"Unknown": {
			reason:   "Every unknown field is named, with the likeliest meant first.",
			document: `{"txet": 1, "inner": {"nam": 1, "counts": 2}, "Hidden": "x", "items": [{"x": 1}]}`,
			want: want{
				value: outer{Items: []inner{{}}},
				faults: []string{
					"spec.inner.counts: Forbidden: unknown field; did you mean spec.inner.count?",
					"spec.inner.nam: Forbidden: unknown field; did you mean spec.inner.name? It must be text: put it in quotes",
					"spec.items[0].x: Forbidden: unknown field; there are: name, count",
					"spec.Hidden: Forbidden: unknown field; there are: inner, size, items, lists, names, pointer, whole, any, entries, flag and 4 more",
					"spec.txet: Forbidden: unknown field; did you mean spec.text? It must be text: put it in quotes",
				},
			},
		},
		"UnknownWithAWrongValue": {
			reason:   "Who has put the name right would read of the value then; it is said with the name, and what is in it by its path as typed. A right value, or none, is no fault.",
			document: `{"truths": 1, "wholes": "2", "label": ["a=b", "c=true"], "item": [{"name": "a", "counts": 2}], "Entries": null, "flags": true}`,
			want: want{
				faults: []string{
					"spec.Entries: Forbidden: unknown field; did you mean spec.entries?",
					"spec.flags: Forbidden: unknown field; did you mean spec.flag?",
					"spec.item: Forbidden: unknown field; did you mean spec.items?",
					"spec.item[0].counts: Forbidden: unknown field; did you mean spec.items[0].count?",
					`spec.label: Forbidden: unknown field; did you mean spec.labels? It must be an object: write {a: b, c: "true"}`,
					"spec.truths: Forbidden: unknown field; did you mean spec.truth? It must be true or false, without quotes: write true",
					"spec.wholes: Forbidden: unknown field; did you mean spec.whole? It must be a whole number, without quotes",
				},
			},
		},
		"WrongTypes": {
			reason: "Every value of a wrong type is named, with what would be right.",
			document: `{"flag": "yes", "text": 1, "size": 1.5, "whole": "abc", "truth": 1, "inner": [], "pointer": "x",
				"items": {}, "names": ["a", null, 2, true], "labels": {"a": 1}, "lists": {"a": "b"}, "entries": [], "any": "x"}`,
			want: want{
				value: outer{Names: []string{"a", "", "", ""}, Labels: map[string]string{}, Lists: map[string][]string{}},
				faults: []string{
					`spec.flag: Invalid value: "yes": must be true or false, without quotes: write true`,
					`spec.text: Invalid value: 1: must be text: put it in quotes`,
					`spec.size: Invalid value: 1.5: must be text or a whole number`,
					`spec.whole: Invalid value: "abc": must be a whole number`,
					`spec.truth: Invalid value: 1: must be true or false, without quotes: write true`,
					`spec.inner: Invalid value: must be an object with fields`,
					`spec.pointer: Invalid value: must be an object with fields`,
					`spec.items: Invalid value: must be a list: write a hyphen in front of each item`,
					`spec.names[1]: Invalid value: must be text`,
					`spec.names[2]: Invalid value: 2: must be text: put it in quotes`,
					`spec.names[3]: Invalid value: true: must be text: put it in quotes`,
					`spec.labels.a: Invalid value: 1: must be text: put it in quotes`,
					`spec.lists.a: Invalid value: must be a list: write [b], not b`,
					`spec.entries: Invalid value: must be an object`,
					`spec.any: Invalid value: must be an object`,
				},
			},
		},
		"Fractions": {
			reason:   "A fraction, and a number that JSON does not hold exactly, are no whole numbers.",
			document: `{"whole": 1.5, "inner": {"count": 1e300}}`,
			want: want{faults: []string{
				`spec.whole: Invalid value: 1.5: must be a whole number`,
				`spec.inner.count: Invalid value: 1e+300: must be a whole number`,
			}},
		},
		"NotShown": {
			reason:   "What is long may be a secret in the wrong place, and is not shown.",
			document: `{"truth": "K10aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "inner": "K10bbbbbbbbbbbbbb", "whole": ["secret"]}`,
			want: want{faults: []string{
				`spec.whole: Invalid value: must be a whole number`,
				`spec.truth: Invalid value: must be true or false, without quotes`,
				`spec.inner: Invalid value: must be an object with fields`,
			}},
		},
		"HostileNames": {
			reason:   "A name with a line end cannot forge a second message.",
			document: `{"inner": {"a\nspec.b: fine": 1}}`,
			want: want{faults: []string{
				`spec.inner."a\nspec.b: fine": Forbidden: unknown field; there are: count, name`,
			}},
		},
		"NotAnObject": {
			reason:   "The document itself may be of a wrong type.",
			document: `[]`,
			want:     want{faults: []string{`spec: Invalid value: must be an object with fields`}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			value, faults := decodeJSON(t, tc.document, nil)

			if diff := cmp.Diff(tc.want, want{value, faults}, cmp.AllowUnexported(want{}, outer{})); diff != "" {
				t.Errorf("%s\nDecode(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDecodeEmpty(t *testing.T) {
	allowed := func(path string) bool { return path == "spec.text" }
	_, faults := decodeJSON(t, `{"text": "", "size": "", "inner": {"name": ""}, "names": [""], "labels": {"a": ""}}`, allowed)

	want := []string{
		`spec.size: Invalid value: "": must not be empty: leave it out, or say what it is`,
		`spec.inner.name: Invalid value: "": must not be empty: leave it out, or say what it is`,
	}
	if diff := cmp.Diff(want, faults); diff != "" {
		t.Errorf("Only empty fields that may be empty pass; list items and map values are for validation.\nDecode(...): -want, +got:\n%s", diff)
	}
}

func TestDecodeMany(t *testing.T) {
	names := make([]any, 1000)
	errs := Decode(field.NewPath("spec"), map[string]any{"names": names}, &outer{}, nil)

	if diff := cmp.Diff(maxFaults, len(errs)); diff != "" {
		t.Errorf("A thousand faults are not a thousand lines.\nDecode(...): -want, +got:\n%s", diff)
	}
}

func TestDecodeNumbers(t *testing.T) {
	// A protobuf Struct can hold what JSON cannot.
	for _, v := range []any{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		for _, name := range []string{"whole", "size"} {
			if errs := Decode(nil, map[string]any{name: v}, &outer{}, nil); len(errs) != 1 {
				t.Errorf("Decode(%s: %v): want one fault, got %v", name, v, errs)
			}
		}
	}

	for _, v := range []any{int64(5), int(5), float64(5)} {
		into := outer{}
		if errs := Decode(nil, map[string]any{"whole": v}, &into, nil); len(errs) != 0 || into.Whole != 5 {
			t.Errorf("Decode(whole: %T): want 5, got %d, %v", v, into.Whole, errs)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"flag": true, "text": "a", "size": 4, "inner": {"name": "b", "count": 3}, "items": [{"name": "d"}]}`))
	f.Add([]byte(`{"any": {"m": [null, {"": {}}]}, "labels": {"": ""}, "lists": {"a": [null]}}`))

	f.Fuzz(func(t *testing.T, document []byte) {
		var from any
		if json.Unmarshal(document, &from) != nil {
			return
		}

		var first, second outer

		a := Decode(field.NewPath("spec"), from, &first, nil)
		b := Decode(field.NewPath("spec"), from, &second, nil)

		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("Decode is not deterministic: %s", diff)
		}

		if len(a) > 0 {
			return
		}

		// What the strict decoder takes, encoding/json takes to the same value.
		var lenient outer
		if err := json.Unmarshal(document, &lenient); err != nil && !strings.Contains(err.Error(), "cannot unmarshal number") {
			t.Errorf("Decode(%s): no fault, but encoding/json says %v", document, err)
		}
	})
}
