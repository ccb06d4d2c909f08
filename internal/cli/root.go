// Package cli is the command line `kubectl machine`, a file for each command. The commands read files and print; what becomes of a claim
// is decided by the function, which internal/preview calls.
package cli

import (
	"context"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/homelab-io/function-proxmox-machine/internal/version"
)

// Run the command line with these arguments, and return what the process is to end with.
func Run(ctx context.Context, args []string, s Streams) ExitCode {
	return execute(ctx, newRoot(s), args, s) //nolint:contextcheck // Cobra hands the context to the commands.
}

// Commands of the command line, for who writes pages about them. They read and print nothing.
func Commands() *cobra.Command { return newRoot(Streams{}) }

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
