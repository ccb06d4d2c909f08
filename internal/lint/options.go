package lint

import "k8s.io/apimachinery/pkg/util/validation/field"

// DefaultCatalogue is the name of the EnvironmentConfig that the Compositions of this repository name.
const DefaultCatalogue = "machine-catalog"

// A Judge holds an object against the schema of its kind as the API server does. It returns no fault for a kind that it does not know.
type Judge interface {
	Refuse(object map[string]any) field.ErrorList
}

// Options of a check.
type Options struct {
	// Catalogue is the name of the EnvironmentConfig with the catalogue. Empty means [DefaultCatalogue].
	Catalogue string
	// Judge holds claims against the XRDs; nil where the caller has none.
	Judge Judge
	// Unused reports the entries of a catalogue that no claim uses. Only who reads all claims can tell.
	Unused bool
}
