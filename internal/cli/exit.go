package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// An ExitCode is what the process ends with. docs/kubectl-machine.md documents them.
type ExitCode int

// The exit codes of all commands.
const (
	ExitOK     ExitCode = 0
	ExitFailed ExitCode = 1 // A file cannot be read, a claim is refused, the cluster does not answer.
	ExitUsage  ExitCode = 2 // The command line is wrong.
	ExitFound  ExitCode = 3 // The command found what it was to fail on: a plan with an effect of --fail-on, faults of a claim.
	ExitWaits  ExitCode = 4 // A rehearsal waits for a person.
	ExitHarm   ExitCode = 5 // Something that goes wrong in a rehearsal, or a deletion in it, does a harm of --fail-on.
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

// execute a command with these arguments.
func execute(ctx context.Context, root *cobra.Command, args []string, s Streams) ExitCode {
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	strictly(root) // What Cobra adds prints to what is set above.
	once(root)

	begun := false
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		begun = true

		return refuseFlags(cmd)
	}

	err := oneHyphened(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}

	if err == nil {
		return ExitOK
	}

	var exit *ExitError

	switch {
	case errors.As(err, &exit):
	case begun:
		exit = &ExitError{Code: ExitFailed, Err: err}
	default: // For instance, a command that there is none of.
		exit = &ExitError{Code: ExitUsage, Err: unknownCommand(root, err)}
	}

	if exit.Err != nil {
		_, _ = fmt.Fprintf(s.Err, "kubectl machine: %v\n", exit.Err)
	}

	return exit.Code
}

// isNamedCatalogue says whether a file has the name of a catalogue.
func isNamedCatalogue(file string) bool {
	return strings.Contains(strings.ToLower(filepath.Base(file)), "catalog")
}

// noArguments refuses arguments: what to read is named with -f.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		remedy := "name files and folders with -f, such as " + cmd.Name() + " -f " + message.Excerpt(args[0])

		// The shell has put many names in place of *.yaml.
		if f := cmd.Flags().Lookup("file"); f == nil {
			remedy = "it takes flags only, which " + helpOf(cmd) + " lists; `kubectl machine why NAME` is about one machine"
		} else if flag := meantForm("flag", args[0]); flag != "" {
			remedy = "begins with the dash of a word processor: write " + flag
		} else if isNamedCatalogue(args[0]) && cmd.Name() != "lint" && cmd.Flags().Lookup("catalogue") != nil {
			remedy = "a catalogue is named with --catalogue, and claims with -f: " + cmd.Name() + " --catalogue " + message.Excerpt(args[0])
		} else if f.Changed {
			remedy = "write -f in front of each file, or name their folder, such as -f ."
		}

		return &ExitError{Code: ExitUsage, Err: errors.Errorf("unexpected argument %q of %s: %s", args[0], cmd.Name(), remedy)}
	}

	return nil
}
