package lint

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// A fluxRepository is what Flux applies of some files.
type fluxRepository struct {
	options Options
	files   map[string][]object // By their paths.
	paths   []string            // In the order in which they were read.
	layers  []fluxLayer         // Those with claims, or with what claims need, and those that they may depend on.
	patches []fluxPatch         // Of layers.
}

// readFlux is what Flux applies of some files; nil where none has a Kustomization of Flux.
func readFlux(files []manifest.Raw, o Options) *fluxRepository {
	mentioned := func(f manifest.Raw) bool {
		return slices.ContainsFunc(f.Documents, func(d manifest.Document) bool { return bytes.Contains(d.Text, []byte(manifest.FluxGroup+"/v")) })
	}
	if !slices.ContainsFunc(files, mentioned) {
		return nil
	}

	r := &fluxRepository{options: o, files: map[string][]object{}}

	for _, f := range files {
		path := filepath.Clean(f.File)
		r.files[path] = append(r.files[path], parse(f, false).objects...)
		r.paths = append(r.paths, path)
	}

	r.patches = r.readPatches(files)

	parts := patches(files)

	for _, path := range r.paths {
		for _, o := range r.files[path] {
			if isFluxKustomization(o) && !parts[path] {
				r.layers = append(r.layers, r.layer(o))
			}
		}
	}

	return r
}

func isFluxKustomization(o object) bool {
	return manifest.IsFluxKustomization(text(o.value["apiVersion"]), o.kind())
}

// A fluxLayer is a Kustomization of Flux, with what it applies.
type fluxLayer struct {
	self           object
	patches        []fluxPatch // That a kustomization.yaml, or another layer, makes of it.
	objects        []object
	kustomizations []object // That Kustomize reads below its path.
}

// layer of a Kustomization of Flux. A kustomization.yaml of a cluster may give it another path than its file has; it is taken to apply both.
func (r *fluxRepository) layer(o object) fluxLayer {
	l := fluxLayer{self: o}

	for _, p := range r.patches {
		if p.targets(o) {
			l.patches = append(l.patches, p)
		}
	}

	seen := map[string]bool{}

	for _, s := range l.said("path") {
		if path, ok := s.value.(string); ok {
			r.apply(&l, r.folderOf(o, path), seen)
		}
	}

	return l
}

// maxFoldersUp is how far above the file of a layer the folder is looked for that its path is relative to.
const maxFoldersUp = 8

// folderOf the path of a layer, which is relative to a repository: the nearest folder above the layer's file that has the path.
func (r *fluxRepository) folderOf(o object, path string) string {
	up := filepath.Dir(filepath.Clean(o.file))

	for range maxFoldersUp {
		folder := filepath.Join(up, filepath.FromSlash(path))
		if slices.ContainsFunc(r.paths, func(p string) bool { return isIn(p, folder) }) {
			return folder
		}

		up = filepath.Join(up, "..")
	}

	return ""
}

// isIn says whether a file is in a folder, or below it.
func isIn(file, folder string) bool { return file != folder && manifest.IsBelow(file, folder) }

// apply to a layer what Flux finds in a folder: what its kustomization.yaml names, or all files.
func (r *fluxRepository) apply(l *fluxLayer, folder string, seen map[string]bool) {
	if folder == "" || seen[folder] {
		return
	}

	seen[folder] = true

	if r.build(l, folder, seen) {
		return
	}

	for _, path := range r.paths {
		if !isIn(path, folder) || !manifest.IsYAML(path) || r.built(filepath.Dir(path), folder) {
			continue
		}

		r.applyFile(l, path, seen)
	}

	for _, path := range r.paths {
		if below := filepath.Dir(path); manifest.IsKustomization(path) && isIn(path, folder) && !r.built(filepath.Dir(below), folder) {
			r.apply(l, below, seen)
		}
	}
}

