package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
)

// lintDashboard checks what a person would see as a fault: panels that overlap or have no words, queries that cannot be
// evaluated, variables that choose nothing.
func lintDashboard(d dashboard) []string {
	var out []string

	fault := func(format string, args ...any) { out = append(out, fmt.Sprintf("dashboard: "+format, args...)) }

	if d.UID == "" || d.Title == "" || d.Description == "" || d.Refresh == "" {
		fault("it needs a uid, so that links to it last, a title, a description and a refresh interval")
	}

	ids := map[int]bool{}
	taken := map[[2]int]string{}

	for _, p := range d.Panels {
		if ids[p.ID] {
			fault("panel %q: id %d is there twice", p.Title, p.ID)
		}

		ids[p.ID] = true

		for _, f := range append(lintPanel(p), lintPlace(p, taken)...) {
			fault("panel %q %s", p.Title, f)
		}
	}

	b, err := json.Marshal(d)
	if err != nil {
		fault("%v", err)
	}

	for _, v := range d.Templating.List {
		if !strings.Contains(string(b), "$"+v.Name) && !strings.Contains(string(b), "${"+v.Name+"}") {
			fault("variable %s is not used", v.Name)
		}
	}

	return out
}

// lintPlace of a panel in the grid.
func lintPlace(p panel, taken map[[2]int]string) []string {
	var out []string

	g := p.GridPos
	if g.H < 1 || g.W < 1 || g.X < 0 || g.X+g.W > gridWidth {
		out = append(out, fmt.Sprintf("does not fit into the grid: %+v", g))
	}

	for x := g.X; x < g.X+g.W; x++ {
		for y := g.Y; y < g.Y+g.H; y++ {
			if other := taken[[2]int{x, y}]; other != "" && other != p.Title {
				return append(out, "lies over panel "+other)
			}

			taken[[2]int{x, y}] = p.Title
		}
	}

	return out
}

func lintPanel(p panel) []string {
	if p.Type == "row" {
		return nil
	}

	var out []string

	if p.Title == "" || p.Description == "" {
		out = append(out, "needs a title and a description")
	}

	if p.FieldConfig == nil || p.FieldConfig.Defaults.Unit == "" {
		out = append(out, "needs a unit")
	}

	if len(p.Targets) == 0 {
		out = append(out, "asks for nothing")
	}

	merges := slices.ContainsFunc(p.Transformations, func(t transformation) bool { return t.ID == "merge" })
	if p.Type == "table" && len(p.Targets) > 1 && !merges {
		out = append(out, "shows one query only: a table of several has to merge them")
	}

	if p.Datasource == nil || p.Datasource.UID != "${datasource}" {
		out = append(out, "does not use the data source that its user chose")
	}

	refs := map[string]bool{}

	for _, t := range p.Targets {
		if refs[t.RefID] || t.RefID == "" {
			out = append(out, "needs a refId for each query")
		}

		refs[t.RefID] = true

		if t.Datasource.UID != "${datasource}" {
			out = append(out, "query "+t.RefID+" does not use the data source that its user chose")
		}

		out = append(out, lintQuery(p.Type, t)...)
	}

	return out
}

func lintQuery(panelType string, t target) []string {
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(substitute(t.Expr))
	if err != nil {
		return []string{fmt.Sprintf("query %s: %v", t.RefID, err)}
	}

	var out []string

	if panelType == "timeseries" && t.LegendFormat == "" {
		out = append(out, "query "+t.RefID+" needs a legend")
	}

	parser.Inspect(expr, func(n parser.Node, path []parser.Node) error {
		switch n := n.(type) {
		case *parser.MatrixSelector:
			if !strings.Contains(t.Expr, rateOver) {
				out = append(out, "query "+t.RefID+": a rate over a fixed time shows gaps or smears, depending on the zoom: $__rate_interval")
			}
		case *parser.VectorSelector:
			if strings.HasSuffix(n.Name, "_total") && !under[*parser.MatrixSelector](path) {
				out = append(out, "query "+t.RefID+" shows the counter "+n.Name+" as it is, not its rate")
			}
		}

		return nil
	})

	return out
}

// under says whether a node is within one of a type.
func under[T parser.Node](path []parser.Node) bool {
	for _, n := range path {
		if _, ok := n.(T); ok {
			return true
		}
	}

	return false
}

var dashboardVariable = regexp.MustCompile(`\$\{?\w+\}?`)

// substitute what Grafana puts into a query, so that it is one of Prometheus.
func substitute(expr string) string {
	expr = strings.ReplaceAll(expr, "$__rate_interval", "5m")

	return dashboardVariable.ReplaceAllString(expr, ".*")
}
