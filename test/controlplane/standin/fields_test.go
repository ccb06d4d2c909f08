package standin

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCovers(t *testing.T) {
	cases := map[string]struct {
		reason     string
		have, want any
		covers     bool
	}{
		"Same":          {"What is there is enough.", map[string]any{"a": int64(1)}, map[string]any{"a": int64(1)}, true},
		"More":          {"What was not asked for is not managed.", map[string]any{"a": int64(1), "b": "x"}, map[string]any{"a": int64(1)}, true},
		"Numbers":       {"JSON has one type of number.", map[string]any{"a": int64(4)}, map[string]any{"a": float64(4)}, true},
		"Fraction":      {"A fraction is a difference.", float64(12), 12.5, false},
		"Other":         {"Another value is a difference.", map[string]any{"a": "x"}, map[string]any{"a": "y"}, false},
		"AbsentFlag":    {"A flag that is not there is off.", map[string]any{}, map[string]any{"a": false}, true},
		"MissingFlag":   {"A flag that is not there is not on.", map[string]any{}, map[string]any{"a": true}, false},
		"LongerList":    {"A block that was not asked for is taken away.", []any{"a", "b"}, []any{"a"}, false},
		"BlockInBlock":  {"Blocks are compared inside.", []any{map[string]any{"size": int64(10)}}, []any{map[string]any{"size": int64(20)}}, false},
		"NothingAsked":  {"Nothing asked is nothing to do.", map[string]any{"a": "x"}, map[string]any{}, true},
		"NothingExists": {"What is not there must be made.", nil, map[string]any{"a": "x"}, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := covers(tc.have, tc.want); got != tc.covers {
				t.Errorf("%s\ncovers(%v, %v): got %t", tc.reason, tc.have, tc.want, got)
			}
		})
	}
}

func TestTemplates(t *testing.T) {
	cases := map[string]struct {
		reason   string
		in       any
		template bool
		plain    any
	}{
		"Plain":     {"A text without braces is what it is.", "echo $HOME 100%", false, "echo $HOME 100%"},
		"Escaped":   {"An escaped template arrives as it was meant.", "a $${X} %%{ if }", false, "a ${X} %{ if }"},
		"Template":  {"A template that is not escaped is evaluated.", "a ${file(\"/etc/passwd\")}", true, "a ${file(\"/etc/passwd\")}"},
		"Directive": {"So is a directive.", "%{http_code}", true, "%{http_code}"},
		"Nested":    {"All texts count.", map[string]any{"l": []any{"${x}"}}, true, map[string]any{"l": []any{"${x}"}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := template(tc.in); got != tc.template {
				t.Errorf("%s\ntemplate(): got %t", tc.reason, got)
			}

			if diff := cmp.Diff(tc.plain, plain(tc.in)); diff != "" {
				t.Errorf("%s\nplain(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSplitName(t *testing.T) {
	cases := map[string]struct {
		reason, kind, name, node, id string
	}{
		"VM":         {"A number alone has no node.", "EnvironmentVM", "153", "", "153"},
		"VMOfNode":   {"A look names the node.", "EnvironmentVM", "pve/153", "pve", "153"},
		"File":       {"A file's id has a slash of its own.", "EnvironmentFile", "local:snippets/a.yaml", "", "local:snippets/a.yaml"},
		"FileOfNode": {"And one more with its node.", "EnvironmentFile", "pve/local:snippets/a.yaml", "pve", "local:snippets/a.yaml"},
		"None":       {"There may be none.", "EnvironmentVM", "", "", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if node, id := splitName(tc.kind, tc.name); node != tc.node || id != tc.id {
				t.Errorf("%s\nsplitName(): got %q, %q", tc.reason, node, id)
			}
		})
	}
}
