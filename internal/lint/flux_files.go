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
	if !slices.ContainsFunc(r.layers, ofSource) && !r.absentFromCheckout(l, text(paths[0].value)) {
		return nil
	}

	return []Fault{paths[0].at(fmt.Sprintf("%q: no file is there, and Flux applies nothing of this layer: write the path from the top of the repository%s",
		message.Excerpt(text(paths[0].value)), seeWrong))}
}

// absentFromCheckout says whether a path is nowhere between a layer's file and the top of the Git checkout that has it. The source is this checkout for
// sure only where it is the one that `flux bootstrap` makes of the repository with the layers, and no file says of it that it is another one.
func (r *fluxRepository) absentFromCheckout(l fluxLayer, path string) bool {
	source := at(l.self.value, "spec", "sourceRef")
	own := at(source, "kind") == "GitRepository" && at(source, "name") == "flux-system" && slices.Contains([]any{nil, "flux-system"}, at(source, "namespace"))

	among := func(is func(object) bool) bool {
		return slices.ContainsFunc(r.paths, func(p string) bool { return slices.ContainsFunc(r.files[p], is) })
	}

	if !own || r.options.Stat == nil || path == "" || l.self.file == manifest.Stdin || !among(isClaim) ||
		among(func(o object) bool { return isAmong(l.said("sourceRef"), o) }) {
		return false
	}

	exists := func(path string) bool {
		_, err := r.options.Stat(path)

		return err == nil
	}

	folder := filepath.Dir(filepath.Clean(l.self.file))

	for range maxFoldersUp {
		switch {
		case exists(filepath.Join(folder, filepath.FromSlash(path))):
			return false
		case exists(filepath.Join(folder, ".git")):
			return true
		}

		folder = filepath.Join(folder, "..")
	}

	return false
}

// forgotten are claims and catalogues whose files the kustomization.yaml beside them does not name: Flux does not apply them, and says nothing.
func (r *fluxRepository) forgotten() []Fault {
	var out []Fault

	for _, path := range r.paths {
		file := r.kustomization(filepath.Dir(path))
		if file == "" && !manifest.IsYAML(path) {
			out = append(out, r.unread(path)...)
		}

		if file == "" || slices.ContainsFunc(r.files[file], isFluxKustomization) || manifest.IsKustomization(path) || r.names(file, filepath.Base(path)) {
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

// unread are the claims and catalogues of a JSON file in the folder of a layer, where no kustomization.yaml has the say.
func (r *fluxRepository) unread(path string) []Fault {
	if !slices.ContainsFunc(r.layers, func(l fluxLayer) bool {
		return slices.ContainsFunc(l.said("path"), func(s fluxSaid) bool {
			folder := r.folderOf(l.self, text(s.value))

			return folder != "" && isIn(path, folder) && !r.built(filepath.Dir(path), folder)
		})
	}) {
		return nil
	}

	var out []Fault

	for _, o := range r.files[path] {
		if isApplied(o) || isCatalogue(o) {
			out = append(out, o.fault(position(o.node, "metadata.name"), "metadata.name", fmt.Sprintf(
				"Flux does not apply it: of a folder without a kustomization.yaml it reads *.yaml and *.yml. Rename the file to %s, JSON is YAML, too%s",
				message.Excerpt(strings.TrimSuffix(filepath.Base(path), ".json")+".yaml"), seeWrong), Warning))
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
