package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// The flavours that can be rendered.
const (
	flavourClaims     = "claims"
	flavourLegacy     = "legacy"
	flavourNamespaced = "namespaced"
)

// A flavour is a way to install the project: a Configuration, and what its function is told of the provider.
type flavour struct {
	folder      string // Configuration root, relative to the repository.
	providerAPI string // Set in the Composition's Input; empty keeps what the Composition says.
	namespaced  bool   // Whether composites, and so the managed resources, are namespaced.
}

// flavours by name. Legacy is no Configuration of its own: install/legacy has Compositions that differ from those of the
// claims Configuration in providerAPI, which the preview sets.
func flavours() map[string]flavour {
	return map[string]flavour{
		flavourClaims:     {folder: "package"},
		flavourLegacy:     {folder: "package", providerAPI: "legacy"},
		flavourNamespaced: {folder: "package-v2", namespaced: true},
	}
}

func flavourNames() string {
	return strings.Join([]string{flavourClaims, flavourLegacy, flavourNamespaced}, ", ")
}

// A configuration is what the preview needs to know of a Configuration package.
type configuration struct {
	flavour      flavour
	definitions  []definition
	compositions []composition
}

// A definition is the part of a CompositeResourceDefinition that says which kinds it defines.
type definition struct {
	file string
	Spec struct {
		Group      string     `json:"group"`
		Names      kindNames  `json:"names"`
		ClaimNames *kindNames `json:"claimNames"`
	} `json:"spec"`
}

type kindNames struct {
	Kind string `json:"kind"`
}

// claimable is true if d defines the kind as that of a claim, not of a composite resource.
func (d definition) claimable(kind string) bool {
	return d.Spec.ClaimNames != nil && d.Spec.ClaimNames.Kind == kind
}

// kinds that a person may write with d.
func (d definition) kinds() []string {
	if d.Spec.ClaimNames != nil {
		return []string{d.Spec.ClaimNames.Kind, d.Spec.Names.Kind}
	}

	return []string{d.Spec.Names.Kind}
}

// A composition is the part of a Composition that says what it is for.
type composition struct {
	file string
	Spec struct {
		CompositeTypeRef struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		} `json:"compositeTypeRef"`
	} `json:"spec"`
}

// loadPackage reads the XRDs and Compositions of the Configuration of the named flavour. It returns an error if the
// flavour is unknown or the folder holds none.
func loadPackage(root, name string) (configuration, error) {
	fl, ok := flavours()[name]
	if !ok {
		return configuration{}, fmt.Errorf("unknown flavour %q: want one of %s", name, flavourNames())
	}

	pkg := configuration{flavour: fl}

	xrds, err := yamlFiles(filepath.Join(root, fl.folder, "xrds"))
	if err != nil {
		return pkg, err
	}

	for _, file := range xrds {
		d := definition{file: file}
		if err := readManifest(file, &d); err != nil {
			return pkg, err
		}

		pkg.definitions = append(pkg.definitions, d)
	}

	compositions, err := yamlFiles(filepath.Join(root, fl.folder, "compositions"))
	if err != nil {
		return pkg, err
	}

	for _, file := range compositions {
		c := composition{file: file}
		if err := readManifest(file, &c); err != nil {
			return pkg, err
		}

		pkg.compositions = append(pkg.compositions, c)
	}

	return pkg, nil
}

// owns is true for an API group that the package defines.
func (p configuration) owns(group string) bool {
	return slices.ContainsFunc(p.definitions, func(d definition) bool { return d.Spec.Group == group })
}

// kinds lists what a person may write, for messages.
func (p configuration) kinds() string {
	kinds := []string{}
	for _, d := range p.definitions {
		kinds = append(kinds, d.kinds()...)
	}

	slices.Sort(kinds)

	return strings.Join(kinds, ", ")
}

// definitionOf finds the XRD of a kind, be it the claim's or the composite's.
func (p configuration) definitionOf(gvk schema.GroupVersionKind) (definition, error) {
	for _, d := range p.definitions {
		if d.Spec.Group == gvk.Group && slices.Contains(d.kinds(), gvk.Kind) {
			return d, nil
		}
	}

	return definition{}, fmt.Errorf("no XRD in %s defines kind %q of %q: want one of %s", p.flavour.folder, gvk.Kind, gvk.Group, p.kinds())
}

// compositionOf finds the one Composition of a composite's kind. Where there are several, Crossplane would need a
// selector, so the preview refuses to choose.
func (p configuration) compositionOf(apiVersion, kind string) (composition, error) {
	found := []composition{}

	for _, c := range p.compositions {
		if c.Spec.CompositeTypeRef.APIVersion == apiVersion && c.Spec.CompositeTypeRef.Kind == kind {
			found = append(found, c)
		}
	}

	if len(found) != 1 {
		return composition{}, fmt.Errorf("want one Composition in %s for %s of %s, found %d", p.flavour.folder, kind, apiVersion, len(found))
	}

	return found[0], nil
}

func yamlFiles(folder string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("cannot list %s: %w", folder, err)
	}

	if len(files) == 0 {
		return nil, fmt.Errorf("no manifests in %s", folder)
	}

	return files, nil
}

func readManifest(file string, into any) error {
	data, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return fmt.Errorf("cannot read manifest: %w", err)
	}

	if err := yaml.Unmarshal(data, into); err != nil {
		return fmt.Errorf("cannot parse %s: %w", file, err)
	}

	return nil
}
