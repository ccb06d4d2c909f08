package manifest

import (
	"bytes"
	"fmt"

	yamlv3 "go.yaml.in/yaml/v3"
)

// Glued is the fault of a document with two manifests in it, and the two: apiVersion and kind are there twice, because the line between the manifests that
// separates documents is missing. False where it is one manifest. The second one may have a third one behind it.
func Glued(d Document, n *yamlv3.Node) (Fault, [2]Document, bool) {
	second := map[string]*yamlv3.Node{}
	seen := map[string]bool{}

	if n.Kind == yamlv3.MappingNode && n.Style&yamlv3.FlowStyle == 0 {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key := n.Content[i]; seen[key.Value] && second[key.Value] == nil {
				second[key.Value] = key
			}

			seen[n.Content[i].Value] = true
		}
	}

	version, kind := second["apiVersion"], second["kind"]
	if version == nil || kind == nil {
		return Fault{}, [2]Document{}, false
	}

	key := version
	if kind.Line < version.Line {
		key = kind
	}

	lines := bytes.SplitAfterN(d.Text, []byte("\n"), key.Line)
	last := len(lines) - 1
	first := Document{Line: d.Line, Text: bytes.Join(lines[:last], nil)}
	rest := Document{Line: d.Line + last, Text: lines[last]}

	return Fault{
		Line: rest.Line, Column: max(key.Column, 1), Path: key.Value,
		Message: fmt.Sprintf(IsTwice+"a line with --- is missing above it, which separates this manifest from the one that begins in line %d", d.Line+n.Line-1),
	}, [2]Document{first, rest}, true
}
