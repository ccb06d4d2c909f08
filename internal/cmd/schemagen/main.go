// Command schemagen generates the JSON schemas in schemas/, which editors read: one for each kind of claim, from the XRDs of both packages,
// and one for the catalogue, from the Go types of apis/catalogue. It is run by go generate, after xrdgen.
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

type cli struct {
	Claims     string `help:"Directory of the v1 XRDs with claims."                         required:""`
	Namespaced string `help:"Directory of the namespaced v2 XRDs."                          required:""`
	Catalogue  string `help:"Go package of the catalogue."                                  required:""`
	Out        string `help:"Directory of the schemas; those of v2 XRDs are in namespaced." required:""`
}

func main() {
	var c cli

	ctx := kong.Parse(&c, kong.Description("Generate JSON schemas for editors."))
	ctx.FatalIfErrorf(c.Run())
}

// Run writes one file per kind, and one for all kinds.
func (c *cli) Run() error {
	catalogue, err := catalogueSchema(c.Catalogue)
	if err != nil {
		return err
	}

	const file = "catalogue.json"
	if err := write(filepath.Join(c.Out, file), catalogue); err != nil {
		return err
	}

	if err := writeClaims(c.Out, c.Claims, kind{Name: "EnvironmentConfig", APIVersion: environmentVersion, File: file}); err != nil {
		return err
	}

	return writeClaims(filepath.Join(c.Out, "namespaced"), c.Namespaced,
		kind{Name: "EnvironmentConfig", APIVersion: environmentVersion, File: "../" + file})
}

// writeClaims writes the schemas of the kinds of a folder of XRDs, and one for these kinds and another.
func writeClaims(dir, xrds string, another kind) error {
	files, err := filepath.Glob(filepath.Join(xrds, "*.yaml"))
	if err != nil || len(files) == 0 {
		return errors.Errorf("cannot find XRDs in %s", xrds)
	}

	kinds := []kind{another}

	for _, f := range files {
		crd, err := crdOf(f)
		if err != nil {
			return err
		}

		k, s := claimSchema(crd)
		if err := write(filepath.Join(dir, k.File), s); err != nil {
			return err
		}

		kinds = append(kinds, k)
	}

	return write(filepath.Join(dir, "all.json"), anyOf(kinds))
}

// A kind that people write, and the file of its schema.
type kind struct{ Name, APIVersion, File string }

func kindOf(crd *extv1.CustomResourceDefinition) kind {
	return kind{
		Name: crd.Spec.Names.Kind, APIVersion: crd.Spec.Group + "/" + crd.Spec.Versions[0].Name,
		File: strings.ToLower(crd.Spec.Names.Kind) + ".json",
	}
}

func write(path string, schema object) error {
	var b bytes.Buffer

	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")

	if err := e.Encode(schema); err != nil {
		return errors.Wrapf(err, "cannot marshal %s", path)
	}

	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return errors.Wrap(err, "cannot create the folder of schemas")
	}

	return errors.Wrap(os.WriteFile(path, b.Bytes(), 0o600), "cannot write a schema")
}
