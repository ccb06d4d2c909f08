package cloudinit

import (
	"go.yaml.in/yaml/v3"

	"github.com/crossplane/function-sdk-go/errors"
)

const keyWriteFiles = "write_files"

// Contents are what cloud-init reads of a cloud-config.
type Contents struct {
	// Keys are the top-level keys without write_files, as YAML is read into Go.
	Keys map[string]any
	// Files are the contents of write_files by path, parts of one file together.
	Files map[string]string
}

// Contents returns what Read returns of the marshalled document, without writing and parsing any text: scripts are most of a
// document, and their content is known.
func (d Document) Contents() (Contents, error) {
	out := Contents{Keys: map[string]any{}, Files: map[string]string{}}

	own := d
	own.WriteFiles, own.added.files = nil, nil

	root, err := own.node()
	if err != nil {
		return out, errors.Wrap(err, "cannot build cloud-config")
	}

	if err := d.checkText(); err != nil {
		return out, err
	}

	// Only a document that may be too large has to be written to know.
	if d.atMost(root) > MaxUserDataBytes {
		if _, err := d.Marshal(); err != nil {
			return out, err
		}
	}

	if err := out.addKeys(root); err != nil {
		return out, err
	}

	for _, f := range d.WriteFiles {
		out.Files[f.Path] += f.Content
	}

	for _, f := range d.added.files {
		if err := out.addFile(f); err != nil {
			return out, err
		}
	}

	return out, nil
}

// atMost is a size that the marshalled document does not exceed.
func (d Document) atMost(root *yaml.Node) int {
	n := len(Header) + 1 + maxBytes(root, 0) + len(keyWriteFiles) + len(":\n")

	const entry, depth = 256, 3 // The keys of an entry of write_files, with their own short values; how deep its content is.

	for _, f := range d.WriteFiles {
		n += entry + textBytes(f.Path, depth) + textBytes(f.Permissions, depth) + textBytes(f.Owner, depth) + textBytes(f.Content, depth)
	}

	for _, f := range d.added.files {
		n += maxBytes(f, depth)
	}

	return n
}

// maxBytes is a size that a node does not exceed as text.
func maxBytes(n *yaml.Node, depth int) int {
	out := textBytes(n.Value, depth)
	for _, c := range n.Content {
		out += maxBytes(c, depth+1)
	}

	if n.Style&yaml.TaggedStyle != 0 {
		out += len(n.Tag) + 1
	}

	return out
}

// textBytes is a size that a scalar does not exceed: each byte in quotes, and the indentation of each line.
func textBytes(text string, depth int) int {
	const (
		escaped = 6
		marks   = 12 // A dash, quotes or the mark of a block, a colon, a line break.
	)

	indent := 2*depth + 2
	out := marks + indent

	for _, c := range []byte(text) {
		switch {
		case c == '\n':
			out += 2 + indent
		case c < ' ' || c >= 0x7f:
			out += escaped
		case c == '\'' || c == '"' || c == '\\':
			out += 2
		default:
			out++
		}
	}

	return out
}

// Read reads a cloud-config. The entries of write_files in the form that Marshal gives them are read line by line; YAML is parsed
// only of the rest, because that takes a hundred times as long and scripts are most of a document.
func Read(text string) (Contents, error) {
	if out, ok := readMarshalled(text); ok {
		return out, nil
	}

	return readAny(text)
}

// readAny reads any YAML.
func readAny(text string) (Contents, error) {
	out := Contents{Keys: map[string]any{}, Files: map[string]string{}}

	document := &yaml.Node{}
	if err := yaml.Unmarshal([]byte(text), document); err != nil {
		return out, err
	}

	if len(document.Content) == 1 && isSimple(document.Content[0]) {
		return out, out.add(document.Content[0])
	}

	var files struct {
		WriteFiles []struct {
			Path    string `yaml:"path"`
			Content string `yaml:"content"`
		} `yaml:"write_files"`
	}

	// An empty text has no node.
	if document.Kind == 0 {
		return out, nil
	}

	if err := document.Decode(&files); err != nil {
		return out, err
	}

	if err := document.Decode(&out.Keys); err != nil {
		return out, err
	}

	delete(out.Keys, keyWriteFiles)

	for _, f := range files.WriteFiles {
		out.Files[f.Path] += f.Content
	}

	return out, nil
}

