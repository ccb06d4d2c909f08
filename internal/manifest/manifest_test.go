package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	type document struct {
		Line int
		Name string
	}

	cases := map[string]struct {
		reason string
		stream string
		want   []document
		err    string
	}{
		"One": {
			reason: "a stream without a separator is one document",
			stream: "metadata: {name: a}\n",
			want:   []document{{1, "a"}},
		},
		"Several": {
			reason: "each document knows the line of the file in which it begins",
			stream: "# A comment.\n---\nmetadata: {name: a}\n---\n\nmetadata: {name: b}\n",
			want:   []document{{3, "a"}, {5, "b"}},
		},
		"BesideTheSeparator": {
			reason: "a comment beside the separator is no other separator",
			stream: "--- # first\nmetadata: {name: a}\n---\t\nmetadata: {name: b}\n",
			want:   []document{{1, "a"}, {4, "b"}},
		},
		"Empty": {
			reason: "an empty document is none",
			stream: "---\n---\n# Nothing.\n---\nmetadata: {name: a}\n",
			want:   []document{{5, "a"}},
		},
		"JSON": {
			reason: "kubectl reads one object of JSON after the other",
			stream: "{\"metadata\": {\"name\": \"a\"}}\n\n{\n\"metadata\": {\"name\": \"b\"}}\n",
			want:   []document{{1, "a"}, {1, "b"}},
		},
		"Flow": {
			reason: "what is in braces need not be JSON",
			stream: "{metadata: {name: a}}\n",
			want:   []document{{1, "a"}},
		},
		"EndOfDocument": {
			reason: "three dots end a document, with nothing behind them",
			stream: "metadata: {name: a}\n...\n# The end.\n",
			want:   []document{{1, "a"}},
		},
		"Unseparated": {
			reason: "kubectl and Flux would silently read the first one",
			stream: "---\n{metadata: {name: a}}\n\n{metadata: {name: b}}\n",
			err:    "line 4: nobody reads what begins here: a line with --- is missing above it",
		},
		"Twice": {
			reason: "Kubernetes would silently keep one of two values",
			stream: "---\nmetadata: {name: a}\nmetadata: {name: b}\n",
			err:    "line 3: metadata: is there twice: line 2 has it, too",
		},
		"Template": {
			reason: "YAML would name Go's types",
			stream: "metadata:\n  name: {{ .Values.name }}\n",
			err:    "line 2: {{ ... }} is a template, and no YAML yet: render it first",
		},
		"NoBreakSpace": {
			reason: "a key that nobody sees the first letter of",
			stream: "metadata: {name: a}\nspec:\n\u00a0 class: small\n",
			err:    "line 3: begins with a no-break space (U+00A0)",
		},
		"BlanksInText": {
			reason: "text may begin with any letter",
			stream: "metadata:\n  name: a\nspec:\n  notes: |\n    \u00a0 as: it is\n",
			want:   []document{{1, "a"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			documents, err := Parse([]byte(tc.stream))

			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("%s: want an error with %q, got %v", tc.reason, tc.err, err)
				}

				return
			}

			if err != nil {
				t.Fatal(err)
			}

			var got []document
			for _, d := range documents {
				got = append(got, document{d.Line, d.Object.GetName()})
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b.yml": "metadata: {name: b}\n", "a.yaml": "metadata: {name: a}\n", "sub/c.yaml": "metadata: {name: c}\n",
		"sub/observed.yaml": "metadata: {name: printed}\n", "sub/d.json": `{"apiVersion": "v1", "kind": "A", "metadata": {"name": "d"}}`,
		"package.json": `{"name": "theirs"}`, "sub/observed.json": `{"apiVersion": "v1", "kind": "A", "metadata": {"name": "printed"}}`, ".hidden.yaml": "metadata: {name: hidden}\n", ".git/d.yaml": "metadata: {name: hidden}\n", "notes.md": "# No manifest\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	sources, err := Read([]string{dir, Stdin}, strings.NewReader("metadata: {name: piped}\n"))
	if err != nil {
		t.Fatal(err)
	}

	var got []string
	for _, s := range sources {
		for _, d := range s.Documents {
			got = append(got, filepath.Base(s.File)+" "+d.Object.GetName())
		}
	}

	if diff := cmp.Diff([]string{"a.yaml a", "b.yml b", "c.yaml c", "d.json d", "- piped"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	if _, err := Read([]string{filepath.Join(dir, "none.yaml")}, nil); err == nil || !strings.Contains(err.Error(), "cannot find the manifest") {
		t.Errorf("a path without a file: want an error that says so, got %v", err)
	}
}
