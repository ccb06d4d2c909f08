package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/kubectl"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// clusterFlags say where objects are read: in the cluster of the kubeconfig, through kubectl, or in a file.
type clusterFlags struct {
	namespace  string
	context    string
	kubeconfig string
	observed   string
	all        bool // Namespaces; for the commands that have -A.
}

func (f *clusterFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.namespace, "namespace", "n", "", "namespace of the machine; default: that of the kubeconfig's context")
	cmd.Flags().StringVar(&f.context, "context", "", "context of the kubeconfig")
	cmd.Flags().StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig in place of kubectl's default")
	cmd.Flags().StringVar(&f.observed, "observed", "", "file with objects, as printed by kubectl get -o yaml, in place of the cluster; - for standard input")
}

// client of the cluster.
func (f *clusterFlags) client() kubectl.Client {
	return kubectl.Client{Kubeconfig: f.kubeconfig, Context: f.context}
}

// machine that a person names, or a cluster: dns01, machine/dns01, k3snode/server-1, container/dns02 or k3scluster/home. all are the objects of the file,
// nil for the cluster.
func (f *clusterFlags) machine(
	ctx context.Context, s Streams, argument string,
) (machine unstructured.Unstructured, all []unstructured.Unstructured, err error) {
	r, err := machineNamed(argument)
	if err != nil {
		return machine, nil, err
	}

	if f.observed != "" {
		all, err = objectsIn(f.observed, s)
	} else {
		all, err = f.ask(ctx, r)
	}

	if err != nil {
		return machine, nil, err
	}

	found := named(all, r, f.namespace)

	switch {
	case len(found) == 0:
		return machine, nil, f.absent(argument, r.name, all)
	case len(found) > 1:
		return machine, nil, ambiguous(r.name, found)
	}

	if f.observed == "" {
		all = nil
	}

	return found[0], all, nil
}

// machineFlags are those of the commands about one machine.
type machineFlags struct {
	clusterFlags

	output string
}

func (f *machineFlags) add(cmd *cobra.Command, s Streams) {
	f.clusterFlags.add(cmd)
	f.addAll(cmd, "find the machine in any namespace")
	outputFlag(cmd.Flags(), &f.output, "text or json", formatText, formatJSON)
	cmd.ValidArgsFunction = f.complete(s)
}

// addAll adds -A, which only some commands have.
func (f *clusterFlags) addAll(cmd *cobra.Command, usage string) {
	cmd.Flags().BoolVarP(&f.all, "all-namespaces", "A", false, usage)
}

// encode as JSON, in lines that a person can read.
func encode(to io.Writer, what any) error {
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)

	return errors.Wrap(encoder.Encode(what), "cannot print")
}

// kindOf a claim or a composite, as a person types it.
func kindOf(o unstructured.Unstructured) string {
	return strings.TrimPrefix(strings.ToLower(o.GetKind()), "x")
}

func (f *clusterFlags) where() string {
	switch {
	case f.all:
		return " in any namespace"
	case f.observed != "" && f.namespace != "":
		return " in namespace " + f.namespace + " of " + manifest.Shown(f.observed)
	case f.observed != "":
		return " in " + manifest.Shown(f.observed)
	case f.namespace != "":
		return " in namespace " + f.namespace
	default:
		return " in the namespace of the kubeconfig's context (-n names another)"
	}
}

// ask the cluster for a machine.
func (f *clusterFlags) ask(ctx context.Context, r machineName) ([]unstructured.Unstructured, error) {
	kinds := []string{r.kind}
	if r.kind == "" {
		kinds = claim.Kinds()
	}

	var out []unstructured.Unstructured

	unknown := 0

	for _, kind := range kinds {
		args := []string{r.name, "--ignore-not-found"}

		switch {
		case f.all: // kubectl finds no name in all namespaces, but a field.
			args = []string{"--all-namespaces", "--field-selector=metadata.name=" + r.name}
		case f.namespace != "":
			args = append(args, "--namespace="+f.namespace)
		}

		objects, err := f.client().Get(ctx, claim.Resource(kind), args...)
		if r.kind == "" && isUnknown(err) {
			unknown++
			continue // The packages of the cluster are older than this program.
		}

		if err != nil {
			return nil, errors.Wrap(err, "cannot read from the cluster")
		}

		out = append(out, objects...)
	}

	if unknown == len(kinds) {
		return nil, errNoKinds
	}

	return out, nil
}

// isUnknown says whether the cluster has no such kind.
func isUnknown(err error) bool {
	var e *kubectl.Error

	return errors.As(err, &e) && strings.Contains(e.Said, "the server doesn't have a resource type")
}

// isForbidden says whether the person may not read what was asked for.
func isForbidden(err error) bool {
	var e *kubectl.Error

	return errors.As(err, &e) && strings.Contains(e.Said, "(Forbidden)")
}

// objectsIn a file, or in standard input.
func objectsIn(file string, s Streams) ([]unstructured.Unstructured, error) {
	if file == preview.NoFile {
		return nil, nil
	}

	data, err := readAll(file, s)
	if err != nil {
		return nil, err
	}

	objects, err := manifest.ObjectsOf(data)

	return objects, errors.Wrapf(err, "cannot read %s", file)
}

// inCluster asks the cluster of a kubeconfig.
func inCluster(kubeconfig, context string) (*preview.Kubectl, error) {
	program, err := exec.LookPath("kubectl")
	if err != nil {
		return nil, errors.Wrap(err, "cannot ask the cluster; name a file with what there is with --observed")
	}

	return &preview.Kubectl{Client: kubectl.Client{Program: program, Kubeconfig: kubeconfig, Context: context}}, nil
}

// orEmpty is an error, with what somebody without a cluster can do: a plan, or a rehearsal, needs none.
func orEmpty(err error) error {
	if !kubectl.HasNoCluster(err) {
		return err
	}

	return errors.Errorf("%w. Without a cluster, --observed none shows what happens in an empty one", err)
}

// named are the machines among objects that have a name: claims and namespaced composites, else the composites of claims.
func named(objects []unstructured.Unstructured, r machineName, namespace string) []unstructured.Unstructured {
	var claims, composites []unstructured.Unstructured

	for _, o := range objects {
		group, _, _ := strings.Cut(o.GetAPIVersion(), "/")
		lower := strings.ToLower(o.GetKind())
		in := cmp.Or(o.GetNamespace(), o.GetLabels()["crossplane.io/claim-namespace"])

		switch {
		case group != groupOfClaims || namespace != "" && in != "" && in != namespace:
		case r.kind != "" && !strings.EqualFold(kindOf(o), strings.TrimPrefix(r.kind, "X")):
		case o.GetName() == r.name && !strings.HasPrefix(lower, "x"):
			claims = append(claims, o)
		case o.GetName() == r.name || o.GetLabels()["crossplane.io/claim-name"] == r.name:
			composites = append(composites, o)
		}
	}

	if len(claims) > 0 {
		return claims
	}

	return composites
}

// readAll of a file, or of standard input.
func readAll(file string, s Streams) ([]byte, error) {
	if file == "-" {
		return readStream(s)
	}

	data, err := os.ReadFile(filepath.Clean(file))

	return data, errors.Wrap(err, "cannot read file")
}
