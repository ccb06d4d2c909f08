package preview

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// maxAbove is how many folders above a claim are searched for its catalogue, where no repository ends before.
const maxAbove = 5

// mayBeCatalogue says whether a file may have a catalogue that somebody applies: what kubectl printed of one is the cluster's.
func mayBeCatalogue(path string) bool {
	data, err := os.ReadFile(filepath.Clean(path))
	if err != nil || manifest.IsObserved(path) {
		return false
	}

	if bytes.Contains(data, []byte("kind: EnvironmentConfig")) || filepath.Base(path) == fileCatalogue {
		return true
	}

	_, empty := manifest.Raw{File: path, Documents: manifest.RawDocuments(data)}.EmptyCatalogue()

	return empty
}

// CataloguesAbove are the files with a catalogue that are the nearest to a folder, whatever their names are: in it, in a folder catalogue of it, or the same
// of a folder above it, as far as the repository goes. The one that is called catalogue.yaml comes first.
func CataloguesAbove(folder string) []string {
	for range maxAbove {
		var found []string

		for _, pattern := range []string{fileCatalogue, "*.yaml", "*.yml", filepath.Join("catalog*", "*.yaml")} {
			paths, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil {
				continue
			}

			for _, path := range paths {
				if !slices.Contains(found, path) && mayBeCatalogue(path) {
					found = append(found, path)
				}
			}
		}

		_, err := os.Stat(filepath.Join(folder, ".git"))
		if len(found) > 0 || err == nil || filepath.Dir(absolute(folder)) == absolute(folder) {
			return found
		}

		folder = filepath.Join(folder, "..")
	}

	return nil
}
