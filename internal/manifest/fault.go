package manifest

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// NoManifest is what is wrong with YAML that is no object.
const NoManifest = "is no manifest: a manifest is an object with apiVersion, kind, metadata and spec"

// NotObject is what is wrong with a document that is no object.
func NotObject(n *yamlv3.Node) string {
	if n.Kind != yamlv3.SequenceNode {
		return NoManifest
	}

	return "is a list, and a manifest is an object: remove the hyphen, or the brackets, around each, and separate several by a line with ---"
}

// IsTwice is how a fault of a key begins that a document has twice.
const IsTwice = "is there twice: "

// A Fault is why a document cannot be read, in the words that all our programs have for it.
type Fault struct {
	Line, Column int    // In the file, from 1.
	Path         string // Of the key; empty where none is at fault.
	Message      string
}

// A faultError is a fault as the error of who stops at the first one.
type faultError struct{ fault Fault }

// Error is the fault without its file.
func (e faultError) Error() string { return fmt.Sprintf("line %d: %s", e.fault.Line, e.fault.text()) }

// In a file, a fault is as compilers print it: file:line:column: path: message.
func (f Fault) In(file string) string {
	return fmt.Sprintf("%s:%d:%d: %s", file, f.Line, f.Column, f.text())
}

func (f Fault) text() string {
	if f.Path == "" {
		return f.Message
	}

	return f.Path + ": " + f.Message
}

// faultOf a document that a parser refused with an error: the place that the error lacks.
func faultOf(d Document, err error) Fault {
	root := &yamlv3.Node{}

	switch parsed := yamlv3.NewDecoder(strings.NewReader(string(d.Text))).Decode(root); {
	case errors.Is(parsed, io.EOF):
	case parsed != nil:
		return NotYAML(d, parsed)
	case root.Content[0].Kind != yamlv3.MappingNode:
		return Fault{Line: d.Line + root.Content[0].Line - 1, Column: root.Content[0].Column, Message: NotObject(root.Content[0])}
	default:
		if f, _, ok := Glued(d, root.Content[0]); ok {
			return f
		}

		if twice := Twice(d.Line, root.Content[0]); len(twice) > 0 {
			return twice[0]
		}
	}

	return NotYAML(d, err)
}

var (
	errorLine   = regexp.MustCompile(`line (\d+): `)
	errorOfYAML = regexp.MustCompile(`^(error converting YAML to JSON: )?yaml: (unmarshal errors:\n\s*)?`)
	leadingTab  = regexp.MustCompile(`^ *\t`)
	// The parser says no line.
	unknownAnchor = regexp.MustCompile(`unknown anchor '([^']+)' referenced`)
)

// hints are what the errors of the YAML parser mean for who typed the file.
var hints = []struct{ part, hint string }{ //nolint:gochecknoglobals // A constant table.
	{"mapping values are not allowed", "a colon with a blank behind it begins a value: put text with one into quotes; or the line is indented wrongly"},
	{"cannot start any token", "put text that begins with @, % or ` into quotes"},
	{"did not find expected ',' or '}'", "a brace { is not closed, or a comma is missing"},
	{"did not find expected ',' or ']'", "a bracket [ is not closed, or a comma is missing"},
	{"did not find expected node content", "a brace { or a bracket [ is not closed"},
	{"did not find expected key", "the line begins in another column than the lines that belong to it"},
	{"did not find expected '-'", "the line begins in another column than the items of the list"},
	{"could not find expected ':'", "a colon with a blank behind it is missing, or a quote is not closed"},
	{"unexpected end of stream", "a quote is not closed"},
	{"unknown anchor", "text that begins with * needs quotes; and an anchor counts only in its own document, between two lines of ---"},
}

// blockText is the beginning of text on several lines in an object in braces, which cannot have any.
var blockText = regexp.MustCompile(`^ *(- )?[^#"']*\{[^}"']*: [|>][-+0-9]*$`)

// blockInBraces finds | or > inside of braces at a line that the parser named.
func blockInBraces(d Document, lines []string, line int) (Fault, bool) {
	for _, n := range []int{line, line + 1, line - 1} {
		if n >= 1 && n <= len(lines) && blockText.MatchString(strings.TrimRight(lines[n-1], " \r")) {
			return faultAt(d, n-1, strings.LastIndexAny(lines[n-1], "|>"),
				"is no YAML: text on several lines cannot stand in braces: remove { and }, and write the field with | on a line of its own, further in"), true
		}
	}

	return Fault{}, false
}

