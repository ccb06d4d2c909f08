package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/reach"
)

// tenancyFlags are the flags of `kubectl machine tenancy`. It reads what capacity reads, and claims.
type tenancyFlags struct {
	capacityFlags

	files     []string
	namespace string
}

// newTenancy is `kubectl machine tenancy`.
func newTenancy(s Streams) *cobra.Command {
	f := &tenancyFlags{}

	cmd := &cobra.Command{
		Use:   "tenancy",
		Short: "Show what each tenant can reach, what it uses of its quota, and what is outside of its rules",
		Long: `Show for each tenant of the catalogue what the claims in its namespaces can reach, what they use of the quota, and what of them the rules
would refuse today.

The rules refuse new machines and edits only: what is outside of the rules stays as it is. The function's own rules judge; a claim with another fault
is listed as not judged. With -f and without --observed the command judges the claims of the files as new ones, and asks no cluster for what there is.`,
		Example: "  kubectl machine tenancy\n  kubectl machine tenancy -n team-b -o yaml\n" +
			"  kubectl machine tenancy --catalogue catalogue.yaml # what of the cluster would be outside of other rules\n" +
			"  kubectl machine tenancy -f team-b/ --catalogue catalogue.yaml # before a commit, without a cluster",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), s) },
	}

	flags := cmd.Flags()
	flags.StringSliceVarP(&f.files, "file", "f", nil, "file or folder with claims, or - for standard input")
	flags.StringVarP(&f.namespace, "namespace", "n", "", "show the tenant of this namespace, and what of the namespace is outside of the rules; default: all")
	flags.StringVar(&f.observed, "observed", "", "file with what there is, as kubectl get -o yaml prints it, in place of the cluster; - for standard input")
	addKubeconfig(flags, &f.kubeconfig, &f.context)
	flags.StringVar(&f.catalogue, "catalogue", "", "file or folder with the catalogue, in place of EnvironmentConfig "+lint.DefaultCatalogue+
		" of the cluster, or of the one beside the claims")
	outputFlag(flags, &f.output, "what to print: text, json or yaml", outputText, outputJSON, outputYAML)

	return cmd
}

func (f *tenancyFlags) run(ctx context.Context, s Streams) error {
	if f.observed == manifest.Stdin && slices.Contains(f.files, manifest.Stdin) {
		return &ExitError{Code: ExitUsage, Err: errors.New("standard input, -, can be one file only")}
	}

	cat, objects, err := f.read(ctx, s)
	if err != nil {
		return err
	}

	report, err := reach.Of(catalog.Merge(catalog.BuiltIn(), cat), objects)
	if err != nil {
		return err
	}

	if f.namespace != "" {
		report = report.In(cat.Tenancy, f.namespace)
	}

	if err := f.print(s, cat.Tenancy != nil, report); err != nil {
		return err
	}

	if report.IsOutside() {
		return &ExitError{Code: ExitFound}
	}

	return nil
}

// read the catalogue and what there is, with the claims of the files in place of those that there are.
func (f *tenancyFlags) read(ctx context.Context, s Streams) (catalog.Catalog, []unstructured.Unstructured, error) {
	var (
		claims  []preview.Claim
		objects []unstructured.Unstructured
	)

	if len(f.files) > 0 {
		// A claim is the same in all flavours.
		configuration, err := preview.Load(catalog.DefaultFlavour)
		if err != nil {
			return catalog.Catalog{}, nil, err
		}

		if claims, err = readClaims(configuration, f.files, f.catalogue, s.In); err != nil {
			return catalog.Catalog{}, nil, err
		}
	}

	if len(f.files) == 0 || f.observed != "" {
		var err error
		if objects, err = f.objects(ctx, s); err != nil {
			return catalog.Catalog{}, nil, err
		}
	}

	var (
		cat catalog.Catalog
		err error
	)

	if among := slices.ContainsFunc(objects, func(o unstructured.Unstructured) bool { return o.GetKind() == catalogueKind }); len(f.files) > 0 && !among {
		cat, err = (&privilegesFlags{catalogue: f.catalogue, kubeconfig: f.kubeconfig, context: f.context}).read(ctx, s, claims)
	} else {
		cat, err = f.sites(s, objects)
	}

	return cat, inPlace(objects, claims), err
}

// inPlace are objects with claims of files in place of what they ask for now. A composite keeps its name, and what Crossplane wrote into it.
func inPlace(objects []unstructured.Unstructured, claims []preview.Claim) []unstructured.Unstructured {
	for _, c := range claims {
		wanted, found := claim.Decode(c.Object.Object).Identity, false

		for _, o := range objects {
			if is := claim.Decode(o.Object).Identity; is.Name == "" || is.Kind != wanted.Kind || is.Namespace != wanted.Namespace || is.Name != wanted.Name {
				continue
			}

			found = true
			spec, _, _ := unstructured.NestedMap(c.Object.Object, "spec")

			for _, name := range []string{"claimRef", "resourceRef"} {
				if ref, is, _ := unstructured.NestedMap(o.Object, "spec", name); is {
					spec[name] = ref
				}
			}

			o.Object["spec"] = spec
		}

		if !found {
			objects = append(objects, c.Object)
		}
	}

	return objects
}

func (f *tenancyFlags) print(s Streams, ruled bool, r reach.Report) error {
	switch f.output {
	case outputJSON:
		return encode(s.Out, r)
	case outputYAML:
		b, err := yaml.Marshal(r)
		if err == nil {
			_, err = s.Out.Write(b)
		}

		return errors.Wrap(err, "cannot print")
	default:
		return printReach(s.Out, ruled, r)
	}
}
