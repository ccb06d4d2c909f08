package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// An ExitError is a Terraform that failed. Output is all it said.
type ExitError struct {
	Args   []string
	Code   int
	Output string
	// Diagnostics are its errors, where it told them apart.
	Diagnostics []Diagnostic
}

// A Diagnostic is one error of Terraform.
type Diagnostic struct {
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Detail   string `json:"detail"`
}

// Error tells command, code and output.
func (e *ExitError) Error() string {
	return fmt.Sprintf("terraform %s: exit code %d\n%s", strings.Join(e.Args, " "), e.Code, e.Output)
}

// Quote is what the provider would show of an error of Terraform's: summary and detail of each, one a line.
// Source: crossplane/upjet v2.2.0, pkg/terraform/errors/errors.go.
func (e *ExitError) Quote() string {
	lines := make([]string, len(e.Diagnostics))
	for i, d := range e.Diagnostics {
		lines[i] = d.Summary + ": " + d.Detail
	}

	return strings.Join(lines, "\n")
}

// run runs Terraform and returns what it says to a person.
func (w *Workspace) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, w.tf.program, args...)
	cmd.Dir, cmd.Env = w.dir, w.tf.env
	out, err := cmd.CombinedOutput()

	exit := &exec.ExitError{}
	switch {
	case errors.As(err, &exit):
		return string(out), &ExitError{Args: args, Code: exit.ExitCode(), Output: string(out)}
	case err != nil:
		return "", fmt.Errorf("cannot run terraform: %w", err)
	}

	return string(out), nil
}

// A Report is what Terraform's log tells of a run.
type Report struct {
	// Planned is true if there was a plan, so that an error is one of carrying it out.
	Planned bool
	// Changes is how many resources were to be made or changed.
	Changes int
}

// logged runs Terraform as the provider does, with its log in JSON, and tells errors apart.
func (w *Workspace) logged(ctx context.Context, args ...string) (Report, error) {
	out, err := w.run(ctx, append(args, "-json")...)

	exit := &ExitError{}
	failed := errors.As(err, &exit)
	exit.Output = ""
	r := Report{}

	for line := range strings.Lines(out) {
		entry := struct {
			Diagnostic Diagnostic `json:"diagnostic"`
			Changes    *struct {
				Add       int    `json:"add"`
				Change    int    `json:"change"`
				Operation string `json:"operation"`
			} `json:"changes"`
		}{}

		switch {
		case json.Unmarshal([]byte(line), &entry) != nil:
			// A fault that Terraform does not log, such as a plugin that crashes, stands there as it is.
			exit.Output += line
		case entry.Diagnostic.Severity == "error":
			exit.Diagnostics = append(exit.Diagnostics, entry.Diagnostic)
			exit.Output += "Error: " + entry.Diagnostic.Summary + "\n\n" + entry.Diagnostic.Detail + "\n"
		case entry.Changes != nil && entry.Changes.Operation == "plan":
			r = Report{Planned: true, Changes: entry.Changes.Add + entry.Changes.Change}
		}
	}

	if !failed {
		return r, err
	}

	return r, exit
}
