package properties

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// answer a call of the function, and note what its plan decides.
func (l *history) answer(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	rsp, plan := compose.Decide(req)

	if plan != nil {
		for _, d := range decisionsOf(*plan) {
			l.outcomes[d] = true
		}
	}

	return rsp
}

// decisionTypes are the types of package lifecycle whose constants a plan is made of.
var decisionTypes = []string{"State", "Action", "Outcome", "Permission", "Stage", "BlockReason", "HAStage", "FirewallStage"}

// decisionsOf a plan, each as the name of its type and its value.
func decisionsOf(p lifecycle.Plan) []string {
	out := []string{decision("State", p.State), decision("HAStage", p.Availability.Stage)}

	for _, s := range p.Steps {
		out = append(out, decision("Action", s.Action))
	}

	if p.Firewall.Stage != lifecycle.FirewallNone {
		out = append(out, decision("FirewallStage", p.Firewall.Stage))
	}

	if p.Check != nil {
		out = append(out, decision("Outcome", p.Check.Outcome))
	}

	if p.Adoption != nil {
		out = append(out, decision("Outcome", p.Adoption.Outcome))
	}

	if p.Replacement != nil {
		out = append(out, decision("Permission", p.Decision.Permission), decision("Stage", p.Replacement.Stage))
	}

	for _, b := range []lifecycle.Blocker{p.Decision.Blocker, p.Outage.Decision.Blocker} {
		if b.Reason != "" {
			out = append(out, decision("BlockReason", b.Reason))
		}
	}

	return out
}

func decision[T ~string](typ string, value T) string { return typ + " " + string(value) }

// decisionsOfUpgrades take K3s nodes whose cluster is upgraded in place: TestUpgradesOfSingleNodes leads there, and pairs of claims do not.
var decisionsOfUpgrades = []string{decision("BlockReason", lifecycle.BlockedByUpgrade)}

// decisionsOfWaves take several machines of a group: TestWavesGoOneAfterTheOther leads there.
var decisionsOfWaves = []string{decision("BlockReason", lifecycle.BlockedByWave)}

// allDecisions that package lifecycle can make, as decisionsOf names them: the constants of its types, read from its source, so
// that a new one is among them. Those of upgrades and waves are left out.
func allDecisions(t *testing.T) []string {
	t.Helper()

	files, err := filepath.Glob("../../internal/lifecycle/*.go")
	if err != nil {
		t.Fatal(err)
	}

	found := map[string][]string{}

	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}

		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				if typ, ok := spec.Type.(*ast.Ident); ok && slices.Contains(decisionTypes, typ.Name) {
					found[typ.Name] = append(found[typ.Name], constants(t, spec)...)
				}
			}

			return true
		})
	}

	var out []string

	for _, typ := range decisionTypes {
		if len(found[typ]) < 4 {
			t.Errorf("%d constants of lifecycle.%s were found, want at least 4", len(found[typ]), typ)
		}

		for _, value := range found[typ] {
			if d := decision(typ, value); value != "" && !slices.Contains(decisionsOfUpgrades, d) && !slices.Contains(decisionsOfWaves, d) {
				out = append(out, d)
			}
		}
	}

	return out
}

// constants that a declaration of strings declares.
func constants(t *testing.T, spec *ast.ValueSpec) []string {
	t.Helper()

	var out []string

	for _, v := range spec.Values {
		literal, ok := v.(*ast.BasicLit)
		if !ok {
			continue
		}

		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}

		out = append(out, value)
	}

	return out
}
