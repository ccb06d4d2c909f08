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

// TestMutationsOfClustersAgree puts wrong values into every field of right K3sClusters, and has the function refuse whatever the XRD refuses, naming
// the same field. The kinds of both packages come from the same types, so that one judge is enough: every mutant is checked with all of its nodes.
func TestMutationsOfClustersAgree(t *testing.T) {
	all, c := loadJudges(t)[claim.KindK3sCluster], world(t)
	j := all[slices.IndexFunc(all, func(j judge) bool { return j.name == "package-v2 K3sCluster" })]
	refused := 0

	for file, object := range validClaimsOf(t, claim.KindK3sCluster) {
		if !strings.HasPrefix(file, "testdata/") {
			continue
		}

		for _, m := range mutants([]string{"spec"}, object["spec"]) {
			mutant := runtime.DeepCopyJSON(object)
			if !m.put(mutant) {
				t.Fatalf("cannot put %v into %s of %s", m.value, m.path, file)
			}

			judged := j.refuse(mutant)
			if len(judged) == 0 || said(m) {
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
	if refused < 500 {
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
