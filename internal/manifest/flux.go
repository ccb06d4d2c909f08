package manifest

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
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
	return strings.Contains(resource, "://") || strings.Contains(resource, "?ref=") || strings.HasPrefix(resource, "git@") || strings.HasPrefix(resource, "github.com/")
}

// Instead of a file or folder that a kustomization names and that is not there: what of its folder may be meant, or what to do.
func Instead(path string, beside []string) string {
	// What has the same name but for its end is meant, too.
	stem := func(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

	for _, name := range beside {
		if stem(name) == stem(filepath.Base(path)) {
			return "did you mean " + message.Excerpt(name) + "?"
		}
	}

	if meant := message.Meant(filepath.Base(path), beside); meant != "" {
		return "did you mean " + message.Excerpt(meant) + "?"
	}

	return "commit it, or remove the line"
}

// IsBelow says whether a path is that of a folder, or of something in it or below it. Both are absolute, or relative to one folder.
func IsBelow(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)

	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
