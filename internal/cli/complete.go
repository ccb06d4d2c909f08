package cli

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/kubectl"
)

// completeFlags has the shell complete the values of a command's flags: those that the program knows, and those of the cluster or the catalogue. A command
// that completes a flag itself keeps that.
func completeFlags(cmd *cobra.Command, s Streams) {
	known := map[string]func(cmd *cobra.Command) []string{
		"flavour":   func(*cobra.Command) []string { return catalog.Flavours() },
		"context":   contexts,
		"namespace": namespaces,
		"site":      func(cmd *cobra.Command) []string { return siteNames(cmd, s) },
	}

	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if c, ok := f.Value.(*choice); ok {
			completeWords(cmd, f.Name, c.words)
		}
	})

	for name, values := range known {
		if cmd.Flags().Lookup(name) == nil {
			continue
		}

		_ = cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return beginning(values(cmd), "", typed), cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// clientOf the cluster that the flags of a command name.
func clientOf(cmd *cobra.Command) kubectl.Client {
	text := func(name string) string {
		v, err := cmd.Flags().GetString(name)
		if err != nil {
			return ""
		}

		return v
	}

	return kubectl.Client{Kubeconfig: text("kubeconfig"), Context: text("context")}
}

// contexts of the kubeconfig; none where there is no kubectl.
func contexts(cmd *cobra.Command) []string {
	names, err := clientOf(cmd).Contexts(contextOf(cmd))
	if err != nil {
		return nil
	}

	return names
}

// namespaces of the cluster; none where it does not answer.
func namespaces(cmd *cobra.Command) []string {
	printed, err := clientOf(cmd).Print(contextOf(cmd), "namespaces", "--output=jsonpath={.items[*].metadata.name}")
	if err != nil {
		return nil
	}

	return strings.Fields(string(printed))
}

// siteNames of the catalogue that a person names, or of the one in this folder.
func siteNames(cmd *cobra.Command, s Streams) []string {
	path, err := cmd.Flags().GetString("catalogue")
	if err != nil {
		return nil
	}

	if path = cmp.Or(path, "catalogue.yaml"); path == "-" {
		return nil
	}

	if _, err := os.Stat(path); err != nil {
		return nil
	}

	cat, err := catalogueAt(path, s)
	if err != nil {
		return nil
	}

	return slices.Sorted(maps.Keys(cat.Sites))
}
