package cli

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/capacity"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// capacityFlags are the flags of `kubectl machine capacity`.
type capacityFlags struct {
	observed   string
	kubeconfig string
	context    string
	catalogue  string
	output     string
}

// newCapacity is `kubectl machine capacity`.
func newCapacity(s Streams) *cobra.Command {
	f := &capacityFlags{}

	cmd := &cobra.Command{
		Use:   "capacity",
		Short: "Show the memory that each Proxmox node has left for machines",
		Long: `Show how much memory each Proxmox node has by the catalogue, and how much of it the VMs and containers of all claims have, running or not.

These are the figures by which the function chooses a node for a new VM. VMs and containers that no managed resource describes
do not count: they are what reserve in the catalogue is for.`,
		Example: "  kubectl machine capacity\n  kubectl machine capacity --catalogue catalogue.yaml # as it would be with another catalogue",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), s) },
	}

	flags := cmd.Flags()
	flags.StringVar(&f.observed, "observed", "", "file with what there is, as kubectl get -o yaml prints it, in place of the cluster; - for standard input")
	addKubeconfig(flags, &f.kubeconfig, &f.context)
	flags.StringVar(&f.catalogue, "catalogue", "", "file or folder with the catalogue, in place of EnvironmentConfig "+lint.DefaultCatalogue+" of the cluster")
	outputFlag(flags, &f.output, "what to print: text or json", outputText, outputJSON)

	return cmd
}

func (f *capacityFlags) run(ctx context.Context, s Streams) error {
	objects, err := f.objects(ctx, s)
	if err != nil {
		return err
	}

	cat, err := f.sites(s, objects)
	if err != nil {
		return err
	}

	hosts, err := capacity.Hosts(cat, objects)
	if err != nil {
		return err
	}

	if f.output == outputJSON {
		return encode(s.Out, hosts)
	}

	return printHosts(s.Out, hosts)
}

// objects that there are: of the file, or the provider's of the cluster and the catalogue.
func (f *capacityFlags) objects(ctx context.Context, s Streams) ([]unstructured.Unstructured, error) {
	if f.observed != "" {
		return objectsIn(f.observed, s)
	}

	k, err := inCluster(f.kubeconfig, f.context)
	if err != nil {
		return nil, err
	}

	progress := newProgress(s.Err, "reading the cluster")
	defer progress.done()

	world, err := preview.WorldIn(ctx, k.Fetch, k.Groups(ctx), progress.tell)
	if err != nil || f.catalogue != "" {
		return world.Objects, err
	}

	found, err := catalogueObjects(ctx, k)

	return append(found, world.Objects...), err
}

// sites of the catalogue: of the file that a person names, else of the one among objects.
func (f *capacityFlags) sites(s Streams, objects []unstructured.Unstructured) (catalog.Catalog, error) {
	if f.catalogue != "" {
		return catalogueAt(f.catalogue, s)
	}

	from := "the cluster"
	if f.observed != "" {
		from = f.observed
	}

	return catalogueIn(objects, lint.DefaultCatalogue, from)
}

// printHosts as a table.
func printHosts(out io.Writer, hosts []capacity.Host) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0) //nolint:mnd // Spaces between columns, as kubectl has them.

	if len(hosts) == 0 {
		_, err := fmt.Fprintln(out, "The catalogue has no nodes, and there are no VMs and containers.")
		return errors.Wrap(err, "cannot print")
	}

	_, _ = fmt.Fprintln(w, "SITE\tNODE\tMEMORY\tRESERVE\tUSED\tLEFT")

	for _, h := range hosts {
		remark := ""

		switch {
		case !h.Listed:
			remark = "\tnot in the catalogue"
		case h.LeftMiB == nil:
			remark = "\tthe catalogue does not tell its memory"
		case *h.LeftMiB < 0:
			remark = "\tVMs and containers have more than there is"
		}

		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s%s\n", h.Site, h.Node, amount(h.MemoryMiB), amount(h.ReserveMiB), amount(&h.UsedMiB), amount(h.LeftMiB), remark)
	}

	return errors.Wrap(w.Flush(), "cannot print")
}

// mibPerGiB is how many MiB a GiB has.
const mibPerGiB = 1024

// amount of memory as a person writes it; - where nobody knows it.
func amount(mib *int64) string {
	switch {
	case mib == nil:
		return "-"
	case *mib%mibPerGiB == 0 && *mib != 0:
		return fmt.Sprintf("%dGi", *mib/mibPerGiB)
	default:
		return fmt.Sprintf("%dMi", *mib)
	}
}
