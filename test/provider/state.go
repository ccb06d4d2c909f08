package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
)

// Attributes are those of the resource in the state of the workspace, what status.atProvider would show. They are empty
// if the resource is not there.
func (w *Workspace) Attributes() (map[string]any, error) {
	b, err := os.ReadFile(w.stateFile())
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]any{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the state: %w", err)
	}
	state := struct {
		Resources []struct {
			Instances []struct {
				Status     string         `json:"status"`
				Attributes map[string]any `json:"attributes"`
			} `json:"instances"`
		} `json:"resources"`
	}{}
	if err := json.Unmarshal(b, &state); err != nil {
		return nil, fmt.Errorf("cannot read the state: %w", err)
	}
	if len(state.Resources) == 0 || len(state.Resources[0].Instances) == 0 {
		return map[string]any{}, nil
	}
	return state.Resources[0].Instances[0].Attributes, nil
}

func (w *Workspace) stateFile() string { return filepath.Join(w.dir, "terraform.tfstate") }

// keepState returns what puts the state back as it is now.
func (w *Workspace) keepState() (func() error, error) {
	b, err := os.ReadFile(w.stateFile())
	if err != nil {
		return nil, fmt.Errorf("cannot read the state: %w", err)
	}

	return func() error { return os.WriteFile(w.stateFile(), b, 0o600) }, nil
}

// Seed replaces the state by what Upjet would write into an empty workspace of a resource that has an id.
func (w *Workspace) Seed(id string, atProvider map[string]any) error {
	state, err := SeedState(w.Resource, id, atProvider)
	if err != nil {
		return err
	}

	if err := os.WriteFile(w.stateFile(), state, 0o600); err != nil {
		return fmt.Errorf("cannot write the state: %w", err)
	}

	return nil
}

// SeedState is the terraform.tfstate that Upjet writes for a resource that has an id but no workspace yet, or no longer:
// what was asked for, strings still with their template escapes, under what status.atProvider says.
// Source: crossplane/upjet v2.2.0, pkg/terraform/files.go, EnsureTFState.
func SeedState(r Resource, id string, atProvider map[string]any) ([]byte, error) {
	attributes := arguments(r.Spec.ForProvider)
	maps.Copy(attributes, atProvider)
	attributes["id"] = id

	b, err := json.MarshalIndent(map[string]any{
		"version": 4, "terraform_version": "1.5.7", "serial": 1, "lineage": "00000000-0000-0000-0000-000000000000", "outputs": map[string]any{},
		"resources": []any{map[string]any{
			"mode": "managed", "type": r.TerraformType(), "name": r.Metadata.Name,
			"provider":  `provider["registry.terraform.io/bpg/proxmox"]`,
			"instances": []any{map[string]any{"schema_version": 0, "attributes": attributes}},
		}},
	}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("cannot marshal the state of %s: %w", r.Metadata.Name, err)
	}

	return b, nil
}
