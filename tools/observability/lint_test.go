package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/promql/parser"
)

const (
	shippedDir = "../../observability"
	docsDir    = "../../docs"
)

// TestShipped lints what is shipped.
func TestShipped(t *testing.T) {
	if err := report(io.Discard, "lint", lint(shippedDir, docsDir)); err != nil {
		t.Error(lint(shippedDir, docsDir))
	}
}

// edited is a copy of what is shipped in which a text of one file was replaced, wherever it is.
func edited(t *testing.T, path, before, after string) string {
	t.Helper()

	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(shippedDir)); err != nil {
		t.Fatal(err)
	}

	file := filepath.Join(dir, path)

	b, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(b), before) {
		t.Fatalf("%s has no %s: %v", path, before, err)
	}

	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(b), before, after)), 0o600); err != nil {
		t.Fatal(err)
	}

	return dir
}

// TestLintFiles has the linter see files that are not as they should be.
func TestLintFiles(t *testing.T) {
	cases := map[string]struct {
		reason        string
		file          string
		before, after string
		want          string
	}{
		"Rules":     {reason: "Both files have the same alerts.", file: alertsFile, before: "for: 45m", after: "for: 46m", want: "alerts/prometheusrule.yaml is not what is generated"},
		"PromQL":    {reason: "A query has to be one.", file: alertsFile, before: `{state="Blocked"}`, after: `{state="Blocked"`, want: "cannot parse the alerts"},
		"Twice":     {reason: "A silence or a route would be for both.", file: alertsFile, before: "alert: MachineFailed", after: "alert: MachineWedged", want: "MachineWedged is there twice"},
		"Page":      {reason: "Pages move.", file: alertsFile, before: "docs/conditions.md#specvalid", after: "docs/gone.md#specvalid", want: "docs/gone.md, which is not there"},
		"Anchor":    {reason: "Headings change.", file: alertsFile, before: "docs/conditions.md#specvalid", after: "docs/conditions.md#gone", want: "#gone, which docs/conditions.md does not have"},
		"Dashboard": {reason: "Nobody edits what is generated.", file: dashboardFile, before: "ops", after: "op", want: "is not what is generated"},
		"Cases":     {reason: "Each alert is seen to fire.", file: "alerts/cases.yaml", before: `alertname="FunctionSlow"`, after: `alertname="X"`, want: "FunctionSlow fires in no case"},
		"Field":     {reason: "A wrong field is left out by the API server.", file: "crossplane/podmonitor.yaml", before: "podMetricsEndpoints", after: "podMetricEndpoints", want: "unknown field"},
		"Job":       {reason: "An alert on a job that nobody names is silent, or never ends.", file: "function/podmonitor.yaml", before: "replacement: function-proxmox-machine", after: "replacement: f", want: "asks for job function-proxmox-machine"},
		"Kind":      {reason: "What is added is checked, too.", file: "crossplane/podmonitor.yaml", before: "kind: PodMonitor", after: "kind: ServiceMonitor", want: "is not checked yet"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(lint(edited(t, tc.file, tc.before, tc.after), docsDir), "\n"); !strings.Contains(got, tc.want) {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestLintDashboard has the linter see each fault.
func TestLintDashboard(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(d *dashboard)
		want   string
	}{
		"Good":       {reason: "There is nothing to say.", edit: func(*dashboard) {}},
		"Overlap":    {reason: "Grafana moves panels that overlap.", edit: func(d *dashboard) { d.Panels[2].GridPos = d.Panels[1].GridPos }, want: "lies over"},
		"Query":      {reason: "It has to be PromQL.", edit: func(d *dashboard) { d.Panels[1].Targets[0].Expr = "count(" }, want: "parse error"},
		"Rate":       {reason: "The interval follows the zoom.", edit: func(d *dashboard) { d.Panels[1].Targets[0].Expr = "rate(x_total[5m])" }, want: "$__rate_interval"},
		"Counter":    {reason: "A counter alone shows when a program started.", edit: func(d *dashboard) { d.Panels[1].Targets[0].Expr = "x_total" }, want: "counter"},
		"Words":      {reason: "A panel says what it shows.", edit: func(d *dashboard) { d.Panels[1].Description = "" }, want: "description"},
		"Source":     {reason: "Nobody has our data source.", edit: func(d *dashboard) { d.Panels[1].Datasource.UID = "mine" }, want: "data source"},
		"Variable":   {reason: "A choice has to choose.", edit: func(d *dashboard) { d.Templating.List[2].Name = "unused" }, want: "variable unused"},
		"Merge":      {reason: "A table shows one query.", edit: func(d *dashboard) { tableOf(d, "Nodes").Transformations = nil }, want: "has to merge"},
		"Identifier": {reason: "Ids are unique.", edit: func(d *dashboard) { d.Panels[2].ID = 2 }, want: "is there twice"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := machinesDashboard()
			tc.edit(&d)

			got := strings.Join(lintDashboard(d), "\n")
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// tableOf is the table with a title.
func tableOf(d *dashboard, title string) *panel {
	i := slices.IndexFunc(d.Panels, func(p panel) bool { return p.Title == title && p.Type == "table" })

	return &d.Panels[i]
}

// TestLacks compares queries with a scrape.
func TestLacks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scrape.prom")

	const scrape = "# TYPE a gauge\na{type=\"X\",machine=\"m\"} 1\n# TYPE h histogram\nh_bucket{code=\"OK\",le=\"+Inf\"} 1\nh_sum{code=\"OK\"} 1\nh_count{code=\"OK\"} 1\n"
	if err := os.WriteFile(file, []byte(scrape), 0o600); err != nil {
		t.Fatal(err)
	}

	there := series{}
	if err := there.read(file); err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct {
		reason string
		expr   string
		want   []string
	}{
		"There":     {reason: "All is there; Prometheus adds its own.", expr: `sum by (machine) (a{type="X",job="j"}) unless on (instance) (up == 1)`},
		"Histogram": {reason: "Buckets have a name of their own.", expr: `histogram_quantile(0.9, sum by (le) (rate(h_bucket{code!="OK"}[5m])))`},
		"Metric":    {reason: "A metric was renamed.", expr: `b`, want: []string{"there is no metric b"}},
		"Label":     {reason: "A label was renamed.", expr: `a{kind="X"}`, want: []string{"metric a has no label kind"}},
		"Value":     {reason: "A condition was renamed.", expr: `a{type=~"X|Y"}`, want: []string{`metric a has no series with type=~"X|Y"`}},
		"Grouping":  {reason: "What is grouped by has to be there.", expr: `max by (paused_by) (a)`, want: []string{"metric a has no label paused_by"}},
		"Matching":  {reason: "What is matched by, too.", expr: `a unless on (le) h_bucket`, want: []string{"metric a has no label le"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			expr, err := parser.NewParser(parser.Options{}).ParseExpr(tc.expr)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, there.lacks(expr)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
