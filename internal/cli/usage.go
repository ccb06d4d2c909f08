package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// found is what exit code 3 means for the commands that have it, by their names.
var found = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"rehearse":   "it is stuck: it does not come to rest, or what must never happen does\n  4  it waits for a person\n  5  a fault does something of --fail-on",
	"plan":       "the plan has an effect of --fail-on",
	"lint":       "there are faults",
	"check":      "something needs a person",
	"why":        "the machine waits for something",
	"privileges": "--check has found that privileges are missing, or that Proxmox proposes VMIDs of the catalogue",
	"tenancy":    "there is something outside of the rules",
	"init":       "the catalogue that was written has faults",
	"adopt":      "a VM or a container cannot be adopted as it is, or a claim has faults",
}

// annotationExit is that of a command with its exit codes.
const annotationExit = "exit-codes"

// explain a command's exit codes at the end of its help.
func explain(cmd *cobra.Command) {
	const indent = "\n  "

	codes := "  0  all is well" + indent + "1  a file cannot be read, a claim has faults, or the cluster does not answer" + indent + "2  the command line is wrong"
	if three := found[cmd.Name()]; three != "" {
		codes += indent + "3  " + three
	}

	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}

	cmd.Annotations[annotationExit] = codes
	cmd.SetUsageTemplate(cmd.UsageTemplate() + `{{with index .Annotations "` + annotationExit + `"}}
Exit codes:
{{.}}
{{end}}`)
}

// ExitCodes of a command and what they mean, one a line; empty for what has none of its own.
func ExitCodes(cmd *cobra.Command) string { return cmd.Annotations[annotationExit] }

var unknownFlag = regexp.MustCompile(`^unknown flag: --([^\s=]+)`)

// wrongFlag is the error of a flag that cannot be read, with the flag that was probably meant.
func wrongFlag(cmd *cobra.Command, err error) error {
	if stated := (*ExitError)(nil); errors.As(err, &stated) {
		return stated
	}

	if wrong := (*pflag.InvalidValueError)(nil); errors.As(err, &wrong) {
		return &ExitError{Code: ExitUsage, Err: wrongValue(wrong)}
	}

	m := unknownFlag.FindStringSubmatch(err.Error())
	if m == nil {
		return &ExitError{Code: ExitUsage, Err: wrongShorthand(cmd, err)}
	}

	var names []string

	add := func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	}

	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	slices.Sort(names)

	return &ExitError{Code: ExitUsage, Err: errors.Errorf("unknown flag --%s: %s", message.Excerpt(m[1]), meantFlag(cmd, m[1], names))}
}

// addKubeconfig adds the flags of the cluster that kubectl is to ask.
func addKubeconfig(flags *pflag.FlagSet, kubeconfig, context *string) {
	flags.StringVar(kubeconfig, "kubeconfig", "", "kubeconfig of the cluster, for kubectl")
	flags.StringVar(context, "context", "", "context of the kubeconfig, for kubectl")
}

// checkFailOn checks the values of --fail-on, which are of one kind.
func checkFailOn(kind string, typed, known []string) error {
	for _, name := range typed {
		if !slices.Contains(known, name) {
			return &ExitError{Code: ExitUsage, Err: errors.Errorf("unknown %s %q of --fail-on: want some of %s", kind, name, strings.Join(known, ", "))}
		}
	}

	return nil
}

// wordsOf a type, as a flag has them.
func wordsOf[T ~string](words []T) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		out = append(out, string(w))
	}

	return out
}

// unknownOutput is the error of a value of -o that a command does not have.
func unknownOutput(typed string, known []string) error {
	if strings.HasPrefix(typed, "ut=") || typed == "ut" { // Terraform's plan -out=FILE.
		return &ExitError{Code: ExitUsage, Err: errors.New("unknown flag -out: nothing is kept for later, and Flux or kubectl apply what Git has; -o says in which form the answer is, and > FILE keeps it")}
	}

	text := fmt.Sprintf("unknown output %q: want one of %s", typed, strings.Join(known, ", "))
	if meant := message.Meant(typed, known); meant != "" {
		text += "; did you mean " + meant + "?"
	}

	return &ExitError{Code: ExitUsage, Err: errors.New(text)}
}
