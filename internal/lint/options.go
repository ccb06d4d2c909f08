package lint

import (
	"io/fs"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// DefaultCatalogue is the name of the EnvironmentConfig that the Compositions of this repository name.
const DefaultCatalogue = "machine-catalog"

// A Judge holds an object against the schema of its kind as the API server does, where the project is installed for an API of the provider. It returns no
// fault for a kind that it does not know.
type Judge interface {
	Refuse(object map[string]any, installed proxmox.Flavour) field.ErrorList
}

// Options of a check.
type Options struct {
	// Catalogue is the name of the EnvironmentConfig with the catalogue. Empty means [DefaultCatalogue].
	Catalogue string
	// Judge holds claims against the XRDs; nil where the caller has none.
	Judge Judge
	// Provider is the provider's API in the installation of the claims. Empty means that of the flavour which the catalogue of a claim remembers, or the
	// default one's.
	Provider proxmox.Flavour
	// Unused reports the entries of a catalogue that no claim uses. Only who reads all claims can tell.
	Unused bool
	// Named is the file with the catalogue that a person named, and means, whatever is wrong with it; empty where nobody named one.
	Named string
	// Ignored says whether Git passes over a file; nil where nobody knows.
	Ignored func(file string) bool
	// Stat says what is at a path of a file, as [os.Stat] does; nil where the caller has nothing but the files that are checked.
	Stat func(path string) (fs.FileInfo, error)
}
