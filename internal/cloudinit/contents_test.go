package cloudinit

import (
	"bytes"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// parsed is what the YAML library reads of a text.
func parsed(text string) (Contents, error) {
	out := Contents{Keys: map[string]any{}, Files: map[string]string{}}

	var files struct {
		WriteFiles []struct {
			Path    string `yaml:"path"`
			Content string `yaml:"content"`
		} `yaml:"write_files"`
	}

	if err := yaml.Unmarshal([]byte(text), &files); err != nil {
		return out, err
	}

	if err := yaml.Unmarshal([]byte(text), &out.Keys); err != nil {
		return out, err
	}

	delete(out.Keys, "write_files")

	for _, f := range files.WriteFiles {
		out.Files[f.Path] += f.Content
	}

	return out, nil
}

// sameAsParsed holds what is read of a text against the YAML library.
func sameAsParsed(t *testing.T, text string) {
	t.Helper()

	want, wantErr := parsed(text)
	got, err := Read(text)

	if (err == nil) != (wantErr == nil) {
		t.Fatalf("Read: %v; the YAML library: %v\n%s", err, wantErr, text)
	}

	// Not a number is never the same as itself.
	if wantErr == nil && !cmp.Equal(fmt.Sprintf("%#v", want), fmt.Sprintf("%#v", got)) {
		t.Fatalf("-the YAML library, +Read:\n%s\n%s", cmp.Diff(want, got), text)
	}
}

// texts that Read could take for what they are not.
var texts = map[string]string{
	"Empty":             "",
	"OnlyHeader":        "#cloud-config\n",
	"NoMapping":         "#cloud-config\n- a\n",
	"Null":              "#cloud-config\nnull\n",
	"QuotedAcross":      "#cloud-config\na: \"foo\nwrite_files:\n  - path: /x\n    content: |\n      y\nb: bar\"\n",
	"Twice":             "#cloud-config\na: 1\nwrite_files:\n  - path: /x\n    content: |\n      y\na: 2\n",
	"FilesTwice":        "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n      y\nwrite_files:\n  - path: /z\n    content: |\n      y\n",
	"Parts":             "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n      y\n  - path: /x\n    content: 'z'\n  - path: /x\n    content: |-\n      y\n",
	"Strip":             "#cloud-config\nwrite_files:\n  - path: /x\n    permissions: '0644'\n    owner: a:b\n    append: true\n    defer: true\n    content: |-\n      y\n\n       z\n      # c\n\n",
	"Keep":              "#cloud-config\nwrite_files:\n  - path: /x\n    content: |+\n      y\n\n\n  - path: /z\n    content: |\n      y\n\n\n",
	"Blanks":            "#cloud-config\nwrite_files:\n  - path: /x\n    content: |+\n      y\n      \n   \n        \n",
	"Indented":          "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n        y\n       z\n",
	"IndentedMore":      "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n        y\n        z\n",
	"FieldAfterContent": "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n      y\n    defer: true\n",
	"ContentTwice":      "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n      y\n    content: |\n      z\n",
	"PathTwice":         "#cloud-config\nwrite_files:\n  - path: /x\n    path: /y\n    content: |\n      y\n",
	"FieldTwice":        "#cloud-config\nwrite_files:\n  - path: /x\n    defer: true\n    defer: true\n    content: |\n      y\n",
	"PathWithComment":   "#cloud-config\nwrite_files:\n  - path: /x # y\n    content: |\n      y\n",
	"CommentBetween":    "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n      y\n # c\n  - path: /z\n    content: |\n      y\n",
	"ItemInBlock":       "#cloud-config\nwrite_files:\n  - content: |\n        a\n  - path: /x\n    content: \"a\n  - path: /z\n    content: |\n      y\"\n",
	"Number":            "#cloud-config\nwrite_files:\n  - path: /x\n    content: 12\n  - path: /y\n    content:\n  - path: /z\n    content: !!binary YQ==\n  - path: 1\n",
	"List":              "#cloud-config\nwrite_files:\n  - path: /x\n    content: [a]\n",
	"FilesNoList":       "#cloud-config\nwrite_files:\n  path: /x\n",
	"FilesNull":         "#cloud-config\nwrite_files:\na: b\n",
	"FilesFlow":         "#cloud-config\nwrite_files: [{path: /x, content: y}]\n",
	"FilesAtTheMargin":  "#cloud-config\nwrite_files:\n- path: /x\n  content: y\n",
	"FilesDeep":         "#cloud-config\nwrite_files:\n    - path: /x\n      content: |\n        y\n",
	"Anchor":            "#cloud-config\na: &a b\nwrite_files:\n  - path: *a\n    content: |\n      y\nc: *a\n",
	"Merge":             "#cloud-config\na: &a {b: c}\nd: {<<: *a, e: f}\n",
	"Documents":         "#cloud-config\na: b\n---\nc: d\n",
	"End":               "#cloud-config\na: b\n...\nc: d\n",
	"Control":           "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n      a\x01b\n",
	"CarriageReturn":    "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n      a\r\n      b\n",
	"LineSeparator":     "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n      a\u2028b\n",
	"Tab":               "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n      a\n\tb\n",
	"TabInside":         "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n      a\n      \tb\n",
	"NoNewline":         "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n      a",
	"Keys":              "#cloud-config\na: {1: b, c: d}\ne: {x: null, y: 0o7, z: 2020-01-01, n: .inf, v: 1_0, w: 12:30}\nf: []\ng: {}\n",
	"KeyTwice":          "#cloud-config\na: {b: 1, b: 2}\n",
	"NumberKey":         "#cloud-config\n1: a\n",
	"MapAsKey":          "#cloud-config\na: {[b]: c}\n",
	"Tagged":            "#cloud-config\na: !!map {b: c}\nd: !x e\nf: !!int \"3\"\n",
	"LeadingBlank":      "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n\n      y\n",
	"EmptyBlock":        "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n  - path: /y\n    content: |\n      y\n",
	"Indicator":         "#cloud-config\nwrite_files:\n  - path: /x\n    content: |2\n      y\n",
	"TwoLevels":         "#cloud-config\nwrite_files:\n  - path: /x\n    content: |\n      y\n     z\n",
}

func TestReadIsWhatIsParsed(t *testing.T) {
	for name, text := range texts {
		t.Run(name, func(t *testing.T) { sameAsParsed(t, text) })
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}

	for _, d := range []Document{machine(), node()} {
		text, err := d.Marshal()
		if err != nil {
			f.Fatal(err)
		}

		f.Add(string(text))
	}

	f.Fuzz(sameAsParsed)
}

// whole is the document as the YAML library writes it at once.
func whole(d Document) ([]byte, error) {
	root := newMapping()
	d.identity(root)
	d.access(root)
	d.software(root)

	if err := d.extra(root); err != nil {
		return nil, err
	}

	files := make([]*yaml.Node, 0, len(d.WriteFiles)+len(d.added.files))
	for _, file := range d.WriteFiles {
		files = append(files, file.node())
	}

	root.addNodes("write_files", append(files, d.added.files...))
	d.commands(root)

	var out bytes.Buffer

	out.WriteString(Header + "\n")
	err := encode(&out, root.node)

	return out.Bytes(), err
}

// FuzzMarshal: a document that is written in parts is the document, and is read as it was written.
func FuzzMarshal(f *testing.F) {
	f.Add("a: b\nwrite_files: [{path: /x, content: \"y\\r\"}, {content: 1, path: /y}]\nc: [1, ~, 0x1, {d: 1e3}]\nusers: [a, {name: ops, x: y}]\n", "text\n")
	f.Add("", " x\n  ")
	f.Add("packages: [a, [b, '1']]\nssh_authorized_keys: [k]\nruncmd: [a, [b]]\n", "a\n\n  \n\tb\n\n")
	f.Add("# c\na: &x b # d\n# e\nwrite_files:\n  # f\n  - path: /x # g\n    content: *x\n# h\nz: *x\n# i\n", "#\n")

	f.Fuzz(func(t *testing.T, theirs, content string) {
		extra, faults := ParseUserData(Header+"\n"+theirs, userData)
		d := node()
		d.WriteFiles = append(d.WriteFiles, File{Path: "/etc/some thing", Permissions: "0644", Content: content, Former: "former\n"})

		if faults = append(faults, d.Merge(extra, rules(), userData)...); len(faults) > 0 {
			return
		}

		for _, d := range []Document{d, d.As(ReleaseV010), {}} {
			text, err := d.Marshal()
			if err != nil {
				return
			}

			want, err := whole(d)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(string(want), string(text)); diff != "" {
				t.Fatalf("-at once, +in parts:\n%s", diff)
			}

			sameAsParsed(t, string(text))
		}
	})
}

// worked is the processor time that the process had so far.
func worked(t *testing.T) time.Duration {
	t.Helper()

	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}

	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestReadIsLinear: eight times as many keys take about eight times as long. Where each was compared with each, it was sixty times. It is processor time, so that
// what else a machine does decides nothing.
func TestReadIsLinear(t *testing.T) {
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "  key%d: %d\n", i, i)
		}

		return Header + "\na:\n" + b.String()
	}

	fastest := func(text string) (least time.Duration) {
		for i := range 5 {
			begin := worked(t)

			if _, err := Read(text); err != nil {
				t.Fatal(err)
			}

			if took := worked(t) - begin; i == 0 || took < least {
				least = took
			}
		}

		return least
	}

	if few, many := fastest(keys(2500)), fastest(keys(20_000)); many > 30*few {
		t.Errorf("2,500 keys take %s, and 20,000 keys %s", few, many)
	}
}

