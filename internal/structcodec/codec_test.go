package structcodec

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
)

type inner struct {
	Name  string `json:"name"`
	Count *int64 `json:"count,omitempty"`
}

type template struct {
	Name    string `json:"name"`
	Literal string `json:"literal,omitempty" text:"literal"`
}

type Inline struct {
	Shared string `json:"shared,omitempty"`
}

type outer struct {
	Inline

	Text     string            `json:"text,omitempty"`
	Flag     bool              `json:"flag"`
	Number   int64             `json:"number,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	List     []inner           `json:"list,omitempty"`
	Always   []string          `json:"always"`
	Nested   [][]string        `json:"nested,omitempty"`
	Object   inner             `json:"object,omitzero"`
	Template template          `json:"template,omitzero" text:"template"`
	NoTag    string
}

var shout = Text{Write: strings.ToUpper, Read: strings.ToLower} //nolint:gochecknoglobals // Test data.

func full() outer {
	n := int64(3)

	return outer{
		Inline: Inline{Shared: "s"}, Text: "a", Flag: true, Number: 7, Labels: map[string]string{"k": "v"},
		List: []inner{{Name: "x", Count: &n}, {Name: "y"}}, Always: []string{}, Nested: [][]string{{"1"}, {}},
		Object: inner{Name: "o"}, Template: template{Name: "t", Literal: "As it is"},
	}
}

// TestEncodeIsJSON: but for the marked strings, a Struct says what encoding/json would.
func TestEncodeIsJSON(t *testing.T) {
	for name, v := range map[string]outer{"Full": full(), "Zero": {}} {
		t.Run(name, func(t *testing.T) {
			got, err := Encode(&v, shout)
			if err != nil {
				t.Fatal(err)
			}

			v.Template.Name, v.NoTag = strings.ToUpper(v.Template.Name), ""

			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}

			want := &structpb.Struct{}
			if err := protojson.Unmarshal(b, want); err != nil {
				t.Fatal(err)
			}

			delete(want.GetFields(), "NoTag")

			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("Encode(): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestDecodeReversesEncode(t *testing.T) {
	s, err := Encode(full(), shout)
	if err != nil {
		t.Fatal(err)
	}

	s.Fields["unknown"] = structpb.NewStringValue("passed over")

	var got outer
	if err := Decode(s, &got, shout); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(full(), got); diff != "" {
		t.Errorf("Decode(Encode()): -want, +got:\n%s", diff)
	}
}

func TestDecodeFaults(t *testing.T) {
	cases := map[string]struct {
		reason string
		json   string
		want   string // A piece of the error; empty: none.
	}{
		"Null":        {reason: "Null says nothing.", json: `{"text": null, "list": null, "nested": [null, ["a"]]}`},
		"WrongType":   {reason: "A string is no flag.", json: `{"flag": "yes"}`, want: "flag"},
		"Fraction":    {reason: "Half a machine is none.", json: `{"number": 1.5}`, want: "number: want a whole number"},
		"TooLarge":    {reason: "Beyond this a float64 is not exact.", json: `{"number": 1e300}`, want: "whole number"},
		"Place":       {reason: "The place is named down to the item.", json: `{"list": [{}, {"count": "x"}]}`, want: "list[1].count: want a whole number"},
		"ListForText": {reason: "A list is no text.", json: `{"text": ["a"]}`, want: "text"},
		"TextForMap":  {reason: "A text is no map.", json: `{"labels": "a"}`, want: "labels"},
		"MapOfLists":  {reason: "The values of a map have a type, too.", json: `{"labels": {"k": []}}`, want: "labels.k: want text"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &structpb.Struct{}
			if err := protojson.Unmarshal([]byte(tc.json), s); err != nil {
				t.Fatal(err)
			}

			err := Decode(s, &outer{}, Text{})
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nDecode(): want an error with %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

func TestTypesThatModelsAreNotMadeOf(t *testing.T) {
	if _, err := Encode(struct {
		F float64 `json:"f"`
	}{}, Text{}); err == nil {
		t.Error("Encode() takes a float")
	}

	if _, err := Encode("text", Text{}); err == nil {
		t.Error("Encode() takes a text for an object")
	}

	if err := Decode(&structpb.Struct{}, outer{}, Text{}); err == nil {
		t.Error("Decode() writes into a copy")
	}
}

func TestEncodeFaults(t *testing.T) {
	type deep struct {
		List   []map[string]any          `json:"list,omitempty"`
		Labels map[string]map[string]any `json:"labels,omitempty"`
	}

	cases := map[string]struct {
		reason string
		value  any
		want   string
	}{
		"InAList": {
			reason: "The place is named down to the item, as by Decode.", value: deep{List: []map[string]any{nil, {"share": 0.5}}},
			want: "list[1].share: cannot encode a interface {}",
		},
		"InAMap": {
			reason: "The key of a map is a part of the place.", value: deep{Labels: map[string]map[string]any{"a": {"b": "text"}}},
			want: "labels.a.b: cannot encode a interface {}",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := Encode(tc.value, Text{}); err == nil || err.Error() != tc.want {
				t.Errorf("%s\nEncode(): want the error %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// FuzzEqual: it says what proto.Equal says.
func FuzzEqual(f *testing.F) {
	texts := []string{`null`, `true`, `false`, `0`, `1`, `""`, `"a"`, `[]`, `{}`, `[null]`, `{"a":null}`, `{"a":1}`, `{"b":1}`, `[1,[2]]`, `[1,[3]]`, `{"a":{"b":[1]}}`}
	for _, a := range texts {
		for _, b := range texts {
			f.Add(a, b)
		}
	}

	f.Fuzz(func(t *testing.T, textA, textB string) {
		var a, b structpb.Value
		if protojson.Unmarshal([]byte(textA), &a) != nil || protojson.Unmarshal([]byte(textB), &b) != nil {
			return
		}

		for _, pair := range [][2]*structpb.Value{{&a, &b}, {&b, &a}, {&a, proto.CloneOf(&a)}, {&a, {}}, {{}, &a}} {
			if got, want := Equal(pair[0], pair[1]), proto.Equal(pair[0], pair[1]); got != want {
				t.Errorf("Equal(%v, %v): want %t", pair[0], pair[1], want)
			}
		}
	})
}

// FuzzDecode: whatever object comes, there is no panic.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{}`, `{"list":[{"name":1}]}`, `{"nested":[[null]]}`, `{"labels":{"a":{}}}`, `{"template":{"name":"X"}}`} {
		f.Add(s)
	}

	f.Fuzz(func(_ *testing.T, text string) {
		s := &structpb.Struct{}
		if protojson.Unmarshal([]byte(text), s) == nil {
			_ = Decode(s, &outer{}, shout)
		}
	})
}

