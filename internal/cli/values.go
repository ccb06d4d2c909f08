package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// exclusive are flags of which a command line has one: what the other one says would be passed over without a word. A command need not have both. Where the
// other one says no more than what is so anyway, nothing is passed over.
var exclusive = []struct{ one, other, why, anyway string }{ //nolint:gochecknoglobals // A constant table.
	{"before", "observed", "both say what there is", ""},
	{"before", "context", "with --before no cluster is asked", ""},
	{"before", "kubeconfig", "with --before no cluster is asked", ""},
	{"observed", "context", "with --observed no cluster is asked", ""},
	{"observed", "kubeconfig", "with --observed no cluster is asked", ""},
	{"observed", "watch", "a file does not change", ""},
	{"all-namespaces", "namespace", "-A means all namespaces", ""},
	{"delete", "prune", "one deletes the claims of -f, and the other one what is not among them", ""},
	{"faults", "until", "each rehearsal with a fault is played to its end", ""},
	{"faults", "step", "each rehearsal with a fault is played to its end", ""},
	{"step", "until", "one shows the world after a step, and the other one all steps before it", ""},
	{"output-dir", "output", "a folder gets YAML, a file for each claim", "yaml"},
	{"script", "from", "the script asks Proxmox, and what it prints is for another call", ""},
	{"script", "config", "the script asks Proxmox, and what it prints is for another call", ""},
}

// refuseFlags refuses what a person typed and no command can have been asked for with: flags that exclude each other, a flag that is there and has nothing
// behind it, as `--before "$FILE"` has without the variable, and standard input for two files.
func refuseFlags(cmd *cobra.Command) error {
	flags := cmd.Flags()

	for _, e := range exclusive {
		if flags.Changed(e.one) && flags.Changed(e.other) && (e.anyway == "" || flags.Lookup(e.other).Value.String() != e.anyway) {
			return &ExitError{Code: ExitUsage, Err: errors.Errorf("--%s and --%s exclude each other: %s", e.one, e.other, e.why)}
		}
	}

	var (
		empty string
		stdin []string
	)

	flags.Visit(func(f *pflag.Flag) {
		values := valuesOf(f)
		if slices.Contains(values, "") {
			empty = f.Name
		}

		if slices.Contains(values, manifest.Stdin) {
			stdin = append(stdin, "--"+f.Name)
		}
	})

	switch {
	case empty != "":
		return &ExitError{Code: ExitUsage, Err: errors.Errorf("--%s is empty: write a value, or leave the flag out; a variable of the shell that is not set is empty, too", empty)}
	case len(stdin) > 1:
		return &ExitError{Code: ExitUsage, Err: errors.Errorf("standard input, -, can be one file only, and %s name it", strings.Join(stdin, " and "))}
	}

	return nil
}

// valuesOf a flag for text, as a person typed them. Only what a plan or a rehearsal fails on may be nothing, as a workflow has it that passes on an input.
func valuesOf(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values := list.GetSlice()
		if len(values) == 0 && f.Name != "fail-on" {
			values = []string{""}
		}

		return values
	}

	if f.Value.Type() == "string" {
		return []string{f.Value.String()}
	}

	return nil
}

// wrongValue is the error of a value that a flag does not take, in words about the value.
func wrongValue(e *pflag.InvalidValueError) error {
	must := e.Unwrap().Error()

	switch e.GetFlag().Value.Type() {
	case "bool":
		must = "must be true or false, or left out"
	case "int":
		must = "must be a whole number"
		if meant := meantForm("int", e.GetValue()); meant != "" {
			must += ": write " + meant
		}
	case "duration":
		must = "must be whole seconds with their unit, such as 40s or 2m"
	}

	return errors.Errorf("--%s %q: %s", e.GetFlag().Name, e.GetValue(), must)
}
