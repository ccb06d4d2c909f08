package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// A renderer renders claims with the crossplane command line.
type renderer struct {
	options options
	pkg     configuration
	target  string // Address of the running function.
}

// A result is what became of one claim: what the command line printed, or why it printed nothing.
type result struct {
	claim  claim
	output []byte // YAML documents.
	err    error
}

// renderAll renders the claims, several at a time, and returns the results in the claims' order.
func (r renderer) renderAll(ctx context.Context, claims []claim, parallel int) []result {
	results := make([]result, len(claims))
	slots := make(chan struct{}, parallel)
	wg := sync.WaitGroup{}

	for i, c := range claims {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()

			out, err := r.render(ctx, c)
			results[i] = result{claim: c, output: out, err: err}
		})
	}

	wg.Wait()

	return results
}

func (r renderer) render(ctx context.Context, c claim) ([]byte, error) {
	dir, err := os.MkdirTemp("", "preview-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a working folder: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // A temporary folder.

	args, err := r.arguments(c, dir)
	if err != nil {
		return nil, err
	}

	stdout, stderr := &bytes.Buffer{}, &bytes.Buffer{}
	cmd := exec.CommandContext(ctx, r.options.crossplane, args...)
	cmd.Stdout, cmd.Stderr = stdout, stderr

	if err := cmd.Run(); err != nil {
		// What the command line says names the fault; that it ended with a status does not.
		if said := strings.TrimSpace(stderr.String()); said != "" {
			return nil, fmt.Errorf("cannot render %s:\n%s", c, said)
		}

		return nil, fmt.Errorf("cannot render %s: %w", c, err)
	}

	return stdout.Bytes(), nil
}

// arguments writes what the command line reads into dir and returns its arguments.
func (r renderer) arguments(c claim, dir string) ([]string, error) {
	d, err := r.pkg.definitionOf(c.object.GroupVersionKind())
	if err != nil {
		return nil, err
	}

	xr := compositeOf(c.object, d)

	composition, err := r.composition(xr, dir)
	if err != nil {
		return nil, err
	}

	xrFile, err := writeManifest(dir, "composite.yaml", xr.Object)
	if err != nil {
		return nil, err
	}

	functions, err := r.functions(composition, dir)
	if err != nil {
		return nil, err
	}

	args := []string{
		"composition", "render", xrFile, composition, functions,
		"--crossplane-binary=" + r.options.engine, "--xrd=" + d.file,
	}
	args = append(args, r.required(c)...)

	observed, err := r.observed(c, xr, dir)
	if err != nil {
		return nil, err
	}

	args = append(args, observed...)

	if r.options.full || r.options.output != "" {
		args = append(args, "--include-full-xr")
	}

	// Results are shown to people; in a folder they would be taken for resources.
	if r.options.output == "" {
		args = append(args, "--include-function-results")
	}

	return args, nil
}
