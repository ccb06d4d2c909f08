package lint

import (
	"maps"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// A fluxPatch is what a kustomization.yaml, or another Kustomization of Flux, changes of layers.
type fluxPatch struct {
	name   *regexp.Regexp // Of the layers; nil for all of them.
	fields map[string]fluxSaid
	effect fluxEffect
}

// A fluxEffect is what a patch does to layers.
type fluxEffect string

const (
	// fluxEdits changes fields of them.
	fluxEdits fluxEffect = "edits"
	// fluxDeletes takes them out of what a cluster has.
	fluxDeletes fluxEffect = "deletes"
)

// targets says whether a patch changes a layer. Of labels and namespaces nobody asks: what a patch may change is not missing.
func (p fluxPatch) targets(o object) bool { return p.name == nil || p.name.MatchString(o.name()) }

// readPatches of layers.
func (r *fluxRepository) readPatches(files []manifest.Raw) []fluxPatch {
	var out []fluxPatch

	for _, file := range r.paths {
		for _, o := range r.files[file] {
			under := ""

			switch {
			case manifest.IsKustomization(file):
			case isFluxKustomization(o):
				under = "spec."
			default:
				continue
			}

			patches := list(o.value["patches"])
			if under != "" {
				patches = list(at(o.value, "spec", "patches"))
			}

			for i, patch := range patches {
				if p, ok := layerPatch(o, under+"patches["+strconv.Itoa(i)+"]", patch, files); ok {
					out = append(out, p)
				}
			}
		}
	}

	return out
}

// layerPatch is a patch of layers; false for one of something else.
func layerPatch(o object, path string, patch any, files []manifest.Raw) (fluxPatch, bool) {
	content, file := text(at(patch, "patch")), ""

	if name := text(at(patch, "path")); name != "" {
		file = filepath.Join(filepath.Dir(filepath.Clean(o.file)), filepath.FromSlash(name))
		content = contentOf(files, file)
	}

	kind, named := text(at(patch, "target", "kind")), text(at(patch, "target", "name"))
	p := fluxPatch{fields: map[string]fluxSaid{}, effect: fluxEdits}

	// Where a patch stands in a file of its own, its line is the one that names the file.
	place := func(string) func(string) Fault {
		return func(text string) Fault { return o.fault(keyOf(o.node, path), path, text, Warning) }
	}
	if file == "" {
		place = func(field string) func(string) Fault {
			return func(text string) Fault { return o.within(path+".patch", field, text) }
		}
	}

	var merged map[string]any

	var operations []map[string]any

	if yaml.Unmarshal([]byte(content), &operations) == nil {
		maps.Copy(p.fields, ofOperations(operations, place))
	} else if yaml.Unmarshal([]byte(content), &merged) == nil {
		whole := object{value: merged}
		if kind == "" && isFluxKustomization(whole) {
			kind, named = whole.kind(), regexp.QuoteMeta(whole.name())
		}

		if merged["$patch"] == "delete" {
			p.effect = fluxDeletes
		}

		spec, _ := merged["spec"].(map[string]any)
		for field, value := range spec {
			p.fields[field] = fluxSaid{value, place(field)}
		}
	}

	if named != "" {
		// Kustomize takes a whole name; who writes no expression of Go's means nothing.
		if name, err := regexp.Compile("^(?:" + named + ")$"); err == nil {
			p.name = name
		}
	}

	return p, kind == "Kustomization" && (len(p.fields) > 0 || p.effect == fluxDeletes)
}

// ofOperations of a JSON patch are the fields below spec that it changes.
func ofOperations(operations []map[string]any, place func(field string) func(string) Fault) map[string]fluxSaid {
	out := map[string]fluxSaid{}

	for _, operation := range operations {
		below, ok := strings.CutPrefix(text(operation["path"]), "/spec/")
		if !ok {
			continue
		}

		field, rest, _ := strings.Cut(below, "/")
		value := operation["value"]

		if rest != "" || operation["op"] == "remove" {
			value = nil
		}

		out[field] = fluxSaid{value, place(field)}
	}

	return out
}

// contentOf a file, as it was read.
func contentOf(files []manifest.Raw, path string) string {
	for _, f := range files {
		if filepath.Clean(f.File) == path && len(f.Documents) > 0 {
			return string(f.Documents[0].Text)
		}
	}

	return ""
}

// within is a warning inside of a text of several lines, at the first line with a word.
func (o object) within(path, word, said string) Fault {
	f := o.fault(position(o.node, path), path, said, Warning)
	if n := o.valueAt(path); n != nil && n.Style&(yamlv3.LiteralStyle|yamlv3.FoldedStyle) != 0 {
		for i, line := range strings.Split(n.Value, "\n") {
			if strings.Contains(line, word) {
				f.Line, f.Column = o.first+n.Line+i, 1

				break
			}
		}
	}

	return f
}

// valueAt a path; nil where there is nothing.
func (o object) valueAt(path string) *yamlv3.Node {
	n := o.node

	for path != "" {
		_, child, rest, found := step(n, path)
		if !found {
			return nil
		}

		n, path = child, strings.TrimPrefix(rest, ".")
	}

	return n
}
