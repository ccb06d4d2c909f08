package catalog

import (
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// The flavours of an installation of this project, as `--flavour` and [AnnotationFlavour] spell them.
const (
	FlavourNamespaced = "namespaced"
	FlavourClaims     = "claims"
	FlavourLegacy     = "legacy"
)

// DefaultFlavour is the installation for those who begin.
const DefaultFlavour = FlavourNamespaced

// AnnotationFlavour of a catalogue is how the project is installed where the catalogue is: claims, legacy or namespaced. The command line
// reads it, and nothing else does.
const AnnotationFlavour = "homelab.io/flavour"

// Flavours are the names of all flavours, the default one first.
func Flavours() []string { return []string{FlavourNamespaced, FlavourClaims, FlavourLegacy} }

// ProviderOf is the API of the provider in the installation of the named flavour. An unknown flavour is an error with those that there are.
func ProviderOf(flavour string) (proxmox.Flavour, error) {
	if !slices.Contains(Flavours(), flavour) {
		return proxmox.Flavour{}, errors.Errorf("unknown flavour %q: want one of %s", flavour, strings.Join(Flavours(), ", "))
	}

	// Legacy is an API of the provider without namespaces; claims are the other one.
	return proxmox.FlavourOf(flavour == FlavourNamespaced, flavour), nil
}