// add the keys and files of a simple document.
func (c Contents) add(root *yaml.Node) error {
	rest := &yaml.Node{Kind: yaml.MappingNode, Tag: root.Tag}

	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != keyWriteFiles {
			rest.Content = append(rest.Content, root.Content[i], root.Content[i+1])

			continue
		}

		for _, item := range root.Content[i+1].Content {
			if err := c.addFile(item); err != nil {
				return err
			}
		}
	}

	return c.addKeys(rest)
}

// addKeys of a simple mapping without write_files.
func (c Contents) addKeys(root *yaml.Node) error {
	for i := 0; i+1 < len(root.Content); i += 2 {
		v, err := goValue(root.Content[i+1])
		if err != nil {
			return err
		}

		c.Keys[root.Content[i].Value] = v
	}

	return nil
}

// addFile adds an entry of write_files.
func (c Contents) addFile(item *yaml.Node) error {
	var file, content string

	for field, to := range map[string]*string{"path": &file, "content": &content} {
		switch n := lookup(item, field); {
		case n == nil:
		case n.ShortTag() == tagString:
			*to = n.Value
		default:
			if err := n.Decode(to); err != nil {
				return err
			}
		}
	}

	c.Files[file] += content

	return nil
}

// isSimple says whether a document has only what Marshal writes: a mapping of strings, whose write_files is a list of mappings, without
// aliases, merge keys and keys that are set twice. The YAML library compares each key with each other one to find those.
func isSimple(root *yaml.Node) bool {
	if root.Kind != yaml.MappingNode || !isPlainTree(root) {
		return false
	}

	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].ShortTag() != tagString {
			return false
		}

		if root.Content[i].Value != keyWriteFiles {
			continue
		}

		if root.Content[i+1].Kind != yaml.SequenceNode {
			return false
		}

		for _, item := range root.Content[i+1].Content {
			if item.Kind != yaml.MappingNode {
				return false
			}
		}
	}

	return true
}

func isPlainTree(n *yaml.Node) bool {
	switch n.Kind {
	case yaml.ScalarNode:
		return true
	case yaml.SequenceNode:
		if n.ShortTag() != "!!seq" {
			return false
		}
	case yaml.MappingNode:
		if n.ShortTag() != "!!map" {
			return false
		}

		seen := make(map[string]bool, len(n.Content)/2)

		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || key.Value == mergeKey || seen[key.Value] {
				return false
			}

			seen[key.Value] = true
		}
	default:
		return false
	}

	for _, c := range n.Content {
		if !isPlainTree(c) {
			return false
		}
	}

	return true
}

// goValue is what the YAML library makes of a node without aliases, in linear time.
func goValue(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))

		for _, c := range n.Content {
			v, err := goValue(c)
			if err != nil {
				return nil, err
			}

			out = append(out, v)
		}

		return out, nil
	case yaml.MappingNode:
		return goMap(n)
	default:
		if n.ShortTag() == tagString {
			return n.Value, nil
		}

		var v any

		err := n.Decode(&v)

		return v, err
	}
}

// goMap is a map of strings if all keys are strings.
func goMap(n *yaml.Node) (any, error) {
	text, other := make(map[string]any, len(n.Content)/2), map[any]any{}

	for i := 0; i+1 < len(n.Content); i += 2 {
		key, err := goValue(n.Content[i])
		if err != nil {
			return nil, err
		}

		value, err := goValue(n.Content[i+1])
		if err != nil {
			return nil, err
		}

		if s, ok := key.(string); ok && n.Content[i].ShortTag() == tagString && len(other) == 0 {
			text[s] = value

			continue
		}

		other[key] = value
	}

	if len(other) == 0 {
		return text, nil
	}

	for key, value := range text {
		other[key] = value
	}

	return other, nil
}