// NotYAML is the fault of a document that is no YAML, in the words of what people type.
func NotYAML(d Document, err error) Fault {
	line := 1
	reason := errorOfYAML.ReplaceAllString(err.Error(), "")

	if m := errorLine.FindStringSubmatchIndex(reason); m != nil {
		line, _ = strconv.Atoi(reason[m[2]:m[3]])
		reason = reason[:m[0]] + reason[m[1]:]
	}

	// The parser counts lines from 0, and the scanner below it from 1.
	if strings.HasPrefix(reason, "did not find expected") {
		line++
	}

	lines := strings.Split(string(d.Text), "\n")

	// The parser often names the line before or behind the one with the tab.
	for _, n := range []int{line, line + 1, line - 1} {
		if n >= 1 && n <= len(lines) && leadingTab.MatchString(lines[n-1]) {
			tab := strings.Index(lines[n-1], "\t") + 1

			return Fault{
				Line: d.Line + n - 1, Column: tab,
				Message: "is indented with a tab: YAML takes blanks only, two a level",
			}
		}
	}

	pasted := func(d Document) (Fault, bool) { return pastedNear(d, line) }

	block := func(d Document) (Fault, bool) { return blockInBraces(d, lines, line) }

	finds := []func(Document) (Fault, bool){unreadable, conflict, seen, wide, pasted, template, variable, block}
	if strings.HasPrefix(reason, "mapping values are not allowed") || strings.HasPrefix(reason, "could not find expected ':'") {
		finds = append(finds, func(d Document) (Fault, bool) { return noBlank(d, line) })
	}

	for _, find := range finds {
		if f, ok := find(d); ok {
			return f
		}
	}

	column := 1

	if line >= 1 && line <= len(lines) {
		column += len(lines[line-1]) - len(strings.TrimLeft(lines[line-1], " "))
	}

	if m := unknownAnchor.FindStringSubmatch(reason); m != nil {
		line, column = aliasAt(lines, m[1])
	}

	for _, h := range hints {
		if strings.Contains(reason, h.part) {
			reason += ": " + h.hint
			break
		}
	}

	return faultAt(d, line-1, column-1, "is no YAML: "+message.Text(reason))
}

// aliasAt is the line and column, from 1, of the first alias of an anchor.
func aliasAt(lines []string, anchor string) (line, column int) {
	alias := regexp.MustCompile(`(?:^|[\s\[{,:-])(\*` + regexp.QuoteMeta(anchor) + `)(?:[\s\]},]|$)`)

	for i, text := range lines {
		before, _, _ := strings.Cut(text, " #")
		if at := alias.FindStringSubmatchIndex(before); at != nil {
			return i + 1, at[2] + 1
		}
	}

	return 1, 1
}

// inBraces is a value of a template in two braces, as Helm and Jinja have it: YAML reads it as an object with an object as its key.
var inBraces = regexp.MustCompile(`^[^#"']*(\{\{|\{%)`)

// template is the fault of a document that is the template of one.
func template(d Document) (Fault, bool) {
	for i, line := range strings.Split(string(d.Text), "\n") {
		if at := inBraces.FindStringIndex(line); at != nil {
			return faultAt(d, i, at[1]-len("{{"), "{{ ... }} is a template, and no YAML yet: render it first (helm template ... | kubectl machine lint -f -)"), true
		}
	}

	return Fault{}, false
}

// Twice are the keys that a document, which begins in a line of its file, has twice, and of which Kubernetes silently keeps one.
func Twice(first int, n *yamlv3.Node) []Fault { return twice(first, n, nil) }

func twice(first int, n *yamlv3.Node, at []string) []Fault {
	var out []Fault

	switch n.Kind {
	case yamlv3.MappingNode:
		seen := map[string]int{}

		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			path := append(slices.Clone(at), message.Key(key.Value))

			if before, double := seen[key.Value]; double && key.Tag != "!!merge" {
				out = append(out, Fault{
					Line: first + key.Line - 1, Column: max(key.Column, 1), Path: strings.Join(path, "."),
					Message: fmt.Sprintf(IsTwice+"line %d has it, too", first+before-1),
				})
			}

			seen[key.Value] = key.Line
			out = append(out, twice(first, n.Content[i+1], path)...)
		}
	case yamlv3.SequenceNode:
		for i, item := range n.Content {
			path := slices.Clone(at)
			if len(path) > 0 {
				path[len(path)-1] += fmt.Sprintf("[%d]", i)
			}

			out = append(out, twice(first, item, path)...)
		}
	case yamlv3.DocumentNode, yamlv3.ScalarNode, yamlv3.AliasNode:
	}

	return out
}
