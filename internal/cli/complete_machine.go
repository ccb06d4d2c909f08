package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/homelab-io/function-proxmox-machine/internal/why"
)

// complete the name of a machine, from the cluster or the file: with its kind where the kind is typed, or two have the name.
func (f *machineFlags) complete(s Streams) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 || f.observed == "-" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}

		get := getFlags{clusterFlags: f.clusterFlags}

		lines, err := get.lines(contextOf(cmd), s)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}

		return beginning(namesOf(lines, strings.Contains(typed, "/")), "", typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// namesOf machines, as `kubectl machine why` takes them.
func namesOf(lines []why.Line, typed bool) []string {
	named := map[string]int{}
	for _, l := range lines {
		named[l.Name]++
	}

	var out []string

	for _, l := range lines {
		if typed || named[l.Name] > 1 {
			out = append(out, strings.ToLower(l.Kind)+"/"+l.Name)
		} else {
			out = append(out, l.Name)
		}
	}

	slices.Sort(out)

	return slices.Compact(out)
}

// beginning are the values that begin as typed, each behind what stands before.
func beginning(values []string, before, typed string) []string {
	var out []string

	for _, v := range values {
		if strings.HasPrefix(v, typed) {
			out = append(out, before+v)
		}
	}

	return out
}

// contextOf a command; one that completes has none of its own.
func contextOf(cmd *cobra.Command) context.Context {
	if ctx := cmd.Context(); ctx != nil {
		return ctx
	}

	return context.Background()
}
