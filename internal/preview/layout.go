package preview

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// A document is one manifest, and where it comes from: the line is 0 where Kustomize built it and the file that it built it from is not known.
type document struct {
	file   string
	line   int
	object unstructured.Unstructured
	layout string // Folder of the kustomization or the repository that it is part of; empty for a plain file.
}

// ReadClaims reads the claims of files and folders, each with the catalogue and the Secrets that lie in the same layout:
//
//   - A file or a folder of plain files: the documents beside the claim and in the folders above it. Of a folder, the files that go with
//     claims, such as catalogue.yaml, are passed over: they are found beside each claim.
//   - A folder with a kustomization is built, and so are those below a plain folder.
//   - Flux: the Kustomizations of Flux that were built are followed. For a path of a repository for Flux, the namespace is that of the
//     Kustomization that applies it, and the catalogue is the one that the repository applies.
//
// A path without any claim is an error.
func (p Configuration) ReadClaims(paths []string, stdin io.Reader) ([]Claim, error) {
	var all []Claim

	for _, path := range paths {
		documents, err := readPath(path, stdin)
		if err != nil {
			return nil, err
		}

		claims, err := p.claimsOf(documents)
		if err != nil {
			return nil, err
		}

		if len(claims) == 0 {
			if sources, err := manifest.Read([]string{path}, strings.NewReader("")); err == nil && len(documents) == 0 {
				documents = documentsOf(sources) // Of a folder, also what goes with claims, as a catalogue does.
			}

			return nil, errors.Errorf("no claim in %s: %s", manifest.Shown(path), claim.NoneAmong(kindsOf(documents)))
		}

		all = append(all, claims...)
	}

	return distinct(all), nil
}

// readPath reads all documents of one path.
func readPath(path string, stdin io.Reader) ([]document, error) {
	info, err := os.Stat(path)
	if path != manifest.Stdin && err != nil {
		return nil, manifest.NotFound(path, err)
	}

	if path == manifest.Stdin || !info.IsDir() {
		sources, err := manifest.Read([]string{path}, stdin)
		if err != nil {
			return nil, err
		}

		return inRepositories(documentsOf(sources))
	}

	documents, err := readFolder(path)
	if err != nil {
		return nil, err
	}

	return inRepositories(documents)
}

// readFolder reads a folder: what Kustomize builds of it, or its files and the folders below it.
func readFolder(folder string) ([]document, error) {
	if kustomization(folder) != "" {
		return buildFolder(folder)
	}

	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read a folder")
	}

	var out []document

	for _, e := range entries {
		path := filepath.Join(folder, e.Name())

		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			below, err := readFolder(path)
			if err != nil && mentions(path, claimGroup) {
				return nil, err
			}

			out = append(out, below...)
		case manifest.HasManifests(path) && !isBeside(path):
			sources, err := manifest.Read([]string{path}, nil)
			if err != nil && mentions(path, claimGroup) {
				return nil, err
			}

			out = append(out, documentsOf(sources)...)
		}
	}

	return out, nil
}

// claimGroup is what a file of claims has in it. Others in a folder, such as the values of a chart, need not be manifests.
const claimGroup = "homelab.io/"

func documentsOf(sources []manifest.Source) []document {
	var out []document

	for _, s := range sources {
		for _, d := range s.Documents {
			for _, o := range manifest.Objects([]manifest.Document{d}) {
				out = append(out, document{file: s.File, line: d.Line, object: o})
			}
		}
	}

	return out
}

// ClaimsIn reads the claims of a text, as if it were that of a file: each with the catalogue and the Secrets that the text has beside it. It reads
// no files. A text without any claim is an error.
func (p Configuration) ClaimsIn(file string, text []byte) ([]Claim, error) {
	documents, err := manifest.Parse(text)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot parse %s", file)
	}

	read := documentsOf([]manifest.Source{{File: file, Documents: documents}})

	claims, err := p.claimsOf(read)
	if err == nil && len(claims) == 0 {
		err = errors.Errorf("no claim in %s: %s", file, claim.NoneAmong(kindsOf(read)))
	}

	return claims, err
}

// kindsOf some documents.
func kindsOf(documents []document) []string {
	var out []string

	for _, d := range documents {
		kind := d.object.GetKind()
		if slices.Contains(claim.Kinds(), kind) {
			kind += " of " + d.object.GetAPIVersion() // Another group's, or it were a claim.
		}

		out = append(out, kind)
	}

	return out
}

// claimsOf some documents. Those of other API groups are passed over; a document of our group and of a kind that no XRD has is an
// error, since it is a typing mistake. So is a claim without a name.
func (p Configuration) claimsOf(documents []document) ([]Claim, error) {
	claims := []Claim{}

	for _, d := range documents {
		gvk := d.object.GroupVersionKind()
		if !p.owns(gvk.Group) {
			continue
		}

		if _, err := p.definitionOf(gvk); err != nil {
			return nil, errors.Wrapf(err, "cannot render %s", d.file)
		}

		if d.object.GetName() == "" {
			return nil, errors.Errorf("cannot render %s: %s", d.file, claim.Nameless())
		}

		claims = append(claims, Claim{File: d.file, Line: d.line, Object: d.object, Layout: besideIn(documents, d)})
	}

	return claims, nil
}

// besideIn are the catalogue and the Secrets among some documents that go with a claim: those in its folder or above it, and those of its
// layout; the nearest last.
func besideIn(documents []document, claim document) []unstructured.Unstructured {
	var found []document

	for _, d := range documents {
		if goesWithClaims(d.object) && (d.layout != "" && d.layout == claim.layout || manifest.IsBelow(claim.file, filepath.Dir(d.file))) {
			found = append(found, d)
		}
	}

	slices.SortStableFunc(found, func(a, b document) int {
		return cmp.Compare(depth(a.file), depth(b.file))
	})

	out := make([]unstructured.Unstructured, 0, len(found))
	for _, d := range found {
		out = append(out, d.object)
	}

	return out
}

// depth of a file, in folders.
func depth(file string) int { return strings.Count(filepath.Clean(file), string(filepath.Separator)) }

// goesWithClaims says whether an object is something that the function asks for to make a machine.
func goesWithClaims(o unstructured.Unstructured) bool {
	switch o.GetKind() {
	case "EnvironmentConfig":
		return o.GroupVersionKind().Group == "apiextensions.crossplane.io"
	case "Secret":
		return o.GetAPIVersion() == "v1"
	}

	return false
}

// distinct claims: of one that several layers apply, or that is read twice, the first. Two documents of a file are two claims.
func distinct(claims []Claim) []Claim {
	lines := map[string][]int{}

	return slices.DeleteFunc(claims, func(c Claim) bool {
		key := c.Object.GetKind() + "/" + c.Object.GetNamespace() + "/" + c.Object.GetName() + "/" + absolute(c.File)
		before := lines[key]
		lines[key] = append(before, c.Line)

		// What Kustomize made has no line.
		return slices.Contains(before, c.Line) || len(before) > 0 && (c.Line == 0 || slices.Contains(before, 0))
	})
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}

	return path
}
