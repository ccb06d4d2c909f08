package lint

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// namedLists are the lists of a kustomization.yaml that name files and folders to build.
var namedLists = []string{"resources", "bases", "components"} //nolint:gochecknoglobals // A constant list.

// kustomizationFields are the fields that Kustomize reads; with any other one it builds nothing.
var kustomizationFields = []string{ //nolint:gochecknoglobals // A constant list.
	"resources", "components", "patches", "namespace", "namePrefix", "nameSuffix", "labels", "commonLabels", "commonAnnotations", "images", "replicas",
	"configMapGenerator", "secretGenerator", "generatorOptions", "replacements", "patchesStrategicMerge", "patchesJson6902", "bases", "imageTags", "vars",
	"sortOptions", "crds", "openapi", "configurations", "generators", "transformers", "validators", "buildMetadata", "helmGlobals", "helmCharts",
	"helmChartInflationGenerator", "apiVersion", "kind", "metadata",
}

// notBuilt is what a fault of a kustomization does.
const notBuilt = "nothing of this folder is applied"

// The kustomizations among some files that have claims, catalogues or layers of Flux in their folders or below them. Those of other things are other people's.
type kustomizations struct {
	options Options
	paths   []string // Of all files.
	all     []object
}

func readKustomizations(files []manifest.Raw, o Options) kustomizations {
	k := kustomizations{options: o}

	var folders []string // With what is ours.

	for _, f := range files {
		path := filepath.Clean(f.File)
		k.paths = append(k.paths, path)

		for _, o := range parse(f, false).objects {
			if isApplied(o) || isCatalogue(o) || isFluxKustomization(o) {
				folders = append(folders, filepath.Dir(path))
			}
		}
	}

	for _, f := range files {
		folder := filepath.Dir(filepath.Clean(f.File))
		matters := func(ours string) bool { return manifest.IsBelow(ours, folder) }

		if manifest.IsKustomization(f.File) && !manifest.IsURL(f.File) && slices.ContainsFunc(folders, matters) {
			k.all = append(k.all, parse(f, false).objects...)
		}
	}

	return k
}

// check them for what keeps Kustomize, and with it Flux and kubectl apply -k, from building their folders.
func (k kustomizations) check() []Fault {
	var out []Fault

	for _, o := range k.all {
		if isFluxKustomization(o) {
			out = append(out, o.fault(position(o.node, "apiVersion"), "apiVersion", fmt.Sprintf(
				"%q: %s is the name of a file of Kustomize, which reads no Kustomization of Flux, and %s: give this file another name, such as layer.yaml",
				message.Excerpt(text(o.value["apiVersion"])), filepath.Base(o.file), notBuilt), Warning))

			continue
		}

		out = append(out, unknownToKustomize(o)...)

		for _, name := range namedLists {
			out = append(out, k.built(o, name)...)
		}

		out = append(out, k.patches(o)...)
	}

	return out
}

// unknownToKustomize are fields of a kustomization that Kustomize refuses.
func unknownToKustomize(o object) []Fault {
	var out []Fault

	for _, name := range slices.Sorted(maps.Keys(o.value)) {
		if slices.Contains(kustomizationFields, name) {
			continue
		}

		path := message.Key(name)
		out = append(out, o.fault(keyOf(o.node, path), path, "unknown field of Kustomize, and with it "+notBuilt+"; "+message.There(kustomizationFields[:8], name), Warning))
	}

	return out
}

// built are the faults of one of the lists of what Kustomize builds.
func (k kustomizations) built(o object, name string) []Fault {
	value, there := o.value[name]
	if _, isList := value.([]any); there && value != nil && !isList {
		said := fmt.Sprintf("must be a list, and without one %s: write [%s]", notBuilt, example(value, "file.yaml"))

		return []Fault{o.fault(position(o.node, name), name, said, Warning)}
	}

	var out []Fault

	for i, item := range list(value) {
		out = append(out, k.absent(o, fmt.Sprintf("%s[%d]", name, i), text(item))...)
	}

	return out
}

// patches of a kustomization whose files are not there.
func (k kustomizations) patches(o object) []Fault {
	var out []Fault

	for i, p := range list(o.value["patches"]) {
		patch, _ := p.(map[string]any)
		out = append(out, k.absent(o, fmt.Sprintf("patches[%d].path", i), text(patch["path"]))...)
	}

	for i, p := range list(o.value["patchesStrategicMerge"]) {
		if path := text(p); !strings.ContainsAny(path, "\n:") { // Else the patch itself.
			out = append(out, k.absent(o, fmt.Sprintf("patchesStrategicMerge[%d]", i), path)...)
		}
	}

	return out
}

// absent is the fault of a file or folder that a kustomization names at a path of its own, and that is not there, or has nothing that Kustomize builds.
func (k kustomizations) absent(o object, at, named string) []Fault {
	if named == "" || manifest.IsRemote(named) {
		return nil
	}

	said := k.missing(filepath.Join(filepath.Dir(filepath.Clean(o.file)), filepath.FromSlash(named)), named)
	if said == "" {
		return nil
	}

	return []Fault{o.fault(position(o.node, at), at, fmt.Sprintf("%q: %s", message.Excerpt(named), said), Warning)}
}

// missing says what is wrong with a path; empty if nothing is known to be.
func (k kustomizations) missing(path, named string) string {
	const nothing = "there is no such file or folder, and without it " + notBuilt + ": "

	if k.options.Stat == nil {
		// Only a file in the folder of the kustomization, or below it, is surely among the files that were read.
		if clean := filepath.Clean(filepath.FromSlash(named)); !manifest.IsManifest(path) || strings.HasPrefix(clean, "..") || isHidden(clean) || slices.Contains(k.paths, path) {
			return ""
		}

		return nothing + manifest.Instead(path, k.beside(path))
	}

	switch info, err := k.options.Stat(path); {
	case err != nil:
		return nothing + manifest.Instead(path, k.beside(path))
	case !info.IsDir() || slices.ContainsFunc(manifest.Kustomizations(), func(name string) bool { return k.has(filepath.Join(path, name)) }):
		return ""
	}

	return "this folder has no kustomization.yaml, and without one " + notBuilt + ": write one there, or name its files here, such as " +
		message.Excerpt(filepath.ToSlash(filepath.Join(named, "file.yaml")))
}

func (k kustomizations) has(path string) bool {
	_, err := k.options.Stat(path)

	return err == nil
}

// beside are the names of the files that were read in the folder of a path.
func (k kustomizations) beside(path string) []string {
	var out []string

	for _, p := range k.paths {
		if filepath.Dir(p) == filepath.Dir(path) && !manifest.IsKustomization(p) {
			out = append(out, filepath.Base(p))
		}
	}

	return out
}

// isHidden says whether a path has a file or a folder that is read by nobody.
func isHidden(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(part string) bool { return strings.HasPrefix(part, ".") })
}
