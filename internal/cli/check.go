package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/installation"
	"github.com/homelab-io/function-proxmox-machine/internal/kubectl"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/version"
)

// checkFlags are the flags of check.
type checkFlags struct {
	clusterFlags

	output  string
	proxmox bool
}

// newCheck is `kubectl machine check`.
func newCheck(s Streams) *cobra.Command {
	f := &checkFlags{}

	cmd := &cobra.Command{
		Use:   "check",
		Short: "Say whether a cluster has what this project needs, and what is not healthy",
		Long: "Check the versions of Kubernetes, Crossplane, provider and packages and whether they go together, the provider's configuration and its Secret, the catalogue, " +
			"and which machines need a person; each with the command that mends it or says more. It only reads, and prints no value of a Secret.\n\n" +
			"With --proxmox it also tries the credentials of each site, from this computer: whether Proxmox takes the token, whether the token has its privileges, whether there " +
			"are the nodes and datastores of the catalogue with their content types and the names of the datacenter's firewall that it lists, which VMIDs Proxmox proposes for other VMs, " +
			"and whether each node takes the user and key of SSH and lets that user write snippets.",
		Example: "  kubectl machine check\n  kubectl machine check --proxmox\n  kubectl machine check -n infra-machines -o json",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), s) },
	}

	f.add(cmd)
	cmd.Flags().Lookup("namespace").Usage = "only the machines of this namespace; default: those of all"
	outputFlag(cmd.Flags(), &f.output, "text or json", formatText, formatJSON)
	cmd.Flags().BoolVar(&f.proxmox, "proxmox", false, "try the credentials of each site against Proxmox's API, and compare the catalogue with what is there")

	return cmd
}

func (f *checkFlags) run(ctx context.Context, s Streams) error {
	cluster, err := f.cluster(ctx, s)
	if err != nil {
		return err
	}

	if f.proxmox {
		cluster.Proxmox, cluster.SSH = askProxmox(ctx), runOnNode(ctx)
	}

	findings := installation.Judge(cluster)

	if err := f.print(s, findings); err != nil {
		return err
	}

	for _, found := range findings {
		if found.State == installation.Fault {
			return &ExitError{Code: ExitFound}
		}
	}

	return nil
}

// marks of the states, as Flux and others have them.
var marks = map[installation.State]string{ //nolint:gochecknoglobals // A constant table.
	installation.OK: "✔", installation.Warning: "!", installation.Fault: "✗", installation.Unknown: "?",
}

// shades of the marks.
var shades = map[installation.State]colour{ //nolint:gochecknoglobals // A constant table.
	installation.OK: green, installation.Warning: yellow, installation.Fault: red, installation.Unknown: yellow,
}

func (f *checkFlags) print(s Streams, findings []installation.Finding) error {
	if f.output == formatJSON {
		return encode(s.Out, findings)
	}

	for i, found := range findings {
		text := fmt.Sprintf("%s %s: %s\n", s.paint(shades[found.State], marks[found.State]), found.Check, found.Says)
		// What mends several findings that follow each other stands once, behind the last of them.
		if last := i+1 == len(findings) || findings[i+1].Fix != found.Fix; last && found.Fix != "" {
			text += "    " + found.Fix + "\n"
		}

		if _, err := io.WriteString(s.Out, text); err != nil {
			return errors.Wrap(err, "cannot print what was found")
		}
	}

	return nil
}

// cluster is what was read, of a cluster or of a file.
func (f *checkFlags) cluster(ctx context.Context, s Streams) (installation.Cluster, error) {
	out := installation.Cluster{Program: version.String(), Namespace: f.namespace, Unread: map[string]bool{}}

	if f.observed != "" {
		objects, err := objectsIn(f.observed, s)
		if err == nil && !slices.ContainsFunc(objects, isOfInstallation) {
			err = errors.Errorf("%s has nothing of an installation, such as Providers, Functions and CompositeResourceDefinitions, as kubectl get -o yaml prints them; "+
				"without --observed, the cluster is read", manifest.Shown(f.observed))
		}

		out.Objects = objects
		out.Secret = func(namespace, name string) (*unstructured.Unstructured, error) {
			for i, o := range objects {
				if o.GetKind() == "Secret" && o.GetNamespace() == namespace && o.GetName() == name {
					return &objects[i], nil
				}
			}

			return nil, nil //nolint:nilnil // There is none.
		}

		return out, err
	}

	client := f.client()
	out.Secret = func(namespace, name string) (*unstructured.Unstructured, error) {
		found, err := client.Get(ctx, "secrets", name, "--ignore-not-found", "--namespace="+namespace)
		if err != nil || len(found) == 0 {
			return nil, errors.Wrap(err, "cannot read the Secret")
		}

		return &found[0], nil
	}

	printed, err := client.Print(ctx, "--raw", "/version")
	if err != nil {
		return out, errors.Wrap(err, "cannot read from the cluster")
	}

	var server struct{ GitVersion string }
	if err := json.Unmarshal(printed, &server); err != nil {
		return out, errors.Wrap(err, "cannot read the version of Kubernetes")
	}

	out.Kubernetes = server.GitVersion

	return out, f.readAll(ctx, client, &out)
}

// isOfInstallation says whether an object is one of Crossplane, its packages or what they bring: a file without any is of something else.
func isOfInstallation(o unstructured.Unstructured) bool {
	group := o.GroupVersionKind().Group

	return o.GetKind() == "Deployment" || group == "pkg.crossplane.io" || group == "apiextensions.crossplane.io" && o.GetKind() != "EnvironmentConfig"
}

const catalogues = "environmentconfigs.apiextensions.crossplane.io"

// readAll objects that are judged.
func (f *checkFlags) readAll(ctx context.Context, client kubectl.Client, out *installation.Cluster) error {
	type question struct {
		kind string
		args []string
	}

	questions := []question{
		{"deployments.apps", []string{"--all-namespaces", "--selector=app=crossplane"}},
		{"providers.pkg.crossplane.io", nil},
		{"deploymentruntimeconfigs.pkg.crossplane.io", nil},
		{"imageconfigs.pkg.crossplane.io", nil},
		{"configurations.pkg.crossplane.io", nil},
		{"functions.pkg.crossplane.io", nil},
		{"compositions.apiextensions.crossplane.io", nil},
		{"compositeresourcedefinitions.apiextensions.crossplane.io", nil},
		{"managedresourcedefinitions.apiextensions.crossplane.io", append(installation.Definitions(), "--ignore-not-found")},
		{catalogues, []string{lint.DefaultCatalogue, "--ignore-not-found"}},
		{catalogues, nil}, // A catalogue of another name is to be named. Who may read the right one only needs no more.
		{"providerconfigs.proxmoxbpg.crossplane.io", nil},
		{"clusterproviderconfigs.proxmoxbpg.m.crossplane.io", nil},
		{"providerconfigs.proxmoxbpg.m.crossplane.io", []string{"--all-namespaces"}},
	}

	if served := f.served(ctx); len(served) > 0 {
		scope := "--all-namespaces"
		if f.namespace != "" {
			scope = "--namespace=" + f.namespace
		}

		questions = append(questions, question{strings.Join(served, ","), []string{scope}})
	}

	for _, q := range questions {
		found, err := client.Get(ctx, q.kind, q.args...)

		switch {
		case isUnknown(err):
		case isForbidden(err) && q.kind == catalogues && q.args == nil:
		case isForbidden(err):
			out.Unread[q.kind] = true
		case err != nil:
			return errors.Wrap(err, "cannot read from the cluster")
		}

		out.Objects = append(out.Objects, found...)
	}

	return nil
}
