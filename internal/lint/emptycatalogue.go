package lint

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"slices"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// emptyCatalogue is said of a file without anything that has the name of a catalogue. What the claims take from it would all be missing.
const emptyCatalogue = "has nothing but blanks or comments, and is the catalogue by its name: write back its EnvironmentConfig, or delete the file where the claims do without"

// catalogueName is how people name the file of a catalogue.
var catalogueName = regexp.MustCompile(`(?i)^(machine-)?catalog(ue)?\.(ya?ml|json)$`)

// isEmptyCatalogue is true of a file with the name of a catalogue and with nothing in it.
func isEmptyCatalogue(raw manifest.Raw) bool {
	return catalogueName.MatchString(filepath.Base(raw.File)) && !slices.ContainsFunc(raw.Documents, func(d manifest.Document) bool {
		root := &yamlv3.Node{}

		return !errors.Is(yamlv3.NewDecoder(bytes.NewReader(d.Text)).Decode(root), io.EOF)
	})
}
