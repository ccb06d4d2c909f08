package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/rulefmt"
	"sigs.k8s.io/yaml"
)

// report faults, and fail if there are any.
func report(w io.Writer, what string, faults []string) error {
	for _, f := range faults {
		if _, err := fmt.Fprintf(w, "%s: %s\n", what, f); err != nil {
			return fmt.Errorf("cannot report: %w", err)
		}
	}

	if len(faults) > 0 {
		return fmt.Errorf("%s: %d faults", what, len(faults))
	}

	return nil
}

// lint all that is shipped; returns what is wrong.
func lint(dir, docs string) []string {
	var out []string

	all, err := alerts(dir)
	if err != nil {
		return []string{err.Error()}
	}

	out = append(out, lintGenerated(dir)...)
	out = append(out, lintAlerts(all, docs)...)

	var cases []string
	for _, name := range []string{"cases.yaml", "cases_days.yaml", "cases_nodes.yaml", "cases_clusters.yaml"} {
		cases = append(cases, filepath.Join(dir, "alerts", name))
	}

	out = append(out, lintCases(all, cases...)...)
	out = append(out, lintManifests(dir)...)

	return append(out, lintDashboard(machinesDashboard())...)
}

// lintGenerated says which files are not what is generated now.
func lintGenerated(dir string) []string {
	want, err := generated(dir)
	if err != nil {
		return []string{err.Error()}
	}

	var out []string

	for _, path := range slices.Sorted(maps.Keys(want)) {
		if got, err := os.ReadFile(filepath.Join(dir, path)); err != nil || !bytes.Equal(got, want[path]) {
			out = append(out, path+" is not what is generated: run make generate-observability")
		}
	}

	return out
}

// lintAlerts checks what promtool and pint do not know: names, and the pages that alerts link to.
func lintAlerts(all []rulefmt.Rule, docs string) []string {
	var out []string

	seen := map[string]bool{}

	for _, r := range all {
		if seen[r.Alert] {
			out = append(out, r.Alert+" is there twice")
		}

		seen[r.Alert] = true

		page, anchor, _ := strings.Cut(strings.TrimPrefix(r.Annotations["runbook_url"], repository), "#")
		if text, err := os.ReadFile(filepath.Join(docs, page)); err != nil {
			out = append(out, r.Alert+" links to docs/"+page+", which is not there")
		} else if !slices.Contains(anchors(string(text)), anchor) {
			out = append(out, r.Alert+" links to #"+anchor+", which docs/"+page+" does not have")
		}
	}

	return out
}

var (
	heading     = regexp.MustCompile("(?m)^#+ +(.+)$")
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors of a page, as GitHub makes them of headings.
func anchors(page string) []string {
	var out []string

	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		out = append(out, strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}

	return out
}

// A caseFile is what promtool tests rules with: the part that says which alerts are expected.
type caseFile struct {
	Tests []struct {
		Expressions []struct {
			Samples []struct {
				Labels string `json:"labels"`
			} `json:"exp_samples"`
		} `json:"promql_expr_test"`
	} `json:"tests"`
}

// lintCases says which alerts are not seen to fire. That the others are silent all the while is seen in the same cases, since
// each looks at all alerts.
func lintCases(all []rulefmt.Rule, files ...string) []string {
	cases, err := readCases(files)
	if err != nil {
		return []string{err.Error()}
	}

	fire := map[string]bool{}
	silent := false

	for _, t := range cases.Tests {
		for _, e := range t.Expressions {
			silent = silent || len(e.Samples) == 0

			for _, s := range e.Samples {
				if m := alertLabel.FindStringSubmatch(s.Labels); m != nil {
					fire[m[1]] = true
				}
			}
		}
	}

	var out []string

	if !silent {
		out = append(out, "there is no case in which nothing fires")
	}

	for _, r := range all {
		if !fire[r.Alert] {
			out = append(out, r.Alert+" fires in no case")
		}
	}

	return out
}

// readCases returns the cases of all files as one.
func readCases(files []string) (caseFile, error) {
	all := caseFile{}

	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return all, fmt.Errorf("cannot read the cases: %w", err)
		}

		one := caseFile{}
		if err := yaml.Unmarshal(b, &one); err != nil {
			return all, fmt.Errorf("cannot read the cases in %s: %w", file, err)
		}

		all.Tests = append(all.Tests, one.Tests...)
	}

	return all, nil
}

var alertLabel = regexp.MustCompile(`alertname="(\w+)"`)
