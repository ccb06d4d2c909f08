package lint

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
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
	// placed is the namespace in which Flux puts the object, whatever it says itself; empty where no layer does.
	placed string
}

// kind of the object, as it was written.
func (o object) kind() string { return text(o.value["kind"]) }

// name of the object, as it was written.
func (o object) name() string {
	metadata, _ := o.value["metadata"].(map[string]any)

	return text(metadata["name"])
}

// namespace of the object, as it was written.
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

	if fault, empty := raw.EmptyCatalogue(); empty {
		out.faults = append(out.faults, of(raw.File, fault))
	}

	return out
}

// lacksCatalogue is true of what is parsed of a file with a catalogue that is no YAML, or that is empty.
func (p parsed) lacksCatalogue(of manifest.Raw) bool {
	_, empty := of.EmptyCatalogue()

	return empty || len(p.faults) > 0 && !slices.ContainsFunc(p.objects, isCatalogue) &&
		slices.ContainsFunc(of.Documents, func(d manifest.Document) bool { return strings.Contains(string(d.Text), environmentKind) })
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
		return parsed{faults: []Fault{of(file, manifest.NotYAML(d, err))}}
	}

	top := root.Content[0]
	if top.Kind == yamlv3.ScalarNode && top.Tag == "!!null" {
		return parsed{}
	}

	o := object{file: file, first: d.Line, node: top}

	if fault, ok := manifest.Unseparated(d); ok {
		return parsed{faults: []Fault{of(file, fault)}}
	}

	if top.Kind != yamlv3.MappingNode {
		f := o.fault(top, "", manifest.NotObject(top), Error)
		return parsed{faults: []Fault{f}}
	}

	if fault, parts, ok := manifest.Glued(d, top); ok {
		first, rest := parseDocument(file, parts[0]), parseDocument(file, parts[1])

		return parsed{objects: append(first.objects, rest.objects...), faults: append(append(first.faults, of(file, fault)), rest.faults...)}
	}

	// As kubectl reads it: in YAML 1.1, where yes is true.
	b, err := yaml.YAMLToJSON(d.Text)
	if err == nil {
		err = json.Unmarshal(b, &o.value)
	}

	if err != nil {
		return parsed{faults: append(o.twice(), of(file, manifest.NotYAML(d, err)))}
	}

	out := parsed{faults: o.twice()}

	if fault, ok := manifest.Unseen(d, o.value); ok {
		return parsed{faults: append(out.faults, of(file, fault))}
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

// of a file is a fault that package manifest found.
func of(file string, f manifest.Fault) Fault {
	return Fault{File: file, Line: f.Line, Column: f.Column, Path: f.Path, Message: f.Message, Severity: Error}
}

// twice are the keys that an object has twice.
func (o object) twice() []Fault {
	var out []Fault

	for _, f := range manifest.Twice(o.first, o.node) {
		fault := of(o.file, f)
		fault.Kind, fault.Name = cut(o.kind()), cut(o.name())
		out = append(out, fault)
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

// composite of a claim in its namespace, as Crossplane 2 has it.
func composite(o object) map[string]any {
	out := maps.Clone(o.value)

	metadata, ok := out["metadata"].(map[string]any)
	if !ok {
		return out
	}

	metadata = maps.Clone(metadata)
	out["metadata"] = metadata

	if o.placed != "" {
		metadata["namespace"] = o.placed
	}

	// kubectl takes that of its context.
	if _, ok := metadata["namespace"]; !ok {
		metadata["namespace"] = "default"
	}

	return out
}
