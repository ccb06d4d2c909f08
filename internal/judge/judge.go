// Package judge holds objects against the XRDs as an API server does: unknown fields, schema, list types and CEL rules.
//
// It is heavy: CEL and the API server's validation take minutes to compile. No package of the function, and nothing that renders, imports
// it; cmd/kubectl-machine-lint and tests do.
package judge

import (
	"encoding/json"
	"io/fs"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	xpv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	claims "github.com/homelab-io/function-proxmox-machine/package"
	namespaced "github.com/homelab-io/function-proxmox-machine/package-v2"
)

// The installations, by where their composites are.
const (
	inCluster    = "cluster"
	inNamespaces = "namespaces"
)

func keyOf(installation, apiVersion, kind string) string {
	return installation + " " + apiVersion + " " + kind
}

// A Judge knows the kinds that people write, in every installation.
type Judge struct {
	definitions map[string]*Definition // By installation, API version and kind.
}

// New compiles the XRDs of this release.
func New() (*Judge, error) {
	j := &Judge{definitions: map[string]*Definition{}}

	for installation, files := range map[string]fs.FS{inCluster: claims.Files, inNamespaces: namespaced.Files} {
		paths, err := fs.Glob(files, "xrds/*.yaml")
		if err != nil || len(paths) == 0 {
			return nil, errors.New("cannot find the XRDs in this program")
		}

		for _, path := range paths {
			if err := j.add(installation, files, path); err != nil {
				return nil, errors.Wrapf(err, "cannot use %s", path)
			}
		}
	}

	return j, nil
}

// add the kind that people write of an XRD: its claim, else its composite.
func (j *Judge) add(installation string, files fs.FS, path string) error {
	b, err := fs.ReadFile(files, path)
	if err != nil {
		return errors.Wrap(err, "cannot read XRD")
	}

	xrd := &xpv1.CompositeResourceDefinition{}
	if err := yaml.UnmarshalStrict(b, xrd); err != nil {
		return errors.Wrap(err, "cannot parse XRD")
	}

	// The API server gives it one, and wants it in the owner reference of the CRD.
	xrd.SetUID("8f5a3c1e-0d7b-4f7e-9a54-2f0d5d1a6b11")

	convert := xcrd.ForCompositeResource
	if xrd.Spec.ClaimNames != nil {
		convert = xcrd.ForCompositeResourceClaim
	}

	crd, err := convert(xrd)
	if err != nil {
		return errors.Wrap(err, "cannot make a CRD")
	}

	for _, v := range crd.Spec.Versions {
		d, err := NewDefinition(v)
		if err != nil {
			return err
		}

		j.definitions[keyOf(installation, apiVersion(crd, v), crd.Spec.Names.Kind)] = d
	}

	return nil
}

func apiVersion(crd *extv1.CustomResourceDefinition, v extv1.CustomResourceDefinitionVersion) string {
	return crd.Spec.Group + "/" + v.Name
}

// Refuse an object for what the API server would refuse of a new one, where the project is installed for an API of the provider. An object of a kind that no
// XRD defines has no faults.
func (j *Judge) Refuse(object map[string]any, installed proxmox.Flavour) field.ErrorList {
	version, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)

	// Whole numbers are int64, as the API server has them.
	whole := map[string]any{}

	b, err := json.Marshal(object)
	if err == nil {
		err = utiljson.Unmarshal(b, &whole)
	}

	if err != nil {
		return field.ErrorList{field.InternalError(nil, errors.Wrap(err, "cannot read object"))}
	}

	installation := inCluster
	if installed.InNamespaces() {
		installation = inNamespaces
	}

	d, ok := j.definitions[keyOf(installation, version, kind)]
	if !ok {
		return nil
	}

	return d.Check(whole, nil)
}
