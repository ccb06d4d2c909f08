//go:build !js

package preview

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// Followed are the files that the Kustomizations of Flux below some paths lead to, for who reads files as they are written: those that the paths' own
// kustomizations name, and those of the layers' folders. They are the files of what [Configuration.ReadClaims] builds. Where there is no Kustomization of
// Flux, or nobody can build it, there are none.
func Followed(paths []string) []string {
	var out []string

	for _, path := range paths {
		info, err := os.Stat(path)
		if path == manifest.Stdin || manifest.IsURL(path) || err != nil {
			continue
		}

		own := []string{path}
		if info.IsDir() {
			own = namedBelow(path, map[string]bool{})
		}

		if !slices.ContainsFunc(own, func(file string) bool { return mentions(file, manifest.FluxGroup+"/v") }) {
			continue
		}

		for _, folder := range layersBelow(path) {
			own = append(own, namedBelow(folder, map[string]bool{})...)
		}

		out = append(out, own...)
	}

	slices.Sort(out)

	return slices.Compact(out)
}

// LayerCatalogues are the files with the catalogues that layers of Flux apply beside some files: those of the repositories in which a layer applies one of
// these files. A file that no layer applies has none of them.
func LayerCatalogues(files []string) []string {
	var out []string

	search := fluxSearch{}
	applied := map[string][]string{} // By the paths of layers.

	for _, file := range files {
		layers := search.repositoryOf(file).layers

		for _, l := range layers {
			if _, read := applied[l.path]; !read {
				applied[l.path] = namedBelow(l.path, map[string]bool{})
			}
		}

		if !slices.ContainsFunc(layers, func(l fluxLayer) bool { return slices.Contains(applied[l.path], filepath.Clean(file)) }) {
			continue
		}

		for _, l := range layers {
			out = append(out, applied[l.path]...)
		}
	}

	slices.Sort(out)

	return slices.DeleteFunc(slices.Compact(out), func(path string) bool { return !mentions(path, "EnvironmentConfig") })
}

// layersBelow are the folders of the layers among the documents of a path.
func layersBelow(path string) []string {
	documents, err := readFolder(path)
	if info, statErr := os.Stat(path); statErr == nil && !info.IsDir() {
		var sources []manifest.Source

		sources, err = manifest.Read([]string{path}, nil)
		documents = documentsOf(sources)
	}

	if err != nil {
		return nil
	}

	var out []string

	search := fluxSearch{}

	for _, d := range documents {
		repository := search.repositoryOf(d.file)
		if repository.folder == "" {
			continue
		}

		for _, layer := range layersOf([]document{d}, repository.folder) {
			out = append(out, layer.path)
		}
	}

	return out
}

// namedBelow are the files that the kustomization of a folder names, and itself; where it has none, all manifests of the folder and below it.
func namedBelow(folder string, seen map[string]bool) []string {
	folder = filepath.Clean(folder)
	if seen[folder] {
		return nil
	}

	seen[folder] = true

	file := kustomization(folder)
	if file == "" {
		return manifestsBelow(folder, seen)
	}

	out := []string{file}

	k, err := readKustomization(folder)
	if err != nil {
		return out
	}

	named := slices.Concat(k.Resources, k.Components)
	for _, p := range k.Patches {
		named = append(named, p.Path)
	}

	for _, name := range named {
		path := filepath.Join(folder, filepath.FromSlash(name))

		info, err := os.Stat(path)

		switch {
		case name == "" || manifest.IsRemote(name) || err != nil:
		case info.IsDir():
			out = append(out, namedBelow(path, seen)...)
		case manifest.IsManifest(path):
			out = append(out, path)
		}
	}

	return out
}

// manifestsBelow are the files of a folder and below it that may have manifests, and those that kustomizations below it name.
func manifestsBelow(folder string, seen map[string]bool) []string {
	var out []string

	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // What cannot be read leads nowhere.
		case path != folder && d.IsDir() && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case path != folder && d.IsDir() && kustomization(path) != "":
			out = append(out, namedBelow(path, seen)...)
			return fs.SkipDir
		case !d.IsDir() && manifest.HasManifests(path):
			out = append(out, path)
		}

		return nil
	})

	return out
}
