package lint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// An object of a file: a document, or an item of a List.
type object struct {
	file  string
	first int // The line of the file in which the object's document begins.
	at    []string
	node  *yamlv3.Node
	value map[string]any
}

// kind of the object, as it was written.
func (o object) kind() string { return text(o.value["kind"]) }

// name of the object, as it was written.
func (o object) name() string {
	metadata, _ := o.value["metadata"].(map[string]any)

	return text(metadata["name"])
}

func (o object) namespace() string {
	metadata, _ := o.value["metadata"].(map[string]any)

	return text(metadata["namespace"])
}

func text(v any) string {
	s, _ := v.(string)

	return s
}

// A file as it was parsed: what could be read of it, and why the rest could not.
type parsed struct {
	objects []object
	faults  []Fault
}

// parse every document of a file. Of a folder, what is wrong with other people's files is theirs: the templates of a chart are no YAML.
func parse(raw manifest.Raw, sole bool) parsed {
	out := parsed{}

	for _, d := range raw.Documents {
		p := parseDocument(raw.File, d)
		out.objects = append(out.objects, p.objects...)

		if sole || ours(string(d.Text)) {
			out.faults = append(out.faults, p.faults...)
		}
	}

	return out
}

// ours says whether a document is probably a claim or a catalogue, also if it is no YAML.
func ours(text string) bool {
	words := []string{group + "/", environmentKind}
	for _, kind := range claimKinds {
		words = append(words, "kind: "+kind)
	}

	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

func parseDocument(file string, d manifest.Document) parsed {
	root := &yamlv3.Node{}

	decoder := yamlv3.NewDecoder(strings.NewReader(string(d.Text)))
	if err := decoder.Decode(root); errors.Is(err, io.EOF) {
		return parsed{}
	} else if err != nil {
		return parsed{faults: []Fault{notYAML(file, d, err)}}
	}

	top := root.Content[0]
	if top.Kind == yamlv3.ScalarNode && top.Tag == "!!null" {
		return parsed{}
	}

	o := object{file: file, first: d.Line, node: top}

	if top.Kind != yamlv3.MappingNode {
		f := o.fault(top, "", "is no manifest: a manifest is an object with apiVersion, kind, metadata and spec", Error)
		return parsed{faults: []Fault{f}}
	}

	out := parsed{faults: o.twice(top, nil)}

	// As kubectl reads it: in YAML 1.1, where yes is true.
	b, err := yaml.YAMLToJSON(d.Text)
	if err == nil {
		err = json.Unmarshal(b, &o.value)
	}

	if err != nil {
		return parsed{faults: append(out.faults, notYAML(file, d, err))}
	}

	if items, ok := o.value["items"].([]any); ok && strings.HasSuffix(o.kind(), "List") {
		for i, item := range items {
			if value, ok := item.(map[string]any); ok {
				at := []string{"items", strconv.Itoa(i)}
				out.objects = append(out.objects, object{file: file, first: d.Line, at: at, node: under(top, at), value: value})
			}
		}

		return out
	}

	out.objects = append(out.objects, o)

	return out
}

// under is the node of a path of keys and indexes.
func under(n *yamlv3.Node, path []string) *yamlv3.Node {
	for _, p := range path {
		_, child := childOf(n, p)
		if child == nil {
			return n
		}

		n = child
	}

	return n
}

var (
	errorLine   = regexp.MustCompile(`line (\d+): `)
	errorOfYAML = regexp.MustCompile(`^(error converting YAML to JSON: )?yaml: (unmarshal errors:\n\s*)?`)
	leadingTab  = regexp.MustCompile(`^ *\t`)
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
	{"unknown anchor", "text that begins with * needs quotes"},
}

// notYAML is the fault of a document that is no YAML, in the words of what people type.
func notYAML(file string, d manifest.Document, err error) Fault {
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
				File: file, Line: d.Line + n - 1, Column: tab, Severity: Error,
				Message: "is indented with a tab: YAML takes blanks only, two a level",
			}
		}
	}

	column := 1

	if line >= 1 && line <= len(lines) {
		column += len(lines[line-1]) - len(strings.TrimLeft(lines[line-1], " "))
	}

	for _, h := range hints {
		if strings.Contains(reason, h.part) {
			reason += ": " + h.hint
			break
		}
	}

	return Fault{File: file, Line: d.Line + line - 1, Column: column, Severity: Error, Message: "is no YAML: " + message.Text(reason)}
}

// twice are the keys that an object has twice, of which Kubernetes silently keeps one.
func (o object) twice(n *yamlv3.Node, at []string) []Fault {
	var out []Fault

	switch n.Kind {
	case yamlv3.MappingNode:
		seen := map[string]int{}

		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			path := append(slices.Clone(at), message.Key(key.Value))

			if before, double := seen[key.Value]; double && key.Tag != "!!merge" {
				out = append(out, o.fault(key, strings.Join(path, "."), fmt.Sprintf("is there twice: line %d has it, too", o.first+before-1), Error))
			}

			seen[key.Value] = key.Line
			out = append(out, o.twice(n.Content[i+1], path)...)
		}
	case yamlv3.SequenceNode:
		for i, item := range n.Content {
			path := slices.Clone(at)
			if len(path) > 0 {
				path[len(path)-1] += fmt.Sprintf("[%d]", i)
			}

			out = append(out, o.twice(item, path)...)
		}
	case yamlv3.DocumentNode, yamlv3.ScalarNode, yamlv3.AliasNode:
	}

	return out
}

// fault of an object at a node of its document.
func (o object) fault(at *yamlv3.Node, path, text string, severity Severity) Fault {
	return Fault{
		File: o.file, Line: o.first + max(at.Line, 1) - 1, Column: max(at.Column, 1), Path: path, Message: message.Text(text), Severity: severity,
		Kind: cut(o.kind()), Name: cut(o.name()),
	}
}

// cut is a name as JSON output shows it.
func cut(name string) string {
	if !utf8.ValidString(name) {
		return ""
	}

	return message.Excerpt(name)
}
