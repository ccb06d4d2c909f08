package manifest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	yamlv3 "go.yaml.in/yaml/v3"
)

// TestUnseen: a blank that is none, and a colon or a comma of another keyboard, are named where they stand, whatever YAML makes of them; in text they are meant.
func TestUnseen(t *testing.T) {
	const (
		blank  = "a no-break space (U+00A0)"
		copied = ", as copied from a web page: replace it by a blank"
		colon  = "has \uff1a (U+FF1A), which YAML reads as text: write a colon with a blank behind it"
	)

	cases := map[string]struct {
		reason, text string
		want         Fault
	}{
		"BeforeKey":    {"It is part of the key.", "spec:\n\u00a0 class: small\n", Fault{2, 1, "", "begins with " + blank + copied}},
		"BehindColon":  {"Key and value are one word.", "spec:\n  class:\u00a0small\n  image: a\n", Fault{2, 9, "", "has " + blank + " behind the colon" + copied}},
		"InBraces":     {"The first colon of the line is another one.", "spec: {node:\u00a0pve}\n", Fault{1, 13, "", "has " + blank + " behind the colon" + copied}},
		"BehindBrace":  {"It is part of the key.", "spec: {\u00a0node: pve}\n", Fault{1, 8, "", "has " + blank + " behind the brace {" + copied}},
		"BehindComma":  {"It is part of the key.", "spec: {node: pve,\u00a0site: home}\n", Fault{1, 18, "", "has " + blank + " behind the comma" + copied}},
		"BehindBlank":  {"Between them is a blank.", "spec: {node: pve, \u00a0site: home}\n", Fault{1, 19, "", "has " + blank + " behind the comma" + copied}},
		"List":         {"YAML makes one text of the items.", "tags:\n-\u00a0a\n-\u00a0b\n", Fault{2, 2, "", "begins with " + blank + copied}},
		"ListOfKeys":   {"The hyphen is part of the key.", "disks:\n-\u00a0size: 1\n", Fault{2, 2, "", "begins with " + blank + copied}},
		"Colon":        {"A word is no key.", "spec:\n  class\uff1asmall\n  image: a\n", Fault{2, 8, "", colon}},
		"ColonInBrace": {"The whole is a key.", "spec: {class\uff1asmall}\n", Fault{1, 13, "", colon}},
		"ColonInList":  {"An item is a text.", "disks:\n- size\uff1a1\n  name: a\n", Fault{2, 7, "", colon}},
		"Comma": {
			"The value goes on.", "spec: {class: small\uff0c image: a}\n", Fault{1, 20, "", "has \uff0c (U+FF0C), which YAML reads as text: write a comma with a blank behind it"},
		},

		"Text":       {"A text may begin with one.", "notes: |\n  \u00a0as: it is\n", Fault{}},
		"TextOfList": {"Lines of their own are meant.", "notes: |\n  -\u00a0a\n  -\u00a0b\n", Fault{}},
		"Quoted":     {"Quotes are meant.", "notes: \"-\u00a0a\"\n", Fault{}},
		"InText":     {"Between words it is meant.", "notes: 10\u00a0GiB\n", Fault{}},
		"WideText":   {"A person writes their language.", "notes: \u8bf4\u660e\uff1a\u4e00\uff0c\u4e8c\n", Fault{}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := Document{Line: 1, Text: []byte(tc.text)}

			var (
				object map[string]any
				got    Fault
			)

			if err := yamlv3.Unmarshal(d.Text, &object); err != nil {
				got = NotYAML(d, err)
			} else {
				got, _ = Unseen(d, object)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
