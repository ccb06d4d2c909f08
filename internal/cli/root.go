// Package cli is the command line `kubectl machine`, a file for each command. The commands read files and print; what becomes of a claim
// is decided by the function, which internal/preview calls.
package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/version"
)

// Streams are where a command reads and prints.
type Streams struct {
	In  io.Reader
	Out io.Writer // What was asked for.
	Err io.Writer // Progress, remarks and errors.

	Now func() time.Time // For how long something lasts.

	colour    *colourMode       // Of --color; nil is automatic.
	transport http.RoundTripper // For the URLs of -f; nil is Go's own.
}

// An ExitCode is what the process ends with. docs/kubectl-machine.md documents them.
type ExitCode int

// The exit codes of all commands.
const (
	ExitOK     ExitCode = 0
	ExitFailed ExitCode = 1 // A file cannot be read, a claim is refused, the cluster does not answer.
	ExitUsage  ExitCode = 2 // The command line is wrong.
	ExitFound  ExitCode = 3 // The command found what it was to fail on: a plan with an effect of --fail-on, faults of a claim.
	ExitWaits  ExitCode = 4 // A rehearsal waits for a person.
	ExitHarm   ExitCode = 5 // Something that goes wrong in a rehearsal does a harm of --fail-on.
)

// An ExitError is an error that ends the process with a code of its own. Without Err nothing is printed: the command has said it all.
type ExitError struct {
	Code ExitCode
	Err  error
}

// Error is the text of the error within, or that there is none.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}

	return e.Err.Error()
}

// Unwrap is the error within.
func (e *ExitError) Unwrap() error { return e.Err }

// Run the command line with these arguments, and return what the process is to end with.
func Run(ctx context.Context, args []string, s Streams) ExitCode {
	return execute(ctx, newRoot(s), args, s) //nolint:contextcheck // Cobra hands the context to the commands.
}

// Commands of the command line, for who writes pages about them. They read and print nothing.
func Commands() *cobra.Command { return newRoot(Streams{}) }

// execute a command with these arguments.
func execute(ctx context.Context, root *cobra.Command, args []string, s Streams) ExitCode {
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)

	begun := false
	root.PersistentPreRun = func(*cobra.Command, []string) { begun = true }

	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitOK
	}

	var exit *ExitError

	switch {
	case errors.As(err, &exit):
	case begun:
		exit = &ExitError{Code: ExitFailed, Err: err}
	default: // For instance, a command that there is none of.
		exit = &ExitError{Code: ExitUsage, Err: err}
	}

	if exit.Err != nil {
		_, _ = fmt.Fprintf(s.Err, "kubectl machine: %v\n", exit.Err)
	}

	return exit.Code
}

func newRoot(s Streams) *cobra.Command {
	s, addColour := withColour(s)

	root := &cobra.Command{
		Use:   "kubectl-machine",
		Short: "Machines on Proxmox VE from short claims: what would a claim make, and what would an edit do?",
		Annotations: map[string]string{
			cobra.CommandDisplayNameAnnotation: "kubectl machine",
		},
		SilenceUsage:  true, // An error names its fault; the usage would push it off the screen.
		SilenceErrors: true, // Run prints them.
	}

	root.SetFlagErrorFunc(wrongFlag)
	root.Version = version.String()
	root.SetVersionTemplate("kubectl-machine {{.Version}} " + runtime.GOOS + "/" + runtime.GOARCH + "\n")
	addColour(root)

	root.AddCommand(
		newRender(s), newPlan(s), newRehearse(s), newLint(s, nil), newGet(s), newCheck(s), newWhy(s), newTrace(s), newCapacity(s), newTenancy(s),
		newPrivileges(s), newInit(s), newAdopt(s), newVersion(s),
	)

	for _, cmd := range root.Commands() {
		explain(cmd)
		completeFlags(cmd, s)
	}

	return root
}

// noArguments refuses arguments: what to read is named with -f.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &ExitError{Code: ExitUsage, Err: errors.Errorf("unexpected argument %q of %s: name files and folders with -f", args[0], cmd.Name())}
	}

	return nil
}
