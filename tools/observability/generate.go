package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// header of what is generated in YAML.
const header = "# Generated from tools/observability: make generate-observability.\n"

// A manifest of Kubernetes.
type manifest struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       any      `json:"spec"`
}

type metadata struct {
	Name      string            `json:"name"`
	Namespace string            `json:"namespace"`
	Labels    map[string]string `json:"labels,omitempty"`
}

// generated are the files that are made for a folder, by their path in it. The rules of the operator are those of Prometheus.
func generated(dir string) (map[string][]byte, error) {
	out := map[string][]byte{}

	b, err := os.ReadFile(filepath.Join(dir, alertsFile))
	if err != nil {
		return nil, fmt.Errorf("cannot read the alerts: %w", err)
	}

	var rules any
	if err := yaml.Unmarshal(b, &rules); err != nil {
		return nil, fmt.Errorf("cannot parse the alerts: %w", err)
	}

	for path, document := range map[string]any{
		"alerts/prometheusrule.yaml": manifest{
			APIVersion: "monitoring.coreos.com/v1", Kind: "PrometheusRule",
			Metadata: metadata{Name: "proxmox-machines", Namespace: "crossplane-system"}, Spec: rules,
		},
		"kube-state-metrics/config.yaml": machineMetrics(),
	} {
		b, err := yaml.Marshal(document)
		if err != nil {
			return nil, fmt.Errorf("cannot marshal %s: %w", path, err)
		}

		out[path] = append([]byte(header), b...)
	}

	var d bytes.Buffer

	e := json.NewEncoder(&d)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")

	if err := e.Encode(machinesDashboard()); err != nil {
		return nil, fmt.Errorf("cannot marshal the dashboard: %w", err)
	}

	out[dashboardFile] = d.Bytes()

	return out, nil
}

// dashboardFile in the folder of what is shipped.
const dashboardFile = "dashboards/proxmox-machines.json"

// generate writes all files.
func generate(dir string) error {
	files, err := generated(dir)
	if err != nil {
		return err
	}

	for path, content := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // For everybody to read.
			return fmt.Errorf("cannot make a folder: %w", err)
		}

		if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // For everybody to read.
			return fmt.Errorf("cannot write: %w", err)
		}
	}

	return nil
}
