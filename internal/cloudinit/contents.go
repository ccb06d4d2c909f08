package cloudinit

import (
	"go.yaml.in/yaml/v3"
)

const keyWriteFiles = "write_files"

// Contents are what cloud-init reads of a cloud-config.
type Contents struct {
	// Keys are the top-level keys without write_files, as YAML is read into Go.
	Keys map[string]any
	// Files are the contents of write_files by path, parts of one file together.
	Files map[string]string
}

// A Parsed is a cloud-config that is parsed once for all who read it. The zero value is one without a key.
type Parsed struct {
	document *yaml.Node // Nil where the text is empty, or no YAML.
	err      error      // Why the text is no YAML; nil where it is.
}

// Parse a cloud-config. What is no YAML has no contents, no plain files and no doubts: [ParseUserData] says what is wrong with it.
func Parse(text string) Parsed {
	document := &yaml.Node{}
	if err := yaml.Unmarshal([]byte(text), document); err != nil || document.Kind == 0 {
		return Parsed{err: err}
	}

	return Parsed{document: document}
}

// Read is [Parse] for one who reads nothing but the contents.
func Read(text string) (Contents, error) { return Parse(text).Contents() }

// Contents of a cloud-config, in linear time if it is one that Marshal writes. The YAML library compares each key of a mapping with each other one.
func (p Parsed) Contents() (Contents, error) {
	out := Contents{Keys: map[string]any{}, Files: map[string]string{}}

	if p.document == nil {
		return out, p.err
	}

	if len(p.document.Content) == 1 && isSimple(p.document.Content[0]) {
		return out, out.add(p.document.Content[0])
	}

	var files struct {
		WriteFiles []struct {
			Path    string `yaml:"path"`
			Content string `yaml:"content"`
		} `yaml:"write_files"`
	}

	if err := p.document.Decode(&files); err != nil {
		return out, err
	}

	if err := p.document.Decode(&out.Keys); err != nil {
		return out, err
	}

	delete(out.Keys, keyWriteFiles)

	for _, f := range files.WriteFiles {
		out.Files[f.Path] += f.Content
	}

	return out, nil
}

// PlainFiles are the contents of write_files by path, without those that are encoded or that cloud-init fetches. What is no cloud-config has none.
func (p Parsed) PlainFiles() map[string]string {
	var document struct {
		WriteFiles []struct {
			Path     string    `yaml:"path"`
			Content  yaml.Node `yaml:"content"`
			Encoding string    `yaml:"encoding"`
			Source   yaml.Node `yaml:"source"`
		} `yaml:"write_files"`
	}

	out := map[string]string{}

	if p.document == nil || p.document.Decode(&document) != nil {
		return out
	}

	for _, f := range document.WriteFiles {
		if (f.Encoding == "" || f.Encoding == "text/plain") && f.Source.Kind == 0 && f.Content.Kind == yaml.ScalarNode {
			out[f.Path] += f.Content.Value
		}
	}

	return out
}

// add the keys and files of a simple document.
func (c Contents) add(root *yaml.Node) error {
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i].Value, root.Content[i+1]

		if key != keyWriteFiles {
			v, err := goValue(value)
			if err != nil {
				return err
			}

			c.Keys[key] = v

			continue
		}

		for _, item := range value.Content {
			if err := c.addFile(item); err != nil {
				return err
			}
		}
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
