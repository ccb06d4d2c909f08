// Package manifest reads Kubernetes manifests from files, folders and standard input, and keeps where each document stands.
package manifest

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"
)

// Stdin is the path that stands for standard input.
const Stdin = "-"

// Shown is a path in a sentence.
func Shown(path string) string {
	if path == Stdin {
		return "standard input"
	}

	return path
}

// IsURL says whether a person names a file by its URL. This package reads none.
func IsURL(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")

	return ok && !strings.ContainsAny(scheme, `/\`)
}

// Observed is the name of a file with what a cluster has. In a folder it is passed over, and so is the same as JSON: its objects, which kubectl printed, are
// nobody's to apply.
const Observed = "observed.yaml"

// IsObserved says whether a file has such a name.
func IsObserved(path string) bool {
	name := filepath.Base(path)

	return IsManifest(name) && stem(name) == stem(Observed)
}

func stem(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

// A Source is a file, with its documents.
type Source struct {
	File      string // As messages show it; Stdin for standard input.
	Documents []Document
}

// A Document of a YAML stream.
type Document struct {
	Line   int    // Of its first line in the file, from 1.
	Text   []byte // As it stands in the file, without its separator. Line N of it is line Line+N-1 of the file.
	Object unstructured.Unstructured
}

// Read files, and all manifests in folders and below them in the order of their names, but for hidden ones and [Observed]. A file that is no YAML, or has
// a key twice, is an error that names it.
func Read(paths []string, stdin io.Reader) ([]Source, error) {
	var out []Source

	for _, path := range paths {
		files := []string{path}

		if info, err := os.Stat(path); path != Stdin && err != nil {
			return nil, NotFound(path, err)
		} else if path != Stdin && info.IsDir() {
			if files, err = filesBelow(path); err != nil {
				return nil, err
			}
		}

		for _, file := range files {
			source, err := readFile(file, stdin)
			if err != nil {
				return nil, err
			}

			out = append(out, source)
		}
	}

	return out, nil
}

// filesBelow lists the manifests of a folder and of those in it.
func filesBelow(folder string) ([]string, error) {
	var files []string

	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		hidden := path != folder && strings.HasPrefix(d.Name(), ".")

		switch {
		case err != nil:
			return err
		case d.IsDir() && hidden:
			return fs.SkipDir
		case !d.IsDir() && !hidden && HasManifests(path) && !IsObserved(path):
			files = append(files, path)
		}

		return nil
	})

	return files, errors.Wrapf(err, "cannot list the files of %s", folder)
}

// IsYAML says whether a file's name is that of a YAML file. Of a folder without a kustomization, Flux reads these alone
// (https://github.com/fluxcd/pkg/blob/main/kustomize/kustomize_generator.go, generateKustomization).
func IsYAML(path string) bool {
	return strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml")
}

// IsManifest says whether a file's name is one that kubectl reads in a folder, and Kustomize where somebody names the file.
func IsManifest(path string) bool { return IsYAML(path) || strings.HasSuffix(path, ".json") }

// HasManifests says whether a file of a folder may have manifests. Other than YAML, most JSON in a repository belongs to other tools.
func HasManifests(path string) bool {
	if IsYAML(path) || !IsManifest(path) {
		return IsYAML(path)
	}

	data, err := os.ReadFile(filepath.Clean(path))

	return err == nil && bytes.Contains(data, []byte(`"apiVersion"`)) && bytes.Contains(data, []byte(`"kind"`))
}

func readFile(file string, stdin io.Reader) (Source, error) {
	var (
		data []byte
		err  error
	)

	if file == Stdin {
		data, err = io.ReadAll(stdin)
	} else {
		data, err = os.ReadFile(filepath.Clean(file))
	}

	if err != nil {
		return Source{}, errors.Wrap(err, "cannot read manifests")
	}

	documents, err := Parse(data)

	if at := (faultError{}); errors.As(err, &at) {
		return Source{File: file}, errors.Errorf("cannot parse manifests: %s", at.fault.In(file))
	}

	return Source{File: file, Documents: documents}, err
}

// Parse every document of a YAML stream. Empty ones are left out.
func Parse(data []byte) ([]Document, error) {
	var out []Document

	for _, d := range split(data) {
		if fault, ok := Unseparated(d); ok {
			return nil, faultError{fault}
		}

		object := map[string]any{}
		if err := yaml.UnmarshalStrict(d.Text, &object); err != nil {
			return nil, faultError{faultOf(d, err)}
		}

		if len(object) == 0 {
			continue
		}

		if fault, ok := Unseen(d, object); ok {
			return nil, faultError{fault}
		}

		d.Object.Object = object
		out = append(out, d)
	}

	return out, nil
}

// split a YAML stream at the lines that separate its documents.
func split(data []byte) []Document {
	current := Document{Line: 1}

	var out []Document

	line := 0

	for text := range bytes.Lines(data) {
		line++

		if bytes.HasPrefix(text, []byte("---")) && (len(bytes.TrimSpace(text)) == 3 || text[3] == ' ') {
			out = append(out, current)
			current = Document{Line: line + 1}
			// What follows on the line of the separator, for instance a comment, is a line of the document.
			if rest := bytes.TrimSpace(text[3:]); len(rest) > 0 {
				current = Document{Line: line, Text: append(bytes.Clone(rest), '\n')}
			}

			continue
		}

		current.Text = append(current.Text, text...)
	}

	var all []Document
	for _, d := range append(out, current) {
		all = append(all, stream(d)...)
	}

	return all
}

// ObjectsOf a YAML stream, or of JSON: those of its documents.
func ObjectsOf(data []byte) ([]unstructured.Unstructured, error) {
	documents, err := Parse(data)

	return Objects(documents), err
}

// Objects of documents. A list, as kubectl prints several objects, counts as its items.
func Objects(documents []Document) []unstructured.Unstructured {
	var out []unstructured.Unstructured

	for _, d := range documents {
		items, ok := d.Object.Object["items"].([]any)
		if !ok || !strings.HasSuffix(d.Object.GetKind(), "List") {
			out = append(out, d.Object)
			continue
		}

		for _, item := range items {
			if object, ok := item.(map[string]any); ok {
				out = append(out, unstructured.Unstructured{Object: object})
			}
		}
	}

	return out
}
