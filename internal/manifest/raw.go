package manifest

import (
	"io"
	"os"
	"path/filepath"

	"github.com/crossplane/function-sdk-go/errors"
)

// A Raw file is a file with its documents as they stand in it, of which nobody knows yet whether they are YAML: Object is empty.
type Raw struct {
	File      string // As messages show it; Stdin for standard input.
	Documents []Document
}

// ReadRaw reads the files that [Read] reads, but parses nothing: for who reports every fault of a file with its place.
func ReadRaw(paths []string, stdin io.Reader) ([]Raw, error) {
	var out []Raw

	for _, path := range paths {
		if path == Stdin {
			data, err := io.ReadAll(stdin)
			if err != nil {
				return nil, errors.Wrap(err, "cannot read standard input")
			}

			out = append(out, Raw{File: Stdin, Documents: split(data)})

			continue
		}

		info, err := os.Stat(path)
		if err != nil {
			return nil, NotFound(path, err)
		}

		files := []string{path}
		if info.IsDir() {
			if files, err = filesBelow(path); err != nil {
				return nil, err
			}
		}

		for _, file := range files {
			data, err := os.ReadFile(filepath.Clean(file))
			if err != nil {
				return nil, errors.Wrap(err, "cannot read manifests")
			}

			out = append(out, Raw{File: file, Documents: split(data)})
		}
	}

	return out, nil
}

// RawDocuments are those of a YAML stream; see [ReadRaw].
func RawDocuments(data []byte) []Document { return split(data) }
