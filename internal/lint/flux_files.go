package lint

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// namedLists are the lists of a kustomization.yaml that name files and folders to build.
var namedLists = []string{"resources", "bases", "components"} //nolint:gochecknoglobals // A constant list.

// absentFiles are the files that kustomizations name and that are not there: Kustomize then builds nothing of the folder. Only a file in the folder of
// the kustomization, or below it, is surely among the files that were read.
func (r *fluxRepository) absentFiles() []Fault {
	var out []Fault

	for _, file := range r.paths {
		if !manifest.IsKustomization(file) {
			continue
		}

		for _, k := range r.files[file] {
			for _, list := range namedLists {
				out = append(out, r.absent(k, list)...)
			}
		}
	}

	return out
}

// absent files of one list of a kustomization.
func (r *fluxRepository) absent(k object, name string) []Fault {
	var out []Fault

	for i, item := range list(k.value[name]) {
		resource := text(item)
		path := filepath.Clean(filepath.FromSlash(resource))

		if !manifest.IsYAML(path) || manifest.IsURL(resource) || strings.HasPrefix(path, "..") || isHidden(path) ||
			slices.Contains(r.paths, filepath.Join(filepath.Dir(filepath.Clean(k.file)), path)) {
			continue
		}

		at := fmt.Sprintf("%s[%d]", name, i)
		out = append(out, k.fault(position(k.node, at), at, fmt.Sprintf(
			"%q: there is no such file, and without it Flux applies nothing of this folder: write the name of the file as it is, or remove it%s",
			message.Excerpt(resource), seeWrong), Warning))
	}

	return out
}

// absentPath is a layer whose path is not there, in the repository that other layers are of. One that some cluster has with another path or of another
// repository, or does not have at all, may be right.
func (r *fluxRepository) absentPath(l fluxLayer) []Fault {
	paths, source := l.said("path"), at(l.self.value, "spec", "sourceRef")
	deleted := slices.ContainsFunc(l.patches, func(p fluxPatch) bool { return p.effect == fluxDeletes })

	if len(paths) != 1 || len(l.said("sourceRef")) != 1 || source == nil || deleted {
		return nil
	}

	if path, isText := paths[0].value.(string); !isText || r.folderOf(l.self, path) != "" {
		return nil
	}

	ofSource := func(other fluxLayer) bool {
		return len(other.objects) > 0 && reflect.DeepEqual(at(other.self.value, "spec", "sourceRef"), source)
	}
	if !slices.ContainsFunc(r.layers, ofSource) {
		return nil
	}

	return []Fault{paths[0].at(fmt.Sprintf("%q: no file is there, and Flux applies nothing of this layer: write the path from the top of the repository%s",
		message.Excerpt(text(paths[0].value)), seeWrong))}
}

// forgotten are claims and catalogues whose files the kustomization.yaml beside them does not name: Flux does not apply them, and says nothing.
func (r *fluxRepository) forgotten() []Fault {
	var out []Fault

	for _, path := range r.paths {
		file := r.kustomization(filepath.Dir(path))
		if file == "" || manifest.IsKustomization(path) || r.names(file, filepath.Base(path)) {
			continue
		}

		for _, o := range r.files[path] {
			if isApplied(o) || isCatalogue(o) {
				out = append(out, o.fault(position(o.node, "metadata.name"), "metadata.name", fmt.Sprintf(
					"Flux does not apply it: %s beside it does not name this file. Write resources: [%s] there, or remove the file%s",
					filepath.Base(file), message.Excerpt(filepath.Base(path)), seeWrong), Warning))
			}
		}
	}

	return out
}

// names says whether a kustomization.yaml names a file beside it, as whatever: by its name, or by a text that ends with it, as name=file of a generator does.
func (r *fluxRepository) names(kustomization, file string) bool {
	for _, k := range r.files[kustomization] {
		for _, text := range texts(k.value) {
			if filepath.Clean(text) == file || strings.HasSuffix(text, "="+file) {
				return true
			}
		}
	}

	return false
}

// isHidden says whether a path has a file or a folder that is read by nobody.
func isHidden(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(part string) bool { return strings.HasPrefix(part, ".") })
}
