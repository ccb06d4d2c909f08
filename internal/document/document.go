// Package document writes YAML for people: in a fixed order and with comments, and never from a template.
package document

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/crossplane/function-sdk-go/errors"
)

// A Field of an object, with a comment above it.
type Field struct {
	Name    string
	Value   *yamlv3.Node
	Comment string
}

// Entry is a field, with lines of comment above it.
func Entry(name string, value *yamlv3.Node, comment ...string) Field {
	return Field{Name: name, Value: value, Comment: strings.Join(comment, "\n")}
}

// Object with fields in this order.
func Object(fields ...Field) *yamlv3.Node {
	out := &yamlv3.Node{Kind: yamlv3.MappingNode}
	if len(fields) == 0 {
		out.Style = yamlv3.FlowStyle
	}

	for _, f := range fields {
		key := Text(f.Name)
		key.HeadComment = f.Comment
		out.Content = append(out.Content, key, f.Value)
	}

	return out
}

// Flow writes an object or a list on one line.
func Flow(n *yamlv3.Node) *yamlv3.Node {
	n.Style = yamlv3.FlowStyle
	return n
}

// Text is a scalar, in quotes where YAML would take it for something else.
func Text(text string) *yamlv3.Node {
	n := &yamlv3.Node{}
	n.SetString(text)

	var back any
	err := yamlv3.Unmarshal([]byte(text), &back)

	// In YAML 1.1, which kubectl reads.
	truth := slices.Contains([]string{"y", "n", "yes", "no", "on", "off"}, strings.ToLower(text))
	if err != nil || back != text || truth {
		n.Style = yamlv3.DoubleQuotedStyle
	}

	return n
}

// Number is a whole number.
func Number(n int64) *yamlv3.Node {
	return &yamlv3.Node{Kind: yamlv3.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(n, 10)}
}

// Bool is true or false.
func Bool(b bool) *yamlv3.Node {
	return &yamlv3.Node{Kind: yamlv3.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(b)}
}

// List of text; inline on one line.
func List(items []string, inline bool) *yamlv3.Node {
	out := &yamlv3.Node{Kind: yamlv3.SequenceNode}
	if inline {
		out.Style = yamlv3.FlowStyle
	}

	for _, item := range items {
		out.Content = append(out.Content, Text(item))
	}

	return out
}

// Items are a list of objects.
func Items(items ...*yamlv3.Node) *yamlv3.Node {
	return &yamlv3.Node{Kind: yamlv3.SequenceNode, Content: items}
}

// Where files of this repository are for those who have no clone, or are in another folder.
const (
	FilesURL = "https://raw.githubusercontent.com/homelab-io/function-proxmox-machine/main/"
	// SchemaURL is the folder of the released JSON schemas.
	SchemaURL = FilesURL + "schemas/"
)

// Modeline is the comment by which an editor finds the schema of a document: that of a file of schemas/.
func Modeline(file string) string {
	return "yaml-language-server: $schema=" + SchemaURL + file
}

// Marshal a document with a comment above it.
func Marshal(n *yamlv3.Node, comment string) ([]byte, error) {
	n.HeadComment = comment

	var out bytes.Buffer

	encoder := yamlv3.NewEncoder(&out)
	encoder.SetIndent(2)

	if err := encoder.Encode(n); err != nil {
		return nil, errors.Wrap(err, "cannot write YAML")
	}

	return out.Bytes(), errors.Wrap(encoder.Close(), "cannot write YAML")
}
