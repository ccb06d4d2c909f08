package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// A query that is shipped.
type shipped struct{ where, expr string }

// queries are all that alerts of a folder and the dashboard ask.
func queries(dir string) ([]shipped, error) {
	all, err := alerts(dir)
	if err != nil {
		return nil, err
	}

	var out []shipped
	for _, r := range all {
		out = append(out, shipped{"alert " + r.Alert, r.Expr})
	}

	for _, p := range machinesDashboard().Panels {
		for _, t := range p.Targets {
			out = append(out, shipped{"panel " + p.Title, substitute(t.Expr)})
		}
	}

	return out, nil
}

// series that were scraped, by name of the metric.
type series map[string][]map[string]string

// read a scrape.
func (s series) read(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("cannot open: %w", err)
	}
	defer f.Close() //nolint:errcheck // It was only read.

	p := expfmt.NewTextParser(model.UTF8Validation)

	families, err := p.TextToMetricFamilies(f)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", file, err)
	}

	for name, family := range families {
		for _, m := range family.GetMetric() {
			l := map[string]string{}
			for _, pair := range m.GetLabel() {
				l[pair.GetName()] = pair.GetValue()
			}

			s[name] = append(s[name], l)

			if family.GetType() == dto.MetricType_HISTOGRAM {
				bucket := maps.Clone(l)
				bucket["le"] = "+Inf"
				s[name+"_bucket"] = append(s[name+"_bucket"], bucket)
			}
		}
	}

	return nil
}

// scraped compares all queries with scrapes; returns what is not there.
func scraped(dir string, files []string) []string {
	all, err := queries(dir)
	if err != nil {
		return []string{err.Error()}
	}

	there := series{}

	for _, file := range files {
		if err := there.read(file); err != nil {
			return []string{err.Error()}
		}
	}

	var out []string

	for _, q := range all {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(q.expr)
		if err != nil {
			return []string{err.Error()}
		}

		for _, fault := range there.lacks(expr) {
			out = append(out, q.where+": "+fault)
		}
	}

	return out
}

// lacks says what an expression asks for that was not scraped.
func (s series) lacks(expr parser.Expr) []string {
	var out []string

	parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.VectorSelector:
			out = append(out, s.lacksSelector(n)...)
		case *parser.AggregateExpr:
			out = append(out, s.lacksLabels(n.Expr, n.Grouping)...)
		case *parser.BinaryExpr:
			if n.VectorMatching != nil && n.VectorMatching.On {
				out = append(out, s.lacksLabels(n, n.VectorMatching.MatchingLabels)...)
			}
		}

		return nil
	})

	return out
}

// fromPrometheus says whether a label is added by Prometheus.
func fromPrometheus(label string) bool {
	return slices.Contains([]string{model.JobLabel, model.InstanceLabel, "pod", "namespace"}, label)
}

// always says whether a label's value is decided by programs, and not by the state that machines happen to be in.
func always(label string) bool {
	return slices.Contains([]string{"type", "phase", "function_name", "grpc_service", "controller"}, label)
}

// lacksSelector of a metric.
func (s series) lacksSelector(n *parser.VectorSelector) []string {
	if n.Name == "up" {
		return nil // Prometheus makes it.
	}

	all, ok := s[n.Name]
	if !ok {
		return []string{"there is no metric " + n.Name}
	}

	var out []string

	for _, m := range n.LabelMatchers {
		if m.Name == model.MetricNameLabel || fromPrometheus(m.Name) {
			continue
		}

		if !has(all, m.Name) {
			out = append(out, fmt.Sprintf("metric %s has no label %s", n.Name, m.Name))
		} else if always(m.Name) && !matched(s.alike(n.Name), m) {
			out = append(out, fmt.Sprintf("metric %s has no series with %s", n.Name, m))
		}
	}

	return out
}

// alike are the series in which a metric's values can be found: of conditions those of all kinds, since a claim does not have
// all that a namespaced composite has.
func (s series) alike(name string) []map[string]string {
	const conditions = "_condition"
	if !strings.HasSuffix(name, conditions) {
		return s[name]
	}

	var out []map[string]string

	for other, all := range s {
		if strings.HasSuffix(other, conditions) {
			out = append(out, all...)
		}
	}

	return out
}

// lacksLabels of the metrics in an expression.
func (s series) lacksLabels(expr parser.Node, names []string) []string {
	var out []string

	parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
		selector, ok := n.(*parser.VectorSelector)
		if !ok || s[selector.Name] == nil {
			return nil
		}

		for _, name := range names {
			if !fromPrometheus(name) && !has(s[selector.Name], name) {
				out = append(out, fmt.Sprintf("metric %s has no label %s", selector.Name, name))
			}
		}

		return nil
	})

	return out
}

func has(all []map[string]string, label string) bool {
	return slices.ContainsFunc(all, func(l map[string]string) bool { _, ok := l[label]; return ok })
}

// matched says whether a matcher finds one, or, where it stands for several values, each of them.
func matched(all []map[string]string, m *labels.Matcher) bool {
	values := []string{m.Value}
	if m.Type == labels.MatchRegexp && !strings.ContainsAny(m.Value, ".*+?()[]") {
		values = strings.Split(m.Value, "|")
	} else if m.Type != labels.MatchEqual {
		return slices.ContainsFunc(all, func(l map[string]string) bool { return m.Matches(l[m.Name]) })
	}

	for _, v := range values {
		if !slices.ContainsFunc(all, func(l map[string]string) bool { return l[m.Name] == v }) {
			return false
		}
	}

	return true
}
