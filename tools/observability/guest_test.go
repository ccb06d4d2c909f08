package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// reports are what the units inside of guests report, as the tests of their scripts have it.
var reports = map[string]string{
	nixUnit: "../../test/nix/testdata/nix_gitops.prom",
	k3sUnit: "../../internal/k3s/testdata/k3s_bootstrap.prom",
}

// guestQueries are what alerts and dashboard ask about a unit, parsed.
func guestQueries(t *testing.T, unit string) map[string]parser.Expr {
	t.Helper()

	all, err := queries(shippedDir)
	if err != nil {
		t.Fatal(err)
	}

	out := map[string]parser.Expr{}

	for _, q := range all {
		if !strings.Contains(q.expr, unit+"_") {
			continue
		}

		expr, err := parser.NewParser(parser.Options{}).ParseExpr(q.expr)
		if err != nil {
			t.Fatal(err)
		}

		out[q.where] = expr
	}

	if len(out) < 2 {
		t.Fatalf("nothing asks for %s", unit)
	}

	return out
}

// TestGuestReports: what alerts and panels ask about guests is in the reports of the scripts.
func TestGuestReports(t *testing.T) {
	there := series{}
	for _, file := range reports {
		if err := there.read(file); err != nil {
			t.Fatal(err)
		}
	}

	for unit := range reports {
		for where, expr := range guestQueries(t, unit) {
			if faults := there.lacks(expr); faults != nil {
				t.Errorf("%s: %v", where, faults)
			}
		}
	}
}

var outcomeRow = regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\|")

// TestGuestOutcomes: the words that alerts and panels select are outcomes in docs/observability.md.
func TestGuestOutcomes(t *testing.T) {
	page, err := os.ReadFile(docsDir + "/observability.md")
	if err != nil {
		t.Fatal(err)
	}

	for unit := range reports {
		_, table, _ := strings.Cut(string(page), "Outcomes of `"+unit+"`")
		table, _, _ = strings.Cut(strings.TrimSpace(table), "\n## ")
		table, _, _ = strings.Cut(table, "\nOutcomes of ")

		var known []string
		for _, row := range outcomeRow.FindAllStringSubmatch(table, -1) {
			known = append(known, row[1])
		}

		asked := 0

		for where, expr := range guestQueries(t, unit) {
			parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
				selector, ok := n.(*parser.VectorSelector)
				if !ok || selector.Name != unit+"_outcome" {
					return nil
				}

				for _, word := range outcomeWords(selector) {
					asked++

					if !slices.Contains(known, word) {
						t.Errorf("%s selects outcome %s of %s; there are %v", where, word, unit, known)
					}
				}

				return nil
			})
		}

		if asked == 0 {
			t.Errorf("nothing selects an outcome of %s", unit)
		}
	}
}

func outcomeWords(selector *parser.VectorSelector) []string {
	i := slices.IndexFunc(selector.LabelMatchers, func(m *labels.Matcher) bool { return m.Name == "outcome" })
	if i < 0 {
		return nil
	}

	return strings.Split(selector.LabelMatchers[i].Value, "|")
}
