package preview

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	claims "github.com/homelab-io/function-proxmox-machine/package"
	namespaced "github.com/homelab-io/function-proxmox-machine/package-v2"
)

// The flavours that can be rendered.
const (
	FlavourClaims     = catalog.FlavourClaims
	FlavourLegacy     = catalog.FlavourLegacy
	FlavourNamespaced = catalog.FlavourNamespaced
)

// A flavour is a way to install the project: a Configuration, and what its function is told of the provider.
type flavour struct {
	folder      string // Of the Configuration in the repository, for messages.
	files       fs.FS
	providerAPI string // Set in the Composition's Input; empty keeps what the Composition says.
	namespaced  bool   // Whether composites, and so the managed resources, are namespaced.
}

// flavours by name. Legacy is no Configuration of its own: install/legacy has Compositions that differ from those of the
// claims Configuration in providerAPI, which the preview sets.
func flavours() map[string]flavour {
	return map[string]flavour{
		FlavourClaims:     {folder: "package", files: claims.Files},
		FlavourLegacy:     {folder: "package", files: claims.Files, providerAPI: "legacy"},
		FlavourNamespaced: {folder: "package-v2", files: namespaced.Files, namespaced: true},
	}
}

// A Configuration is what a preview needs to know of a Configuration package.
type Configuration struct {
	flavour      flavour
	definitions  []definition
	compositions []composition
}

// A definition is a CompositeResourceDefinition, and the part of it that says which kinds it defines.
type definition struct {
	object unstructured.Unstructured
	Spec   struct {
		Group      string     `json:"group"`
		Names      kindNames  `json:"names"`
		ClaimNames *kindNames `json:"claimNames"`
		Versions   []version  `json:"versions"`
	} `json:"spec"`
}

type kindNames struct {
	Kind   string `json:"kind"`
	Plural string `json:"plural"`
}

type version struct {
	Name   string `json:"name"`
	Schema struct {
		OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
	} `json:"schema"`
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

// A composition is a Composition, and the part of it that says what it is for.
type composition struct {
	object unstructured.Unstructured
	Spec   struct {
		CompositeTypeRef struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		} `json:"compositeTypeRef"`
	} `json:"spec"`
}

// Load the XRDs and Compositions of the Configuration of the named flavour, which are part of the program. An unknown flavour is an
// error with those that there are.
func Load(name string) (Configuration, error) {
	if _, err := catalog.ProviderOf(name); err != nil {
		return Configuration{}, err
	}

	return load(flavours()[name])
}

func load(fl flavour) (Configuration, error) {
	pkg := Configuration{flavour: fl}

	xrds, err := manifestsIn(fl, "xrds")
	if err != nil {
		return pkg, err
	}

	for _, data := range xrds {
		d := definition{}
		if err := unmarshal(data, &d, &d.object.Object); err != nil {
			return pkg, errors.Wrapf(err, "cannot read an XRD of %s", fl.folder)
		}

		pkg.definitions = append(pkg.definitions, d)
	}

	compositions, err := manifestsIn(fl, "compositions")
	if err != nil {
		return pkg, err
	}

	for _, data := range compositions {
		c := composition{}
		if err := unmarshal(data, &c, &c.object.Object); err != nil {
			return pkg, errors.Wrapf(err, "cannot read a Composition of %s", fl.folder)
		}

		pkg.compositions = append(pkg.compositions, c)
	}

	return pkg, nil
}

// unmarshal a manifest into several values. The YAML, which takes most of the time, is parsed once.
func unmarshal(data []byte, into ...any) error {
	asJSON, err := yaml.YAMLToJSON(data)

	for _, v := range into {
		if err == nil {
			err = json.Unmarshal(asJSON, v)
		}
	}

	return errors.Wrap(err, "cannot parse")
}

// owns is true for an API group that the package defines.
func (p Configuration) owns(group string) bool {
	return slices.ContainsFunc(p.definitions, func(d definition) bool { return d.Spec.Group == group })
}

// kinds lists what a person may write, for messages.
func (p Configuration) kinds() string {
	kinds := []string{}
	for _, d := range p.definitions {
		kinds = append(kinds, d.kinds()...)
	}

	slices.Sort(kinds)

	return strings.Join(kinds, ", ")
}

// Schemas of the objects that a person may write, by kind.
func (p Configuration) Schemas() map[string]map[string]any {
	out := map[string]map[string]any{}

	for _, d := range p.definitions {
		for _, v := range d.Spec.Versions {
			out[d.kinds()[0]] = v.Schema.OpenAPIV3Schema
		}
	}

	return out
}

// definitionOf finds the XRD of a kind, be it the claim's or the composite's.
func (p Configuration) definitionOf(gvk schema.GroupVersionKind) (definition, error) {
	for _, d := range p.definitions {
		if d.Spec.Group == gvk.Group && slices.Contains(d.kinds(), gvk.Kind) {
			return d, nil
		}
	}

	return definition{}, errors.Errorf("no XRD in %s defines kind %q of %q: want one of %s", p.flavour.folder, gvk.Kind, gvk.Group, p.kinds())
}

// compositionOf finds the one Composition of a composite's kind. Where there are several, Crossplane would need a
// selector, so the preview refuses to choose.
func (p Configuration) compositionOf(apiVersion, kind string) (composition, error) {
	found := []composition{}

	for _, c := range p.compositions {
		if c.Spec.CompositeTypeRef.APIVersion == apiVersion && c.Spec.CompositeTypeRef.Kind == kind {
			found = append(found, c)
		}
	}

	if len(found) != 1 {
		return composition{}, errors.Errorf("want one Composition in %s for %s of %s, found %d", p.flavour.folder, kind, apiVersion, len(found))
	}

	return found[0], nil
}

// manifestsIn are the manifests of a folder of a Configuration, a file each.
func manifestsIn(fl flavour, folder string) ([][]byte, error) {
	files, err := fs.Glob(fl.files, path.Join(folder, "*.yaml"))
	if err != nil {
		return nil, errors.Wrapf(err, "cannot list %s", folder)
	}

	if len(files) == 0 {
		return nil, errors.Errorf("no manifests in %s/%s", fl.folder, folder)
	}

	out := make([][]byte, 0, len(files))

	for _, file := range files {
		data, err := fs.ReadFile(fl.files, file)
		if err != nil {
			return nil, errors.Wrap(err, "cannot read manifest")
		}

		out = append(out, data)
	}

	return out, nil
}
