package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/adopt"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// newAdopt is `kubectl machine adopt`.
func newAdopt(s Streams) *cobra.Command {
	o := adopt.Options{}
	config := manifest.Stdin

	cmd := &cobra.Command{
		Use:   "adopt VMID",
		Short: "Write the claim that adopts a VM which somebody made by hand",
		Long: "Adopt writes the claim of an existing VM from its configuration in Proxmox, and says what keeps the VM from being adopted. The claim changes nothing: " +
			"apply it, read the plan in status.adoption, and approve it.",
		Example: "  ssh root@pve pvesh get /nodes/pve/qemu/108/config --output-format json | kubectl machine adopt 108 > nas.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &ExitError{Code: ExitUsage, Err: errors.New("name the VMID, such as kubectl machine adopt 108")}
			}

			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil || id < 100 || id > 999999999 {
				return &ExitError{Code: ExitUsage, Err: errors.Errorf("%q is no VMID: VMIDs are numbers from 100 to 999999999", args[0])}
			}

			return writeAdoption(s, id, config, o)
		},
	}

	cmd.Flags().StringVar(&config, "config", manifest.Stdin, "file with the VM's configuration, as pvesh prints it; - for standard input")
	cmd.Flags().StringVar(&o.Name, "name", "", "name of the claim; default: the VM's")
	cmd.Flags().StringVarP(&o.Namespace, "namespace", "n", "default", "namespace of the claim")
	cmd.Flags().BoolVar(&o.Stopped, "stopped", false, "keep a stopped VM stopped; otherwise the provider starts it")

	return cmd
}

func writeAdoption(s Streams, id int64, config string, o adopt.Options) error {
	data, err := readAll(config, s)
	if err != nil {
		return err
	}

	vm, err := adopt.Read(bytes.NewReader(data), id)
	if err != nil {
		return err
	}

	if unfit := vm.Unfit(); unfit != "" {
		return &ExitError{Code: ExitFound, Err: errors.Errorf("VM %d cannot be adopted as it is. %s", id, unfit)}
	}

	claim, err := vm.Claim(o)
	if err != nil {
		return err
	}

	if _, err := s.Out.Write(claim); err != nil {
		return errors.Wrap(err, "cannot print the claim")
	}

	for _, caution := range vm.Cautions() {
		_, _ = fmt.Fprintln(s.Err, "# "+caution)
	}

	report := lint.Check([]manifest.Raw{{File: cmp.Or(o.Name, "claim"), Documents: manifest.RawDocuments(claim)}}, nil, lint.Options{})

	for _, fault := range report.Faults {
		if fault.Severity == lint.Error {
			_, _ = fmt.Fprintln(s.Err, fault)
		}
	}

	if report.Refused() > 0 {
		return &ExitError{Code: ExitFound, Err: errors.New("the claim has faults: correct them before you apply it")}
	}

	return nil
}
