package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/version"
)

// newVersion is `kubectl machine version`.
func newVersion(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Long: "Print the version of this program. The function in a cluster can have another one: its Function package says which.\n\n" +
			"A program that was built from a checkout says unreleased.",
		Example: "  kubectl machine version",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(s.Out, "kubectl-machine %s %s/%s\n", version.String(), runtime.GOOS, runtime.GOARCH)

			return errors.Wrap(err, "cannot print the version")
		},
	}
}
