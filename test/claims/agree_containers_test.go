package claims

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// TestMutationsOfContainersAgree puts wrong values into every field of right Containers, and has the function refuse whatever the XRD refuses, naming
// the same field.
func TestMutationsOfContainersAgree(t *testing.T) { mutationsAgree(t, claim.KindContainer, 300) }

// TestMutationsOfSitesAgree does the same with right ProxmoxSites.
func TestMutationsOfSitesAgree(t *testing.T) { mutationsAgree(t, claim.KindProxmoxSite, 150) }

// mutationsAgree holds both judges to each other with the mutants of right claims of a kind. least is how many of them the XRD refuses.
func mutationsAgree(t *testing.T, kind string, least int) {
	t.Helper()

	all, c := loadJudges(t)[kind], world(t)
	j := all[slices.IndexFunc(all, func(j judge) bool { return j.name == "package-v2 "+kind })]
	refused := 0

	for file, object := range validClaimsOf(t, kind) {
		if !strings.HasPrefix(file, "testdata/") {
			continue
		}

		for _, m := range mutants([]string{"spec"}, object["spec"]) {
			mutant := runtime.DeepCopyJSON(object)
			if !m.put(mutant) {
				t.Fatalf("cannot put %v into %s of %s", m.value, m.path, file)
			}

			judged := j.refuse(mutant)
			if len(judged) == 0 {
				continue
			}

			refused++

			_, errs := function(composites(mutant)["namespaced"], c)
			for _, missing := range agree(judged, errs) {
				t.Errorf("%s: %s = %.60v\n%s says: %s\nthe function says: %v",
					filepath.Base(file), strings.Join(m.path, "."), fmt.Sprintf("%#v", m.value), j.name, missing, errs.ToAggregate())
			}
		}
	}

	// Were the mutations not wrong, nothing would be compared.
	if refused < least {
		t.Errorf("only %d mutants were refused by the XRD", refused)
	}
}
