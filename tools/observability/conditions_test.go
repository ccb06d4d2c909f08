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

// conditionSection is what docs/conditions.md says of one condition.
func conditionSection(page, condition string) string {
	_, section, _ := strings.Cut(page, "\n## "+condition+"\n")
	section, _, _ = strings.Cut(section, "\n## ")

	return section
}

var reasonRow = regexp.MustCompile("(?m)^\\| `([A-Za-z]+)` \\| (True|False|Unknown|[A-Za-z, ]+) \\|")

// valueOf a label that a selector asks for; empty where it asks for none, or for all others.
func valueOf(selector *parser.VectorSelector, label string) string {
	i := slices.IndexFunc(selector.LabelMatchers, func(m *labels.Matcher) bool { return m.Name == label })
	if i < 0 || selector.LabelMatchers[i].Type == labels.MatchNotEqual || selector.LabelMatchers[i].Type == labels.MatchNotRegexp {
		return ""
	}

	return selector.LabelMatchers[i].Value
}

// TestConditionReasons: the reasons that alerts and panels select are those of the condition, with the status, in docs/conditions.md. An
// alert that selects another one never fires.
func TestConditionReasons(t *testing.T) {
	page, err := os.ReadFile(docsDir + "/conditions.md")
	if err != nil {
		t.Fatal(err)
	}

	all, err := queries(shippedDir)
	if err != nil {
		t.Fatal(err)
	}

	asked := 0

	for _, q := range all {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(q.expr)
		if err != nil {
			t.Fatal(err)
		}

		parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
			selector, ok := n.(*parser.VectorSelector)
			if !ok || selector.Name != "homelab_machine_condition" {
				return nil
			}

			condition, reasons, status := valueOf(selector, "type"), valueOf(selector, "reason"), valueOf(selector, "status")
			if reasons == "" || condition == "Ready" {
				return nil
			}

			known := map[string]string{}
			for _, row := range reasonRow.FindAllStringSubmatch(conditionSection(string(page), condition), -1) {
				known[row[1]] = row[2]
			}

			for reason := range strings.SplitSeq(reasons, "|") {
				asked++

				if has, ok := known[reason]; !ok || status != "" && !strings.Contains(has, status) {
					t.Errorf("%s selects reason %s, status %q, of %s; there are %v", q.where, reason, status, condition, known)
				}
			}

			return nil
		})
	}

	if asked < 10 {
		t.Errorf("only %d reasons are asked for", asked)
	}
}
