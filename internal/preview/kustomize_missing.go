//go:build !js

package preview

import (
	"os"
	"path/filepath"
	"slices"

	kustomize "sigs.k8s.io/kustomize/api/types"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// complete reports the first file or folder that a kustomization, or one that it names, names and that is not there. Kustomize says it in the words of three
// attempts, without the kustomization that names it.
func complete(folder string, k kustomize.Kustomization, seen map[string]bool) error {
	if seen[folder] {
		return nil
	}

	seen[folder] = true

	for _, named := range slices.Concat(k.Resources, k.Components) {
		if manifest.IsRemote(named) {
			continue
		}

		path := filepath.Join(folder, filepath.FromSlash(named))

		info, err := os.Stat(path)
		if os.IsNotExist(err) {
			return errors.Errorf("%s names %q, and there is no such file or folder: %s", kustomization(folder), message.Excerpt(named), manifest.Instead(path, manifest.NamesBeside(path)))
		}

		if err != nil || !info.IsDir() || kustomization(path) == "" {
			continue // Kustomize says what is wrong.
		}

		below, err := readKustomization(path)
		if err != nil {
			return err
		}

		if err := complete(path, below, seen); err != nil {
			return err
		}
	}

	return nil
}
