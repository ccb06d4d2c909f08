package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// readsStatus says whether an expression needs a status, and guarded whether it first asks if there is what only some kinds have.
var (
	readsStatus = regexp.MustCompile(`\bstatus\.`)
	guarded     = regexp.MustCompile(`has\((status|spec\.)`)
)

// isWithoutStatus says whether an object is of Crossplane's group of packages, and of a kind without a status.
func isWithoutStatus(o object) bool {
	return (o.kind() == "DeploymentRuntimeConfig" || o.kind() == "ImageConfig") && strings.HasPrefix(text(o.value["apiVersion"]), "pkg.crossplane.io/")
}

// neverReady are the faults of health checks that are asked of something without a status. Flux asks an expression without a kind of every kind of its group,
// in any version, and waits for one that it cannot evaluate: fluxcd/pkg, runtime/cel/status_reader.go.
func (l fluxLayer) neverReady() []Fault {
	first := slices.IndexFunc(l.objects, isWithoutStatus)
	if !l.says("wait") || first < 0 {
		return nil
	}

	without := l.objects[first]

	var out []Fault

	for _, s := range l.said("healthCheckExprs") {
		for _, c := range list(s.value) {
			current := text(at(c, "current"))

			if !strings.HasPrefix(text(at(c, "apiVersion")), "pkg.crossplane.io/") || text(at(c, "kind")) != "" || !readsStatus.MatchString(current) || guarded.MatchString(current) {
				continue
			}

			out = append(out, s.at(fmt.Sprintf("without a kind, the expression is for all kinds of pkg.crossplane.io, also for %s %s, which has no status: this layer never becomes ready. "+
				"Begin it with !has(spec.package) ||, as example/flux/layers/packages-health.yaml does%s", without.kind(), without.name(), seeHealth)))
		}
	}

	return out
}
