package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/why"
)

// newWhy is `kubectl machine why`.
func newWhy(s Streams) *cobra.Command {
	f := &clusterFlags{}

	cmd := &cobra.Command{
		Use:     "why NAME",
		Short:   "Say what a machine waits for, since when, and what to do",
		Example: "  kubectl machine why dns01\n  kubectl machine why k3snode/server-2 -n infra-machines\n  kubectl get machines.homelab.io dns01 -o yaml | kubectl machine why dns01 --observed -",
		Args:    oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			machine, _, err := f.machine(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}

			story := why.Explain(machine, s.Now())

			_, err = fmt.Fprintln(s.Out, story.Text)
			if err != nil {
				return errors.Wrap(err, "cannot print")
			}

			if story.Waits {
				return &ExitError{Code: ExitFound}
			}

			return nil
		},
	}

	f.add(cmd)

	return cmd
}

// oneName demands the name of one machine.
func oneName(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return &ExitError{Code: ExitUsage, Err: errors.Errorf("name one machine, such as kubectl machine %s dns01", cmd.Name())}
	}

	return nil
}

func readStream(s Streams) ([]byte, error) {
	if s.In == nil {
		return nil, errors.New("there is no standard input")
	}

	data, err := io.ReadAll(s.In)

	return data, errors.Wrap(err, "cannot read standard input")
}
