package manifest

import (
	"path/filepath"
	"slices"
	"strings"
)

// FluxGroup is the API group of Flux's Kustomizations, and of the annotations of what they apply.
const FluxGroup = "kustomize.toolkit.fluxcd.io"

// IsFluxKustomization says whether a manifest with these words is a Kustomization of Flux, of any version; one that Kustomize reads has another group.
func IsFluxKustomization(apiVersion, kind string) bool {
	group, _, _ := strings.Cut(apiVersion, "/")

	return group == FluxGroup && kind == "Kustomization"
}

// Kustomizations are the names of the files with manifests that Kustomize reads for their folder, the first one that there is.
func Kustomizations() []string { return []string{"kustomization.yaml", "kustomization.yml"} }

// IsKustomization says whether a file has such a name.
func IsKustomization(path string) bool { return slices.Contains(Kustomizations(), filepath.Base(path)) }

// IsRemote says whether a kustomization names something on another host.
func IsRemote(resource string) bool {
	return strings.Contains(resource, "://") || strings.Contains(resource, "?ref=") || strings.HasPrefix(resource, "git@") ||
		strings.HasPrefix(resource, "github.com/")
}

// IsBelow says whether a path is that of a folder, or of something in it or below it. Both are absolute, or relative to one folder.
func IsBelow(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)

	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
