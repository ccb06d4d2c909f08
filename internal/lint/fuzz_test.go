package lint

import (
	"strings"
	"testing"
	"unicode"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// FuzzCheck: whatever somebody types has an answer, each fault on one line with a place in the file.
func FuzzCheck(f *testing.F) {
	for _, table := range []map[string]mistake{mistakesOfForm(), mistakesOfFields(), mistakesOfNames(), mistakesOfK3s(), mistakesOfCatalogues(), useless()} {
		for _, m := range table {
			f.Add(m.document)
		}
	}

	f.Add("a: &a [*a]\n")
	f.Add("<<: {kind: Machine}\napiVersion: homelab.io/v1alpha1\n")

	f.Fuzz(func(t *testing.T, document string) {
		report := Check([]manifest.Raw{{File: "f", Documents: manifest.RawDocuments([]byte(document))}}, nil, Options{Unused: true})

		for _, fault := range report.Faults {
			if fault.Line < 1 || fault.Line > strings.Count(document, "\n")+2 || fault.Column < 1 {
				t.Errorf("no place in the file: %+v", fault)
			}

			if strings.ContainsFunc(fault.Message, unicode.IsControl) {
				t.Errorf("a message of several lines: %q", fault.Message)
			}
		}
	})
}
