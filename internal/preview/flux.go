package preview

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// A fluxLayer is what a Kustomization of Flux says that it applies.
type fluxLayer struct {
	path      string // Folder.
	namespace string // Of all that it applies; empty leaves every namespace as it is.
}

// layersOf are the Kustomizations of Flux among some documents, whose paths are those of a repository.
func layersOf(documents []document, repository string) []fluxLayer {
	var out []fluxLayer

	for _, d := range documents {
		if !manifest.IsFluxKustomization(d.object.GetAPIVersion(), d.object.GetKind()) {
			continue
		}

		path, _, _ := unstructured.NestedString(d.object.Object, "spec", "path")
		namespace, _, _ := unstructured.NestedString(d.object.Object, "spec", "targetNamespace")
		layer := fluxLayer{path: filepath.Join(repository, filepath.FromSlash(path)), namespace: namespace}

		if info, err := os.Stat(layer.path); err == nil && info.IsDir() && !slices.Contains(out, layer) {
			out = append(out, layer)
		}
	}

	return out
}

// A fluxRepository is a folder that the paths of Flux's Kustomizations are relative to.
type fluxRepository struct {
	folder string // Empty for none.
	layers []fluxLayer
}

// inRepositories is what some documents are where they are part of a repository for Flux: the Kustomizations of Flux among them are
// followed, claims are in the namespace of the layer that applies them, and the catalogue and the Secrets of the repository are there.
func inRepositories(documents []document) ([]document, error) {
	var out []document

	search := fluxSearch{}
	parts := map[string][]document{}
	found := map[string]fluxRepository{}

	for _, d := range documents {
		if d.file == manifest.Stdin {
			out = append(out, d)
			continue
		}

		repo := search.repositoryOf(d.file)
		if repo.folder == "" {
			out = append(out, d)
			continue
		}

		found[repo.folder] = repo
		parts[repo.folder] = append(parts[repo.folder], d)
	}

	for _, folder := range slices.Sorted(maps.Keys(parts)) {
		whole, err := found[folder].complete(parts[folder])
		if err != nil {
			return nil, err
		}

		out = append(out, whole...)
	}

	return out, nil
}

// complete some documents of a repository.
func (r fluxRepository) complete(documents []document) ([]document, error) {
	out := slices.Clone(documents)

	for _, layer := range layersOf(documents, r.folder) {
		followed, err := readFolder(layer.path)
		if err != nil {
			return nil, err
		}

		// Of a folder without a kustomization, Flux reads no JSON.
		followed = slices.DeleteFunc(followed, func(d document) bool { return d.layout == "" && !manifest.IsYAML(d.file) })

		// What was read from its files already stays as it stands there.
		for _, d := range placed(followed, layer) {
			if !slices.ContainsFunc(documents, func(o document) bool { return sameObject(o.object, d.object) }) {
				out = append(out, d)
			}
		}
	}

	for i, d := range out {
		for _, layer := range r.layers {
			if manifest.IsBelow(absolute(d.file), absolute(layer.path)) {
				out[i] = placed([]document{d}, layer)[0]
			}
		}
	}

	context, err := contextOf(r.layers, out)
	out = append(out, context...)

	for i := range out {
		out[i].layout = r.folder
	}

	return out, err
}

// placed documents are in the namespace of their layer.
func placed(documents []document, layer fluxLayer) []document {
	if layer.namespace == "" {
		return documents
	}

	out := slices.Clone(documents)
	for i := range out {
		if kind := out[i].object.GetKind(); kind != "EnvironmentConfig" && kind != "Kustomization" {
			out[i].object = *out[i].object.DeepCopy()
			out[i].object.SetNamespace(layer.namespace)
		}
	}

	return out
}

func sameObject(a, b unstructured.Unstructured) bool {
	return a.GetKind() == b.GetKind() && a.GetName() == b.GetName() && a.GroupVersionKind().Group == b.GroupVersionKind().Group
}

