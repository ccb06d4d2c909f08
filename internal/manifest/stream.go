package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// stream is the objects of a document of JSON, of which kubectl takes several one after the other; any other document is one.
func stream(d Document) []Document {
	if !bytes.HasPrefix(bytes.TrimSpace(d.Text), []byte("{")) {
		return []Document{d}
	}

	var out []Document

	decoder := json.NewDecoder(bytes.NewReader(d.Text))

	for last := 0; ; last = int(decoder.InputOffset()) {
		var object json.RawMessage

		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) && len(out) > 0 {
			return out
		}

		if err != nil {
			return []Document{d} // As YAML, it may be right.
		}

		// The lines between two objects are those of the second one, so that its own keep their numbers.
		out = append(out, Document{Line: d.Line + bytes.Count(d.Text[:last], []byte("\n")), Text: d.Text[last:decoder.InputOffset()]})
	}
}

// Unseparated is the fault of a document with another one behind it in which no line of --- begins it: kubectl and Flux read the first one, and nobody says so.
func Unseparated(d Document) (Fault, bool) {
	decoder := yamlv3.NewDecoder(strings.NewReader(string(d.Text)))

	var first, second yamlv3.Node
	if err := decoder.Decode(&first); err != nil {
		return Fault{}, false
	}

	err := decoder.Decode(&second)
	if errors.Is(err, io.EOF) {
		return Fault{}, false
	}

	line := second.Line
	if err != nil {
		line = NotYAML(Document{Line: 1, Text: d.Text}, err).Line
	}

	return Fault{Line: d.Line + max(line, 1) - 1, Column: 1, Message: "nobody reads what begins here: a line with --- is missing above it, which separates it from the manifest before"}, true
}
