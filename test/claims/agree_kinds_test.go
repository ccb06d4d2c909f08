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

// TestMutationsOfClustersAgree puts wrong values into every field of right K3sClusters; every mutant is checked with all of its nodes.
func TestMutationsOfClustersAgree(t *testing.T) {
	mutationsOfKindAgree(t, claim.KindK3sCluster, said, 500)
}

// TestMutationsOfContainersAgree puts wrong values into every field of right Containers.
func TestMutationsOfContainersAgree(t *testing.T) {
	mutationsOfKindAgree(t, claim.KindContainer, func(mutant) bool { return false }, 300)
}

// TestMutationsOfSitesAgree puts wrong values into every field of right ProxmoxSites.
func TestMutationsOfSitesAgree(t *testing.T) {
	mutationsOfKindAgree(t, claim.KindProxmoxSite, func(mutant) bool { return false }, 150)
}

// mutationsOfKindAgree puts wrong values into every field of right claims of a kind, and has the function refuse whatever the XRD refuses, naming the same
// field. The kinds of both packages come from the same types, so that one judge is enough. known are the mutants in which the two differ for a reason that is
// known. The XRD has to refuse some mutants at least: were they not wrong, nothing would be compared.
func mutationsOfKindAgree(t *testing.T, kind string, known func(mutant) bool, least int) {
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
			if len(judged) == 0 || known(m) {
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

	if refused < least {
		t.Errorf("only %d mutants were refused by the XRD", refused)
	}
}

// said says whether the two judges differ in a mutant for a reason that is known: of an object with an unknown field and nothing else, the function names
// that field and not what is missing beside it; a pool without a count has none for the function, which cannot tell that from no agents, nor 0 from no
// maxUnavailable; and a way of upgrades that it does not know is none.
func said(m mutant) bool {
	o, isObject := m.value.(map[string]any)
	last := m.path[len(m.path)-1]
	_, gone := m.value.(absent)

	if last == "upgrade" || last == "maxUnavailable" && m.value == 0 {
		return true
	}

	return isObject && o["x"] != nil || last == "count" && (gone || m.value == nil) || isObject && len(o) == 0 && len(m.path) > 1 && m.path[len(m.path)-2] == "agents"
}