func BenchmarkRead(b *testing.B) {
	text, err := machine().Marshal()
	if err != nil {
		b.Fatal(err)
	}

	for b.Loop() {
		if _, err := Read(string(text)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestParsed: what one reads of a cloud-config is the same after others read it, and what is no cloud-config has nothing to read.
func TestParsed(t *testing.T) {
	type reading struct {
		Contents Contents
		Plain    map[string]string
		Doubts   []Doubt
		Readable bool
	}

	read := func(p Parsed) (out reading) {
		out.Plain, out.Doubts = p.PlainFiles(), p.Doubts(Guest{})

		var err error
		out.Contents, err = p.Contents()
		out.Readable = err == nil

		return out
	}

	nothing := Contents{Keys: map[string]any{}, Files: map[string]string{}}
	cases := map[string]struct {
		reason string
		parsed Parsed
		want   reading
	}{
		"Zero":   {"Whoever has no text has no keys.", Parsed{}, reading{nothing, map[string]string{}, nil, true}},
		"Empty":  {"An empty text has no keys.", Parse(""), reading{nothing, map[string]string{}, nil, true}},
		"NoYAML": {"A text that is no YAML is an error for those who need to know.", Parse("a: ["), reading{nothing, map[string]string{}, nil, false}},
		"List":   {"A list is no cloud-config.", Parse("[1]"), reading{nothing, map[string]string{}, nil, false}},
		"Whole": {
			"Every reader gets its own.", Parse("#cloud-config\npackges: [git]\nwrite_files:\n- {path: /a, content: b}\n- {path: /c, content: ZA==, encoding: b64}\n"),
			reading{
				Contents{map[string]any{"packges": []any{"git"}}, map[string]string{"/a": "b", "/c": "ZA=="}},
				map[string]string{"/a": "b"},
				[]Doubt{{"line 2: cloud-init has no key packges, and passes over it", "packges"}},
				true,
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				if diff := cmp.Diff(tc.want, read(tc.parsed)); diff != "" {
					t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}