// contextOf the layers of a repository: the catalogue and the Secrets that they apply, but for what is there already.
func contextOf(layers []fluxLayer, known []document) ([]document, error) {
	var out []document

	for _, layer := range layers {
		if !mentions(layer.path, "EnvironmentConfig", "kind: Secret", `"Secret"`) {
			continue
		}

		documents, err := readFolder(layer.path)
		if err != nil {
			return nil, err
		}

		for _, d := range placed(documents, layer) {
			same := func(o document) bool {
				return sameObject(o.object, d.object) && o.object.GetNamespace() == d.object.GetNamespace()
			}
			if !goesWithClaims(d.object) || slices.ContainsFunc(known, same) || slices.ContainsFunc(out, same) {
				continue
			}

			out = append(out, d)
		}
	}

	return out, nil
}

// How far above a path, and in how many files, a repository for Flux is looked for.
const (
	maxLevelsUp  = 6
	maxFluxFiles = 2000
)

// A fluxSearch remembers the folders in which Kustomizations of Flux were looked for.
type fluxSearch map[string]fluxRepository

// repositoryOf a file: the nearest folder above it in which Kustomizations of Flux name folders that there are.
func (s fluxSearch) repositoryOf(file string) fluxRepository {
	folder := filepath.Dir(absolute(file))
	home, _ := os.UserHomeDir()

	for range maxLevelsUp {
		if folder == filepath.Dir(folder) || folder == home || folder == filepath.Clean(os.TempDir()) {
			return fluxRepository{}
		}

		repo, known := s[folder]
		if !known {
			repo = repositoryAt(asGiven(folder, file))
			s[folder] = repo
		}

		if repo.folder != "" {
			return repo
		}

		if exists(filepath.Join(folder, ".git")) {
			return fluxRepository{}
		}

		folder = filepath.Dir(folder)
	}

	return fluxRepository{}
}

// repositoryAt a folder, where it is one.
func repositoryAt(folder string) fluxRepository {
	layers := slices.DeleteFunc(layersOf(fluxDocuments(folder), folder), func(l fluxLayer) bool { return l.path == folder })
	if len(layers) == 0 {
		return fluxRepository{}
	}

	return fluxRepository{folder: folder, layers: layers}
}

// asGiven is a folder as a person would write it who gave a path: relative if the path is.
func asGiven(folder, path string) string {
	if filepath.IsAbs(path) {
		return folder
	}

	if rel, err := filepath.Rel(absolute("."), folder); err == nil {
		return rel
	}

	return folder
}

// fluxDocuments are the Kustomizations of Flux in the files of a folder and below it.
func fluxDocuments(folder string) []document {
	var out []document

	left := maxFluxFiles
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || left == 0:
			return fs.SkipAll
		case path != folder && d.IsDir() && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !manifest.IsYAML(path):
			return nil
		}

		left--

		data, err := os.ReadFile(filepath.Clean(path))
		if err != nil || !bytes.Contains(data, []byte("apiVersion: "+manifest.FluxGroup)) {
			return nil //nolint:nilerr // What cannot be read is no layer.
		}

		// A file that is no YAML is not the claim's fault: whoever builds it is told.
		if documents, err := manifest.Parse(data); err == nil {
			out = append(out, documentsOf([]manifest.Source{{File: path, Documents: documents}})...)
		}

		return nil
	})

	return out
}

// mentions says whether a file of a folder or below it has one of some texts.
func mentions(folder string, texts ...string) bool {
	found := false

	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || found {
			return fs.SkipAll
		}

		if d.IsDir() || !manifest.IsManifest(path) {
			return nil
		}

		data, err := os.ReadFile(filepath.Clean(path))
		found = err == nil && slices.ContainsFunc(texts, func(t string) bool { return bytes.Contains(data, []byte(t)) })

		return nil
	})

	return found
}
