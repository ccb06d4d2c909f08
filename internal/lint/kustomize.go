package lint

import (
	"path/filepath"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// patches are the files that a kustomization.yaml among the files names as patches: parts of manifests, of which nobody can tell what is
// missing.
func patches(files []manifest.Raw) map[string]bool {
	out := map[string]bool{}

	for _, f := range files {
		if !manifest.IsKustomization(f.File) {
			continue
		}

		for _, o := range parse(f, false).objects {
			for _, p := range list(o.value["patchesStrategicMerge"]) {
				add(out, f.File, text(p))
			}

			for _, p := range list(o.value["patches"]) {
				patch, _ := p.(map[string]any)
				add(out, f.File, text(patch["path"]))
			}
		}
	}

	return out
}

func add(to map[string]bool, kustomization, path string) {
	if path != "" {
		to[filepath.Clean(filepath.Join(filepath.Dir(kustomization), filepath.FromSlash(path)))] = true
	}
}

func list(v any) []any {
	l, _ := v.([]any)

	return l
}
