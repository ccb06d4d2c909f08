package cli

import (
	"regexp"
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
//
// Of a claim whose catalogue nobody reads, it is what lint says of both: that the catalogue is missing is no fault of the claim.
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

	options := lint.Options{Named: catalogue}
	all := slices.Concat(claims, catalogues)
	found := lint.Check(all, nil, options).Faults
	ofCatalogue := func(f lint.Fault) bool {
		return f.File != file && slices.ContainsFunc(catalogues, func(c manifest.Raw) bool { return c.File == f.File })
	}
	ofClaim := func(f lint.Fault) bool { return f.Kind == claim.Object.GetKind() && f.Name == claim.Object.GetName() }

	if head, _, several := strings.Cut(said, "\n"); several && slices.ContainsFunc(lint.Form(all, options), ofCatalogue) {
		// Nobody reads the catalogue, so the function misses all that is in it.
		for _, fault := range lint.Check(claims, catalogues, options).Faults {
			if fault.Severity == lint.Error && (ofCatalogue(fault) || ofClaim(fault)) {
				head += "\n  " + fault.String()
			}
		}

		return head
	}

	places, typed := map[string]string{}, map[string]string{}

	for _, fault := range found {
		text := fault.Path + ": " + fault.Message
		place := strings.TrimSuffix(fault.String(), text)

		said = strings.ReplaceAll(said, object+text, place+text)

		if ofClaim(fault) && fault.Severity == lint.Error {
			places[text] = place
			typed[withoutValue(text)] = fault.String()
		}
	}

	return placed(said, claims, claim, places, typed)
}

// unquotedValue is a number or a truth value in a fault, behind the path: YAML may have made it of other letters, such as 31 of 0x1f.
var unquotedValue = regexp.MustCompile(`^((?:spec|metadata)[^ ]*: )[A-Za-z0-9.+_-]+: `)

// withoutValue is a fault without such a value.
func withoutValue(fault string) string { return unquotedValue.ReplaceAllString(fault, "$1") }

// placed is what is said of a claim, with the place of each fault of it: that which lint has, by the text of the fault, with the value as it was typed, else
// that of its field.
func placed(said string, files []manifest.Raw, claim preview.Claim, places, typed map[string]string) string {
	lines := strings.Split(said, "\n")
	// What is missing because nobody reads the catalogue is not the claim's fault.
	if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), "catalogue: ") }) {
		return said
	}

	for i, line := range lines {
		fault := strings.TrimLeft(line, " ")
		located := places[fault] + fault

		if other, ok := typed[withoutValue(fault)]; ok && located == fault && withoutValue(fault) != fault {
			located = other
		}

		if located == fault {
			located = lint.Located(files, claim.Object.GetKind(), claim.Object.GetName(), fault)
		}

		lines[i] = strings.TrimSuffix(line, fault) + located
	}

	return strings.Join(lines, "\n")
}
