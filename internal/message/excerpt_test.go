package message

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestExcerpt(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  string
		want   string
	}{
		"Empty": {reason: "Nothing is shown as nothing."},
		"Short": {reason: "A short value is shown as it is, line ends and all.", value: "a\nb", want: "a\nb"},
		"JustFits": {
			reason: "The longest value that is shown whole.",
			value:  strings.Repeat("x", 64), want: strings.Repeat("x", 64),
		},
		"Long": {
			reason: "A long value is cut, and its size is said.",
			value:  strings.Repeat("x", 1<<20), want: strings.Repeat("x", 64) + "... (1048576 bytes)",
		},
		"LongRunes": {
			reason: "A letter of several bytes is never cut in two.",
			value:  strings.Repeat("ü", 65), want: strings.Repeat("ü", 64) + "... (130 bytes)",
		},
		"Excerpt": {
			reason: "What was cut already keeps the size of the value.",
			value:  strings.Repeat("x", 64) + "... (70 bytes)", want: strings.Repeat("x", 64) + "... (70 bytes)",
		},
		"FewLongRunes": {
			reason: "Letters are counted, not bytes.",
			value:  strings.Repeat("ü", 64), want: strings.Repeat("ü", 64),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Excerpt(tc.value)); diff != "" {
				t.Errorf("%s\nExcerpt(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestKey(t *testing.T) {
	cases := map[string]struct {
		reason string
		name   string
		want   string
	}{
		"Field":   {reason: "A field's name is shown as it is.", name: "vmId", want: "vmId"},
		"Image":   {reason: "So is a name with dots, dashes and slashes.", name: "topology.kubernetes.io/zone-1", want: "topology.kubernetes.io/zone-1"},
		"Empty":   {reason: "An empty name is shown as such.", name: "", want: `""`},
		"NewLine": {reason: "A line end cannot forge a second message.", name: "a\nspec.b", want: `"a\nspec.b"`},
		"Space":   {reason: "A blank is shown in quotes.", name: "a b", want: `"a b"`},
		"Long":    {reason: "A long name is cut.", name: strings.Repeat("x", 100), want: `"` + strings.Repeat("x", 64) + `... (100 bytes)"`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Key(tc.name)); diff != "" {
				t.Errorf("%s\nKey(%q): -want, +got:\n%s", tc.reason, tc.name, diff)
			}
		})
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("4Gi")
	f.Add(strings.Repeat("\xff", 200))

	f.Fuzz(func(t *testing.T, value string) {
		if got := Excerpt(value); utf8.RuneCountInString(got) > maxRunes+40 {
			t.Errorf("Excerpt(%d bytes): %d runes", len(value), utf8.RuneCountInString(got))
		}
	})
}

func TestWithin(t *testing.T) {
	for path, want := range map[string]bool{
		"spec.k3s": true, "spec.k3s.config": true, "spec.k3s[0]": true, "spec.k3sx": false, "spec": false, "x.spec.k3s": false,
	} {
		if got := Within(path, "spec.k3s"); got != want {
			t.Errorf("Within(%q, spec.k3s) is %t", path, got)
		}
	}
}
