package message

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	long := strings.Repeat("x", MaxBytes)

	cases := map[string]struct {
		reason string
		text   string
		want   string
	}{
		"Plain":     {"What a person can see stays.", "Grüße an 「pve」: `a` 100% 🙂", "Grüße an 「pve」: `a` 100% 🙂"},
		"Lines":     {"A line end cannot forge a second message.", "a\r\nReady: True\tb", `a\r\nReady: True\tb`},
		"Control":   {"Nor can a terminal be told what to do.", "\x1b[2Ja\x00\x7f\u0085", `\x1b[2Ja\x00\x7f\u0085`},
		"Direction": {"Nor can text be turned around.", "a\u202eb\u2066c\u2069d\u200fe\u061cf", `a\u202eb\u2066c\u2069d\u200fe\u061cf`},
		"Hidden":    {"Nor can anything be hidden.", "a\u200bb\ufeffc\u2028d\u00ade", `a\u200bb\ufeffc\u2028d\u00ade`},
		"NoText":    {"Bytes that are no text are shown as such.", "a\xffb", `a\xffb`},
		"JustFits":  {"The longest message.", long, long},
		"TooLong":   {"A longer one is cut, and its size is said.", long + "y", strings.Repeat("x", MaxBytes-16) + "... (4097 bytes)"},
		"LongLetters": {
			"A letter of several bytes is never cut in two.", strings.Repeat("ü", MaxBytes), strings.Repeat("ü", (MaxBytes-16)/2) + "... (8192 bytes)",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Text(tc.text)
			if got != tc.want {
				t.Errorf("%s\nText(): want %q, got %q", tc.reason, tc.want, got)
			}

			if len(got) > MaxBytes || !utf8.ValidString(got) || Text(got) != got {
				t.Errorf("%s\nText(): %d bytes", tc.reason, len(got))
			}
		})
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\u202eb\xff")
	f.Add(strings.Repeat("\u2028", 5000))

	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		if len(got) > MaxBytes || !utf8.ValidString(got) || strings.ContainsFunc(got, invisible) {
			t.Errorf("Text(%q): %q", text, got)
		}
	})
}
