package cli

import (
	"context"
	"os"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
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

// catalogueIn is the first catalogue among objects, or the first with a name. from is where the objects are from.
func catalogueIn(objects []unstructured.Unstructured, name, from string) (catalog.Catalog, error) {
	for _, o := range objects {
		if o.GetKind() == catalogueKind && (name == "" || o.GetName() == name) {
			return catalogueOf(o)
		}
	}

	return catalog.Catalog{}, errors.Errorf("there is no catalogue, %s %s, in %s: name a file with --catalogue", catalogueKind, lint.DefaultCatalogue, from)
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
