package cli

import (
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// locate the faults in what is said of claims: the function knows the objects, and a person edits files.
func (f *claimFlags) locate(rendered []preview.Rendered) {
	for i, r := range rendered {
		if r.Err == nil {
			continue
		}

		if said := located(f.catalogue, r.Claim, r.Err.Error()); said != r.Err.Error() {
			rendered[i].Err = errors.New(said)
		}
	}
}

// locate does the same for what a plan says of claims.
func (f *planFlags) locate(planned []preview.MachinePlan, of []preview.Story) {
	for i := range planned {
		if planned[i].Fault != "" && len(planned) == len(of) {
			planned[i].Fault = located(f.catalogue, of[i].Claim, planned[i].Fault)
		}
	}
}

// located is what is said of a claim, each fault with its place in a file, as lint has it, and above all with why nobody reads the catalogue that lies beside
// the claim. It is as it was where the file cannot be read once more, or says nothing of the kind, as one that Kustomize made.
func located(catalogue string, claim preview.Claim, said string) string {
	const object = "EnvironmentConfig " + lint.DefaultCatalogue + ": "

	file := claim.File

	if file == "" || file == manifest.Stdin || manifest.IsURL(file) || catalogue == preview.NoFile {
		return said
	}

	claims, err := manifest.ReadRaw([]string{file}, nil)
	if err != nil {
		return said
	}

	of := lintFlags{catalogue: catalogue}

	catalogues, err := of.beside(claims)
	if err != nil {
		return said
	}

	places := map[string]string{}

	for _, fault := range lint.Check(slices.Concat(claims, catalogues), nil, lint.Options{}).Faults {
		text := fault.Path + ": " + fault.Message
		place := strings.TrimSuffix(fault.String(), text)

		said = strings.ReplaceAll(said, object+text, place+text)

		if fault.Kind == claim.Object.GetKind() && fault.Name == claim.Object.GetName() && fault.Severity == lint.Error {
			places[text] = place
		}
	}

	said = placed(said, claims, claim, places)

	head, rest, several := strings.Cut(said, "\n")

	for _, fault := range lint.Form(slices.Concat(claims, catalogues)) {
		ofCatalogue := func(c manifest.Raw) bool { return c.File == fault.File && c.File != file }
		if several && slices.ContainsFunc(catalogues, ofCatalogue) {
			head += "\n  " + fault.String()
		}
	}

	if several {
		return head + "\n" + rest
	}

	return said
}

// placed is what is said of a claim, with the place of each fault of it: that which lint has, by the text of the fault, else that of its field.
func placed(said string, files []manifest.Raw, claim preview.Claim, places map[string]string) string {
	lines := strings.Split(said, "\n")
	// What is missing because nobody reads the catalogue is not the claim's fault.
	if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), "catalogue: ") }) {
		return said
	}

	for i, line := range lines {
		fault := strings.TrimLeft(line, " ")
		located := places[fault] + fault

		if located == fault {
			located = lint.Located(files, claim.Object.GetKind(), claim.Object.GetName(), fault)
		}

		lines[i] = strings.TrimSuffix(line, fault) + located
	}

	return strings.Join(lines, "\n")
}
