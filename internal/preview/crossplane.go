package preview

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// Crossplane has the real crossplane command line, v2.3 or later, render with the real engine and a running function.
type Crossplane struct {
	CommandLine string // Path of crossplane.
	Core        string // Path of a crossplane core binary that answers `internal render`.
	Target      string // Address at which the function serves gRPC.
}

// Turn of a composite.
func (e Crossplane) Turn(ctx context.Context, in Input) (Turn, error) {
	dir, err := os.MkdirTemp("", "preview-")
	if err != nil {
		return Turn{}, errors.Wrap(err, "cannot make a working folder")
	}
	defer os.RemoveAll(dir) //nolint:errcheck // A temporary folder.

	args, err := e.arguments(in, dir)
	if err != nil {
		return Turn{}, err
	}

	stdout, stderr := &bytes.Buffer{}, &bytes.Buffer{}
	cmd := exec.CommandContext(ctx, e.CommandLine, args...)
	cmd.Stdout, cmd.Stderr = stdout, stderr

	if err := cmd.Run(); err != nil {
		// What the command line says names the fault; that it ended with a status does not.
		if said := strings.TrimSpace(stderr.String()); said != "" {
			return Turn{}, &FatalError{Message: said}
		}

		return Turn{}, errors.Wrap(err, "cannot run crossplane")
	}

	return parseTurn(stdout.Bytes())
}

// arguments writes what the command line reads into a folder and returns its arguments.
func (e Crossplane) arguments(in Input, dir string) ([]string, error) {
	function, err := functionManifest(in.Composition, e.Target)
	if err != nil {
		return nil, err
	}

	// In a cluster the function finds the machine's own resources among what it asks for, too.
	required := slices.Concat(in.Required, in.Observed)

	files := map[string][]unstructured.Unstructured{
		"composite.yaml": {in.Composite}, "composition.yaml": {in.Composition}, "functions.yaml": {function}, "xrd.yaml": {in.Definition},
		"required.yaml": required, "observed.yaml": in.Observed,
	}

	for name, objects := range files {
		if err := writeManifests(filepath.Join(dir, name), objects...); err != nil {
			return nil, err
		}
	}

	path := func(name string) string { return filepath.Join(dir, name) }
	args := []string{
		"composition", "render", path("composite.yaml"), path("composition.yaml"), path("functions.yaml"),
		"--crossplane-binary=" + e.Core, "--xrd=" + path("xrd.yaml"), "--include-function-results",
	}

	if len(required) > 0 {
		args = append(args, "--required-resources="+path("required.yaml"))
	}

	if len(in.Observed) > 0 {
		args = append(args, "--observed-resources="+path("observed.yaml"))
	}

	if in.Full {
		args = append(args, "--include-full-xr")
	}

	return args, nil
}

// functionManifest is the Function of a Composition's only step, served at an address.
func functionManifest(composition unstructured.Unstructured, target string) (unstructured.Unstructured, error) {
	step, err := onlyStep(composition)

	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "pkg.crossplane.io/v1",
		"kind":       "Function",
		"metadata": map[string]any{
			"name": step.FunctionRef.Name,
			"annotations": map[string]any{
				"render.crossplane.io/runtime":                    "Development",
				"render.crossplane.io/runtime-development-target": target,
			},
		},
		// Never fetched, but the schema wants a package.
		"spec": map[string]any{"package": "ghcr.io/homelab-io/function-proxmox-machine:v0.0.0"},
	}}, err
}

// parseTurn reads what the command line printed: the composite, the composed resources, and results.
func parseTurn(output []byte) (Turn, error) {
	documents, err := manifest.Parse(output)
	if err != nil {
		return Turn{}, errors.Wrap(err, "cannot read what was rendered")
	}

	if len(documents) == 0 {
		return Turn{}, errors.New("nothing was rendered, not even a composite")
	}

	out := Turn{Composite: documents[0].Object}

	for _, d := range documents[1:] {
		switch o := d.Object; {
		case o.GetKind() == resultKind && o.GetAPIVersion() == resultAPIVersion:
			var r Result
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &r); err != nil {
				return Turn{}, errors.Wrap(err, "cannot read a result")
			}

			out.Results = append(out.Results, r)
		case o.GetAnnotations()[annotationResourceName] != "":
			out.Composed = append(out.Composed, o)
		}
	}

	return out, nil
}

// writeManifests writes the objects into one file.
func writeManifests(file string, objects ...unstructured.Unstructured) error {
	buf := &bytes.Buffer{}

	for _, o := range objects {
		data, err := yaml.Marshal(o.Object)
		if err != nil {
			return errors.Wrapf(err, "cannot marshal %s", filepath.Base(file))
		}

		buf.WriteString("---\n")
		buf.Write(data)
	}

	return errors.Wrapf(os.WriteFile(file, buf.Bytes(), 0o600), "cannot write %s", filepath.Base(file))
}
