package proxmox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
)

func TestEscape(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     string
		want   string
	}{
		"Variable":       {reason: "A shell variable in braces is a reference to Terraform.", in: "echo ${HOME}", want: "echo $${HOME}"},
		"Directive":      {reason: "curl's formats look like a directive.", in: "%{http_code}", want: "%%{http_code}"},
		"FileOfThePod":   {reason: "A template could read the provider's credentials.", in: `${file("/etc/passwd")}`, want: `$${file("/etc/passwd")}`},
		"Harmless":       {reason: "Everything else is literal already.", in: "$HOME $(id) 100% $$ %% {}", want: "$HOME $(id) 100% $$ %% {}"},
		"EscapedAlready": {reason: "Text that looks escaped is text, too.", in: "$${X}", want: "$$${X}"},
		"Nested":         {reason: "Every opening counts.", in: "${a${b}}%{c}", want: "$${a$${b}}%%{c}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Escape(tc.in)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nEscape(): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.in, Unescape(got)); diff != "" {
				t.Errorf("Unescape(Escape()): -want, +got:\n%s", diff)
			}
		})
	}
}

// TestFileHasNoTemplate: what somebody else wrote into a snippet is escaped before it is written again; what we wrote stays.
func TestFileHasNoTemplate(t *testing.T) {
	for in, want := range map[string]string{"a ${b} %{c}": "a $${b} %%{c}", "a $${b} %%{c}": "a $${b} %%{c}", "$${a} ${b}": "$${a} $${b}"} {
		observed, err := structpb.NewStruct(map[string]any{"spec": map[string]any{"forProvider": map[string]any{
			"sourceRaw": []any{map[string]any{"fileName": "${name}", "data": in}},
		}}})
		if err != nil {
			t.Fatal(err)
		}

		o, err := ObserveFile(observed)
		if err != nil {
			t.Fatal(err)
		}

		m, err := ManifestOf(o.Retained(Metadata{}, false))
		if err != nil {
			t.Fatal(err)
		}

		spec, _ := m.AsMap()["spec"].(map[string]any)
		parameters, _ := spec["forProvider"].(map[string]any)

		if diff := cmp.Diff([]any{map[string]any{"fileName": "$${name}", "data": want}}, parameters["sourceRaw"]); diff != "" {
			t.Errorf("ManifestOf(ObserveFile(%q)): -want, +got:\n%s", in, diff)
		}
	}
}

// FuzzEscape holds that nothing is lost and no template is left.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "${", "$${", "%%{", "$$${x}", "%{if}", "${${", "$%{", "%${"} {
		f.Add(s)
	}

	f.Fuzz(func(t *testing.T, s string) {
		e := Escape(s)
		if got := Unescape(e); got != s {
			t.Errorf("Unescape(Escape(%q)) is %q", s, got)
		}

		if got, want := readLiteral(Literal(s)), NewLiteral(Unescape(s)); got != want {
			t.Errorf("readLiteral(%q) is %q, want %q", s, got, want)
		}

		// As HCL's scanner reads it: an escape takes three bytes, and what opens a template then is one.
		for rest := e; ; {
			i := strings.Index(rest, "{")
			if i < 0 {
				break
			}

			before := rest[:i]
			if strings.HasSuffix(before, "$") && !strings.HasSuffix(before, "$$") || strings.HasSuffix(before, "%") && !strings.HasSuffix(before, "%%") {
				t.Fatalf("Escape(%q) leaves a template in %q", s, e)
			}

			rest = rest[i+1:]
		}
	})
}

// TestEscapeEachText: of every short text of signs, braces and a letter, escaping and reading it back is to replace the two openings, one after the other.
func TestEscapeEachText(t *testing.T) {
	const longest = 7

	texts := []string{""}
	for i := 0; len(texts[i]) < longest; i++ {
		for _, next := range []string{"$", "%", "{", "a"} {
			texts = append(texts, texts[i]+next)
		}
	}

	for _, text := range texts {
		if got, want := Escape(text), strings.ReplaceAll(strings.ReplaceAll(text, "${", "$${"), "%{", "%%{"); got != want {
			t.Errorf("Escape(%q) = %q, want %q", text, got, want)
		}

		if got, want := Unescape(text), strings.ReplaceAll(strings.ReplaceAll(text, "$${", "${"), "%%{", "%{"); got != want {
			t.Errorf("Unescape(%q) = %q, want %q", text, got, want)
		}

		escaped := strings.Count(text, "${") == strings.Count(text, "$${") && strings.Count(text, "%{") == strings.Count(text, "%%{")
		if got := isLiteral(text); got != escaped {
			t.Errorf("isLiteral(%q) = %t, want %t", text, got, escaped)
		}
	}
}