// TestDecodeMap: an entry of a map has nothing of another entry, whichever is read first.
func TestDecodeMap(t *testing.T) {
	type entry struct {
		Text   string   `json:"text"`
		Number *int64   `json:"number"`
		List   []string `json:"list"`
	}

	var got struct {
		Entries map[string]entry  `json:"entries"`
		Labels  map[string]string `json:"labels"`
	}

	s, err := structpb.NewStruct(map[string]any{
		"entries": map[string]any{
			"a": map[string]any{"text": "a", "number": 1, "list": []any{"x"}}, "b": map[string]any{"number": 2}, "c": map[string]any{"list": []any{"y", "z"}}, "d": map[string]any{},
		},
		"labels": map[string]any{"a": "b", "null": nil},
	})
	if err != nil {
		t.Fatal(err)
	}

	if err := Decode(s, &got, Text{}); err != nil {
		t.Fatal(err)
	}

	want := map[string]entry{"a": {Text: "a", Number: new(int64(1)), List: []string{"x"}}, "b": {Number: new(int64(2))}, "c": {List: []string{"y", "z"}}, "d": {}}
	if diff := cmp.Diff(want, got.Entries); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(map[string]string{"a": "b", "null": ""}, got.Labels); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestEncodeAs: whatever was read, the same is written, nothing of what was read is changed, and what is the same is taken from it.
func TestEncodeAs(t *testing.T) {
	v := full()

	want, err := Encode(&v, shout)
	if err != nil {
		t.Fatal(err)
	}

	edit := func(change func(fields map[string]*structpb.Value)) *structpb.Struct {
		s := proto.CloneOf(want)
		change(s.GetFields())

		return s
	}
	other := structpb.NewStringValue("other")

	for name, tc := range map[string]struct {
		reason string
		read   *structpb.Struct
		shares []string // Fields that are taken from what was read.
	}{
		"Nothing": {reason: "It is written for the first time."},
		"Same": {
			reason: "Nothing changed.", read: edit(func(map[string]*structpb.Value) {}),
			shares: []string{"always", "flag", "labels", "list", "nested", "number", "object", "shared", "template", "text"},
		},
		"More": {
			reason: "What the model does not know is not written.", read: edit(func(f map[string]*structpb.Value) {
				f["unknown"], f["object"].GetStructValue().Fields["unknown"] = other, other
				f["list"].GetListValue().GetValues()[0].GetStructValue().Fields["unknown"] = other
			}),
			shares: []string{"always", "flag", "labels", "nested", "number", "shared", "template", "text"},
		},
		"Less": {
			reason: "Fields, labels and elements that were not there are written.", read: edit(func(f map[string]*structpb.Value) {
				delete(f, "text")
				delete(f["labels"].GetStructValue().Fields, "k")
				f["list"].GetListValue().Values = f["list"].GetListValue().GetValues()[:1]
			}),
			shares: []string{"always", "flag", "nested", "number", "object", "shared", "template"},
		},
		"Others": {
			reason: "Other values, and values of another type.", read: edit(func(f map[string]*structpb.Value) {
				f["flag"], f["number"], f["always"] = structpb.NewBoolValue(false), structpb.NewNumberValue(7.5), structpb.NewNullValue()
				f["labels"].GetStructValue().Fields["k"], f["object"] = structpb.NewNumberValue(1), other
				f["list"].GetListValue().GetValues()[1] = other
				f["nested"].GetListValue().GetValues()[0].GetListValue().GetValues()[0] = other
			}),
			shares: []string{"shared", "template", "text"},
		},
		"Unescaped": {
			reason: "What is written through is compared as it is written.", read: edit(func(f map[string]*structpb.Value) {
				f["template"].GetStructValue().Fields["name"] = structpb.NewStringValue("t")
			}),
			shares: []string{"always", "flag", "labels", "list", "nested", "number", "object", "shared", "text"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := proto.CloneOf(tc.read)

			got, err := EncodeAs(&v, tc.read, shout)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(before, tc.read, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nwhat was read is changed: -was, +is:\n%s", tc.reason, diff)
			}

			var shares []string
			for field, value := range got.GetFields() {
				if value == tc.read.GetFields()[field] {
					shares = append(shares, field)
				}
			}

			slices.Sort(shares)

			if diff := cmp.Diff(tc.shares, shares); diff != "" {
				t.Errorf("%s\nshared: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
