package controlplane

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"sigs.k8s.io/yaml"
)

// What promtool reads to test rules.
type (
	ruleTests struct {
		RuleFiles          []string   `json:"rule_files"`
		EvaluationInterval string     `json:"evaluation_interval"`
		Tests              []ruleTest `json:"tests"`
	}

	ruleTest struct {
		Interval    string        `json:"interval"`
		InputSeries []inputSeries `json:"input_series"`
		Expressions []exprTest    `json:"promql_expr_test"`
	}

	inputSeries struct {
		Series string `json:"series"`
		Values string `json:"values"`
	}

	exprTest struct {
		EvalTime   string   `json:"eval_time"`
		Expr       string   `json:"expr"`
		ExpSamples []sample `json:"exp_samples"`
	}

	sample struct {
		Labels string  `json:"labels"`
		Value  float64 `json:"value"`
	}
)

// fire evaluates the shipped alerts over what was scraped, as if it stayed so for four days, and compares with what
// situations are to give.
func fire(t *testing.T, files map[string]string, all []situation) {
	t.Helper()

	rules, err := filepath.Abs(shippedObservability + "/alerts/rules.yaml")
	must(t, err)

	expected := exprTest{EvalTime: "4d", Expr: `sum by (alertname, machine, cluster) (ALERTS{alertstate="firing"})`}
	// One situation is a claim that is refused, at every call.
	expected.ExpSamples = append(expected.ExpSamples, sample{Labels: `{alertname="FunctionRefuses"}`, Value: 1})

	for _, s := range all {
		for _, a := range s.alerts {
			_, label := metricOf(s.claim)
			expected.ExpSamples = append(expected.ExpSamples, sample{Labels: fmt.Sprintf(`{alertname=%q,%s=%q}`, a, label, s.claim.GetName()), Value: 1})
		}
	}

	tests := ruleTests{RuleFiles: []string{rules}, EvaluationInterval: "5m", Tests: []ruleTest{{
		Interval: "5m", Expressions: []exprTest{expected},
		// Prometheus makes this one.
		InputSeries: append(input(t, files), inputSeries{Series: `up{job="function-proxmox-machine"}`, Values: "1x1200"}),
	}}}

	b, err := yaml.Marshal(tests)
	must(t, err)

	file := filepath.Join(filepath.Dir(files["kube-state-metrics"]), "alerts.yaml")
	must(t, os.WriteFile(file, b, 0o600))

	tool(t, "promtool", "test", "rules", file)
}

// input of what was scraped: of our machines as it is, of answers to Crossplane's calls as if they came again and again.
func input(t *testing.T, files map[string]string) []inputSeries {
	t.Helper()

	var out []inputSeries

	for name, family := range parse(t, files["kube-state-metrics"]) {
		for _, m := range family.GetMetric() {
			l, value := labels(m), m.GetGauge().GetValue()
			// The test begins at the first second of 1970, and the rollout has stood still since.
			if name == "homelab_cluster_rollout_changed_timestamp_seconds" {
				value = 0
			}

			if strings.HasPrefix(l["machine"], "metrics-") || strings.HasPrefix(l["cluster"], "metrics-") {
				out = append(out, inputSeries{Series: text(name, l), Values: fmt.Sprintf("%gx1200", value)})
			}
		}
	}

	const answers = "function_run_function_response_total"
	for _, m := range parse(t, files["crossplane"])[answers].GetMetric() {
		if l := labels(m); l["grpc_code"] == "OK" {
			out = append(out, inputSeries{Series: text(answers, l), Values: "0+1x1200"})
		}
	}

	return out
}

// parse a scrape as Prometheus does.
func parse(t *testing.T, file string) map[string]*dto.MetricFamily {
	t.Helper()

	f, err := os.Open(file)
	must(t, err)

	defer f.Close()

	p := expfmt.NewTextParser(model.UTF8Validation)
	out, err := p.TextToMetricFamilies(f)
	must(t, err)

	return out
}

func labels(m *dto.Metric) map[string]string {
	out := map[string]string{}
	for _, l := range m.GetLabel() {
		out[l.GetName()] = l.GetValue()
	}

	return out
}

// text of a series, as PromQL writes it.
func text(name string, l map[string]string) string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(l)) {
		pairs = append(pairs, key+"="+strconv.Quote(l[key]))
	}

	return name + "{" + strings.Join(pairs, ",") + "}"
}
