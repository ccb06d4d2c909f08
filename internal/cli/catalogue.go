package cli

import (
	"context"
	"os"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// catalogueKind is the kind of the catalogue.
const catalogueKind = "EnvironmentConfig"

// catalogueAt is the catalogue of a file or a folder that a person names, whatever its name is; - for standard input.
func catalogueAt(path string, s Streams) (catalog.Catalog, error) {
	info, err := os.Stat(path)
	if path == manifest.Stdin || err != nil || !info.IsDir() {
		objects, err := objectsIn(path, s)
		if err != nil {
			return catalog.Catalog{}, err
		}

		return catalogueIn(objects, "", path)
	}

	sources, err := manifest.Read([]string{path}, s.In)
	if err != nil {
		return catalog.Catalog{}, err
	}

	var objects []unstructured.Unstructured
	for _, source := range sources {
		objects = append(objects, manifest.Objects(source.Documents)...)
	}

	return catalogueIn(objects, "", path)
}

// catalogueIn is the catalogue among objects, or the one with a name. from is where the objects are from.
func catalogueIn(objects []unstructured.Unstructured, name, from string) (catalog.Catalog, error) {
	found := slices.DeleteFunc(slices.Clone(objects), func(o unstructured.Unstructured) bool {
		return o.GetKind() != catalogueKind || name != "" && o.GetName() != name
	})

	switch {
	case len(found) == 1:
		return catalogueOf(found[0])
	case len(found) == 0:
		return catalog.Catalog{}, noCatalogue(from)
	case name == "": // Of several, it is the one that claims use without being asked.
		return catalogueIn(found, lint.DefaultCatalogue, from)
	default:
		return catalog.Catalog{}, errors.Errorf("%s has %d catalogues with the name %s, of which the cluster keeps one: put all entries into one of them, and remove the others",
			from, len(found), name)
	}
}

// noCatalogue says that what was read has no catalogue. From is what was named: a file, the cluster, or one of the two words that are no file's name.
func noCatalogue(from string) error {
	switch from {
	case preview.NoFile:
		return errors.Errorf("this command needs a catalogue, %s %s, and %s stands for no file: name one with --catalogue", catalogueKind, lint.DefaultCatalogue, from)
	case manifest.Stdin:
		from = "standard input"
	}

	return errors.Errorf("there is no catalogue, %s %s, in %s: name a file with --catalogue", catalogueKind, lint.DefaultCatalogue, from)
}

// checkNamed checks that the files of --catalogue and --secrets, as far as a person names them, have what they are named for: the preview would be one without
// it.
func checkNamed(catalogue, secrets string) error {
	for _, named := range []struct{ flag, path, kind string }{{"catalogue", catalogue, catalogueKind}, {"secrets", secrets, "Secret"}} {
		if named.path == "" || named.path == preview.NoFile || named.path == manifest.Stdin {
			continue
		}

		if _, err := os.Stat(named.path); err != nil {
			return manifest.NotFound(named.path, err)
		}

		sources, err := manifest.Read([]string{named.path}, nil)
		if err != nil {
			continue // Who reads it says what is wrong, with its place.
		}

		var kinds []string

		for _, source := range sources {
			for _, o := range manifest.Objects(source.Documents) {
				if kinds = append(kinds, o.GetKind()); o.Object["sops"] != nil {
					kinds = append(kinds, named.kind) // SOPS may encrypt even the kind.
				}
			}
		}

		if !slices.Contains(kinds, named.kind) {
			return &ExitError{Code: ExitUsage, Err: errors.Errorf("--%s %s: must have a document of kind %s, and has %s",
				named.flag, message.Excerpt(named.path), named.kind, claim.Listed(kinds))}
		}
	}

	return nil
}

// catalogueOf an EnvironmentConfig. Any fault is an error.
func catalogueOf(o unstructured.Unstructured) (catalog.Catalog, error) {
	content, err := structpb.NewStruct(o.Object)
	if err != nil {
		return catalog.Catalog{}, errors.Wrapf(err, "cannot read %s %s", catalogueKind, o.GetName())
	}

	cat, faults := catalog.FromValue(content.AsMap()["data"], catalogueKind+" "+o.GetName()+": data")

	return cat, errors.Wrap(faults.ToAggregate(), "cannot read the catalogue")
}

// catalogueObjects are the catalogue of a cluster; none where there is none.
func catalogueObjects(ctx context.Context, k *preview.Kubectl) ([]unstructured.Unstructured, error) {
	return k.Fetch(ctx, preview.Query{APIVersion: "apiextensions.crossplane.io/v1beta1", Kind: catalogueKind, Name: lint.DefaultCatalogue})
}
