package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/why"
)

// newWhy is `kubectl machine why`.
func newWhy(s Streams) *cobra.Command {
	f := &machineFlags{}

	cmd := &cobra.Command{
		Use:   "why NAME",
		Short: "Say what a machine waits for, since when, and what to do",
		Example: "  kubectl machine why dns01\n  kubectl machine why k3snode/server-2 -n infra-machines\n  kubectl get machines.homelab.io dns01 -o yaml | kubectl machine why dns01 --observed -\n" +
			"  kubectl machine why dns01 -A -o json | jq -r '.waits[].todo'",
		Args: oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			machine, _, err := f.machine(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}

			story := why.Explain(machine, s.Now())

			if err := f.tell(s, machine, story); err != nil {
				return err
			}

			if story.Waits {
				return &ExitError{Code: ExitFound}
			}

			return nil
		},
	}

	f.add(cmd, s)

	return cmd
}

// A toldStory is what -o json prints: the line of `kubectl machine get -o json`, and the paragraph.
type toldStory struct {
	why.Line

	Text string `json:"text"`
}

func (f *machineFlags) tell(s Streams, machine unstructured.Unstructured, story why.Story) error {
	if f.output == formatJSON {
		return encode(s.Out, toldStory{why.LineOf(machine), story.Text})
	}

	_, err := fmt.Fprintln(s.Out, story.Text)

	return errors.Wrap(err, "cannot print")
}
