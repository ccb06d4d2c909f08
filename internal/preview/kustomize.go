//go:build !js

package preview

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	kustomize "sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// kustomization is the path of a folder's kustomization; empty where it has none.
func kustomization(folder string) string {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}

	return ""
}

// buildFolder is what Kustomize makes of a folder, as Flux and Argo CD have it: files may lie outside of the folder. A Component cannot be
// built alone, and is nothing. Neither is a kustomization that names something on another host: a preview asks no network.
func buildFolder(folder string) ([]document, error) {
	k, err := readKustomization(folder)
	if err != nil {
		return nil, err
	}

	if k.Kind == kustomize.ComponentKind || slices.ContainsFunc(slices.Concat(k.Resources, k.Components), manifest.IsRemote) {
		return nil, nil
	}

	if err := complete(folder, k, map[string]bool{}); err != nil {
		return nil, err
	}

	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = kustomize.LoadRestrictionsNone

	built, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot build the kustomization of %s", folder)
	}

	sources := sourcesBelow(folder)
	out := make([]document, 0, built.Size())

	for _, r := range built.Resources() {
		// Its Map has numbers of types that an unstructured object cannot have.
		content, err := r.MarshalJSON()
		if err != nil {
			return nil, errors.Wrapf(err, "cannot read what the kustomization of %s makes", folder)
		}

		d := document{file: folder, layout: folder}
		if err := json.Unmarshal(content, &d.object.Object); err != nil {
			return nil, errors.Wrapf(err, "cannot read what the kustomization of %s makes", folder)
		}

		// Kustomize forgets which file an object comes from, and people look for it there.
		if i := slices.IndexFunc(sources, func(s document) bool { return sameObject(s.object, d.object) }); i >= 0 {
			d.file, d.line = sources[i].file, sources[i].line
		}

		out = append(out, d)
	}

	return out, nil
}

func readKustomization(folder string) (kustomize.Kustomization, error) {
	var k kustomize.Kustomization

	file := kustomization(folder)

	data, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return k, errors.Wrap(err, "cannot read a kustomization")
	}

	return k, errors.Wrapf(k.Unmarshal(data), "cannot parse %s", file)
}

// sourcesBelow are the documents of the files of a folder and below it, as far as they can be read.
func sourcesBelow(folder string) []document {
	var out []document

	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !manifest.IsManifest(path) {
			return nil //nolint:nilerr // Kustomize says what it cannot read.
		}

		if sources, err := manifest.Read([]string{path}, nil); err == nil {
			out = append(out, documentsOf(sources)...)
		}

		return nil
	})

	return out
}
