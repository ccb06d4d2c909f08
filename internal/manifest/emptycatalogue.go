package manifest

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"slices"

	yamlv3 "go.yaml.in/yaml/v3"
)

// EmptyCatalogue is said of a file without anything that has the name of a catalogue. What the claims take from it would all be missing.
const EmptyCatalogue = "has nothing but blanks or comments, and is the catalogue by its name: write back its EnvironmentConfig, or delete the file where the claims do without"

// catalogueName is how people name the file of a catalogue.
var catalogueName = regexp.MustCompile(`(?i)^(machine-)?catalog(ue)?\.(ya?ml|json)$`)

// EmptyCatalogue is the fault of a file with the name of a catalogue and with nothing in it.
func (r Raw) EmptyCatalogue() (Fault, bool) {
	empty := catalogueName.MatchString(filepath.Base(r.File)) && !slices.ContainsFunc(r.Documents, func(d Document) bool {
		root := &yamlv3.Node{}

		return !errors.Is(yamlv3.NewDecoder(bytes.NewReader(d.Text)).Decode(root), io.EOF)
	})

	return Fault{Line: 1, Column: 1, Message: EmptyCatalogue}, empty
}
