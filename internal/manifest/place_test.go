package manifest

import (
	"errors"
	"testing"
)

// TestColumnsAreLetters: an umlaut in front, which is two bytes, moves no fault.
func TestColumnsAreLetters(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason, text string
		line, column int
	}{
		"Placeholder": {"Braces of a variable within braces.", "a: {größe: b, c: ${C}}\n", 1, 18},
		"Template":    {"Braces of a template.", "größe: {{ .Values.a }}\n", 1, 8},
		"Wide":        {"A wide colon.", "# Ä\n{größe: a, b\uff1a c: d: e}\n", 2, 13},
		"Block":       {"Text on several lines in braces.", "größe: {a: |\n  b\n}\n", 1, 12},
		"Anchor":      {"An alias without its anchor.", "größe: *weg\n", 1, 8},
	}

	for name, tc := range cases {
		at := faultError{}
		if _, err := Parse([]byte(tc.text)); !errors.As(err, &at) || at.fault.Line != tc.line || at.fault.Column != tc.column {
			t.Errorf("%s: %s: want %d:%d, got %+v", name, tc.reason, tc.line, tc.column, at.fault)
		}
	}
}
