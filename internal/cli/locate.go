package cli

import (
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// locate the faults of the catalogue in what is said of claims: the function knows the object, and a person edits a file.
func (f *claimFlags) locate(rendered []preview.Rendered) {
	const object = "EnvironmentConfig " + lint.DefaultCatalogue + ": "

	if !slices.ContainsFunc(rendered, func(r preview.Rendered) bool { return r.Err != nil && strings.Contains(r.Err.Error(), object) }) {
		return
	}

	for i, r := range rendered {
		if r.Err == nil {
			continue
		}

		if said := f.placed(r.Claim.File, r.Err.Error(), object); said != r.Err.Error() {
			rendered[i].Err = errors.New(said)
		}
	}
}

// placed is what is said of a claim, with the place in a file for the name of the object. It is as it was where the file cannot be read once more, or
// says nothing of the kind, as one that Kustomize made.
func (f *claimFlags) placed(file, said, object string) string {
	if file == manifest.Stdin || manifest.IsURL(file) {
		return said
	}

	claims, err := manifest.ReadRaw([]string{file}, nil)
	if err != nil {
		return said
	}

	of := lintFlags{catalogue: f.catalogue}

	catalogues, err := of.beside(claims)
	if err != nil {
		return said
	}

	for _, fault := range lint.Check(slices.Concat(claims, catalogues), nil, lint.Options{}).Faults {
		text := fault.Path + ": " + fault.Message
		place := strings.TrimSuffix(fault.String(), text)

		said = strings.ReplaceAll(said, object+text, place+text)
	}

	return said
}
