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

// render shows what becomes of a claim. Crossplane does not ask for everything at once: a VM waits for its snippets and
// its image. So Crossplane and a provider that makes whatever it is asked for take turns until nothing new is asked for,
// and what is shown is the turn in which the last resource appeared.
func (r renderer) render(ctx context.Context, c claim) ([]byte, error) {
	dir, err := os.MkdirTemp("", "preview-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a working folder: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // A temporary folder.

	s, err := r.stage(c, dir)
	if err != nil {
		return nil, err
	}

	out, p, err := r.turn(ctx, s)
	if err != nil || r.options.first || s.given {
		return s.explained(out, p), err
	}

	for range maxTurns {
		grown, err := s.provide(out)
		if err != nil {
			return nil, err
		}

		if !grown {
			return s.explained(out, p), nil
		}

		next, then, err := r.turn(ctx, s)
		if err != nil {
			return nil, err
		}

		if more, err := s.asksForMore(next); err != nil || !more {
			return s.explained(out, p), err
		}

		out, p = next, p.then(then)
	}

	return nil, fmt.Errorf("cannot render %s: after %d turns it still asks for new resources", c, maxTurns)
}

// turn runs the command line once. It returns what that printed, and apart from it the function's plan.
func (r renderer) turn(ctx context.Context, s *stage) ([]byte, plan, error) {
	args, err := r.arguments(s)
	if err != nil {
		return nil, nil, err
	}

	stdout, stderr := &bytes.Buffer{}, &bytes.Buffer{}
	cmd := exec.CommandContext(ctx, r.options.crossplane, args...)
	cmd.Stdout, cmd.Stderr = stdout, stderr

	if err := cmd.Run(); err != nil {
		// What the command line says names the fault; that it ended with a status does not.
		if said := strings.TrimSpace(stderr.String()); said != "" {
			return nil, nil, fmt.Errorf("cannot render %s:\n%s", s.claim, said)
		}

		return nil, nil, fmt.Errorf("cannot render %s: %w", s.claim, err)
	}

	_, remembers := s.composite.Object["status"]
	rest, p := takePlan(stdout.Bytes(), remembers || !s.given)

	return orderResults(rest), p, nil
}

// arguments writes what changes between turns into the stage's folder and returns the command line's arguments.
func (r renderer) arguments(s *stage) ([]string, error) {
	xr, err := writeManifests(s.dir, "composite.yaml", s.composite)
	if err != nil {
		return nil, err
	}

	args := []string{
		"composition", "render", xr, s.composition, s.functions,
		"--crossplane-binary=" + r.options.engine, "--xrd=" + s.xrd,
	}

	required, err := r.required(s)
	if err != nil {
		return nil, err
	}

	args = append(args, required...)

	schemas, err := writeSchemas(s.dir)
	if err != nil {
		return nil, err
	}

	args = append(args, "--required-schemas="+schemas)

	if len(s.observed) > 0 {
		observed, err := writeManifests(s.dir, fileObserved, s.observed...)
		if err != nil {
			return nil, err
		}

		args = append(args, "--observed-resources="+observed)
	}

	if r.options.full || r.options.output != "" {
		args = append(args, "--include-full-xr")
	}

	// Results are shown to people; in a folder they would be taken for resources.
	if r.options.output == "" {
		args = append(args, "--include-function-results")
	}

	return args, nil
}
