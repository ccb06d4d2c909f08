package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/prometheus/common/model"
	"sigs.k8s.io/yaml"
)

// lintManifests reads those of the Prometheus operator as it does, but strictly; the others are tested on a control plane. It
// also wants every job that queries ask for to be the name of one that a PodMonitor gives.
func lintManifests(dir string) []string {
	var out []string

	jobs := map[string]bool{}

	files, err := filepath.Glob(filepath.Join(dir, "*", "*.yaml"))
	if err != nil {
		return []string{err.Error()}
	}

	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return []string{err.Error()}
		}

		for document := range strings.SplitSeq("\n"+string(b), "\n---\n") {
			monitor, err := decodeMonitoring([]byte(document))
			if err != nil {
				out = append(out, fmt.Sprintf("%s: %v", file, err))
			}

			for _, job := range jobNames(monitor) {
				jobs[job] = true
			}
		}
	}

	all, err := queries(dir)
	if err != nil {
		return []string{err.Error()}
	}

	for _, q := range all {
		for _, m := range jobMatcher.FindAllStringSubmatch(q.expr, -1) {
			if !jobs[m[1]] {
				out = append(out, q.where+" asks for job "+m[1]+", which no PodMonitor names")
			}
		}
	}

	return out
}

var jobMatcher = regexp.MustCompile(`job="([^"]*)"`)

// jobNames that a PodMonitor gives; none of another manifest.
func jobNames(o any) []string {
	monitor, ok := o.(*monitoringv1.PodMonitor)
	if !ok {
		return nil
	}

	var out []string

	for _, e := range monitor.Spec.PodMetricsEndpoints {
		for _, r := range e.RelabelConfigs {
			if r.TargetLabel == model.JobLabel && r.Replacement != nil {
				out = append(out, *r.Replacement)
			}
		}
	}

	return out
}

// none is what is not of the Prometheus operator.
type none struct{}

// decodeMonitoring reads a document strictly if it is one of the Prometheus operator.
func decodeMonitoring(document []byte) (any, error) {
	head := struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}{}
	if err := yaml.Unmarshal(document, &head); err != nil {
		return nil, fmt.Errorf("cannot read: %w", err)
	}

	if head.APIVersion != "monitoring.coreos.com/v1" {
		return none{}, nil
	}

	into := map[string]any{"PrometheusRule": &monitoringv1.PrometheusRule{}, "PodMonitor": &monitoringv1.PodMonitor{}}[head.Kind]
	if into == nil {
		return nil, fmt.Errorf("kind %s is not checked yet", head.Kind)
	}

	if err := yaml.UnmarshalStrict(document, into); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", head.Kind, err)
	}

	return into, nil
}
