package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// alertsFile in the folder of what is shipped: the alerts are written there, and nowhere else.
const alertsFile = "alerts/rules.yaml"

// repository that alerts link to.
const repository = "https://github.com/homelab-io/function-proxmox-machine/blob/main/docs/"

// alerts of a folder, as Prometheus reads them.
func alerts(dir string) ([]rulefmt.Rule, error) {
	b, err := os.ReadFile(filepath.Join(dir, alertsFile))
	if err != nil {
		return nil, fmt.Errorf("cannot read the alerts: %w", err)
	}

	file, errs := rulefmt.Parse(b, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("cannot parse the alerts: %w", err)
	}

	var out []rulefmt.Rule
	for _, g := range file.Groups {
		out = append(out, g.Rules...)
	}

	return out, nil
}