// built says whether a kustomization.yaml of a folder, or of one between it and the top, has the say there.
func (r *fluxRepository) built(folder, top string) bool {
	for ; folder != top && isIn(folder, top); folder = filepath.Dir(folder) {
		if r.kustomization(folder) != "" {
			return true
		}
	}

	return false
}

// kustomization is the path of a folder's kustomization; empty where it has none.
func (r *fluxRepository) kustomization(folder string) string {
	for _, name := range manifest.Kustomizations() {
		if path := filepath.Join(folder, name); r.files[path] != nil {
			return path
		}
	}

	return ""
}

// build what the kustomization of a folder names; false where it has none.
func (r *fluxRepository) build(l *fluxLayer, folder string, seen map[string]bool) bool {
	file := r.kustomization(folder)

	for _, k := range r.files[file] {
		l.kustomizations = append(l.kustomizations, k)

		for _, resource := range slices.Concat(list(k.value["resources"]), list(k.value["bases"]), list(k.value["components"])) {
			path := filepath.Join(folder, filepath.FromSlash(text(resource)))
			r.applyFile(l, path, seen)
			r.apply(l, path, seen)
		}
	}

	return file != ""
}

func (r *fluxRepository) applyFile(l *fluxLayer, path string, seen map[string]bool) {
	if !seen[path] && !manifest.IsKustomization(path) {
		seen[path] = true
		l.objects = append(l.objects, r.files[path]...)
	}
}

// place objects in the namespaces that the layers put them in.
func (r *fluxRepository) place(objects []object) {
	for i := range objects {
		objects[i].placed = r.namespaceOf(objects[i])
	}
}

// namespaceOf is the namespace in which a layer, or a kustomization.yaml below it, puts an object; empty where none does, or there is no layer.
func (r *fluxRepository) namespaceOf(o object) string {
	if r == nil {
		return ""
	}

	for _, l := range r.layers {
		if !slices.ContainsFunc(l.objects, o.is) {
			continue
		}

		for _, s := range l.said("targetNamespace") {
			if target := text(s.value); target != "" {
				return target
			}
		}

		for _, k := range l.kustomizations {
			if target := text(k.value["namespace"]); target != "" && filepath.Dir(filepath.Clean(k.file)) == filepath.Dir(filepath.Clean(o.file)) {
				return target
			}
		}
	}

	return ""
}

// is says whether two objects are the same one, of one place in one file.
func (o object) is(other object) bool {
	return filepath.Clean(o.file) == filepath.Clean(other.file) && o.first == other.first && slices.Equal(o.at, other.at)
}

// A fluxSaid is what somebody says of a field below spec of a layer.
type fluxSaid struct {
	value any
	at    func(text string) Fault // A warning at its place.
}

// said of a field below spec of a layer: by its own file, and by patches. A patch that takes the field away, or changes a part of it, says nil.
func (l fluxLayer) said(field string) []fluxSaid {
	var out []fluxSaid

	spec, _ := l.self.value["spec"].(map[string]any)
	if value, ok := spec[field]; ok {
		path := "spec." + field
		out = append(out, fluxSaid{value, func(text string) Fault { return l.self.fault(keyOf(l.self.node, path), path, text, Warning) }})
	}

	for _, p := range l.patches {
		if s, ok := p.fields[field]; ok {
			out = append(out, s)
		}
	}

	return out
}

// warning about what a layer lacks, at its name.
func (l fluxLayer) warning(text string) Fault {
	return l.self.fault(position(l.self.node, "metadata.name"), "metadata.name", text, Warning)
}

// has an object of a kind.
func (l fluxLayer) has(is func(object) bool) bool { return slices.ContainsFunc(l.objects, is) }

// matters says whether a layer has claims or what they need.
func (l fluxLayer) matters() bool {
	return l.has(isApplied) || slices.ContainsFunc(fluxParts(), func(p fluxPart) bool { return l.has(p.is) })
}
