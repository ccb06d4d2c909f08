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
	"github.com/homelab-io/function-proxmox-machine/internal/message"
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
	kind, name, typed := strings.Cut(argument, "/")
	if !typed {
		kind, name = "", argument
	}

	if f.observed != "" {
		if all, err = objectsIn(f.observed, s); err != nil {
			return machine, nil, err
		}
	} else {
		if all, err = f.ask(ctx, kind, name); err != nil {
			return machine, nil, err
		}
	}

	found := named(all, kind, name, f.namespace)

	switch {
	case len(found) == 0:
		return machine, nil, errors.Errorf("there is no machine %q%s: `kubectl get %s -A` lists them", message.Excerpt(argument), f.where(), resources())
	case len(found) > 1:
		return machine, nil, errors.Errorf("there are %d machines called %q: write the kind, too, such as %s/%s or %s/%s, or name the namespace with -n",
			len(found), message.Excerpt(argument), kindOf(found[0]), message.Excerpt(name), kindOf(found[len(found)-1]), message.Excerpt(name))
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
	cmd.Flags().StringVarP(&f.output, "output", "o", formatText, "text or json")
	cmd.ValidArgsFunction = f.complete(s)
}

// addAll adds -A, which only some commands have.
func (f *clusterFlags) addAll(cmd *cobra.Command, usage string) {
	cmd.Flags().BoolVarP(&f.all, "all-namespaces", "A", false, usage)
}

// scope is an error if a person names one namespace and all.
func (f *clusterFlags) scope() error {
	if f.all && f.namespace != "" {
		return &ExitError{Code: ExitUsage, Err: errors.New("-A and -n exclude each other: -A means all namespaces")}
	}

	return nil
}

// one machine that a person names, as [clusterFlags.machine] finds it.
func (f *machineFlags) one(ctx context.Context, s Streams, argument string) (machine unstructured.Unstructured, all []unstructured.Unstructured, err error) {
	if f.output != formatText && f.output != formatJSON {
		return machine, nil, unknownOutput(f.output, []string{formatText, formatJSON})
	}

	if err := f.scope(); err != nil {
		return machine, nil, err
	}

	return f.machine(ctx, s, argument)
}

// encode as JSON, in lines that a person can read.
func encode(to io.Writer, what any) error {
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)

	return errors.Wrap(encoder.Encode(what), "cannot print")
}

// resources of all claims, as kubectl takes them.
func resources() string {
	var out []string
	for _, kind := range claim.Kinds() {
		out = append(out, claim.Resource(kind))
	}

	return strings.Join(out, ",")
}

// kindOf a claim or a composite, as a person types it.
func kindOf(o unstructured.Unstructured) string {
	return strings.TrimPrefix(strings.ToLower(o.GetKind()), "x")
}

func (f *clusterFlags) where() string {
	switch {
	case f.all:
		return " in any namespace"
	case f.observed != "":
		return " in " + f.observed
	case f.namespace != "":
		return " in namespace " + f.namespace
	default:
		return " in the namespace of the kubeconfig's context (-n names another)"
	}
}

// ask the cluster for a machine.
func (f *clusterFlags) ask(ctx context.Context, kind, name string) ([]unstructured.Unstructured, error) {
	resources := []string{kind}
	if kind == "" {
		resources = nil
		for _, k := range claim.Kinds() {
			resources = append(resources, claim.Resource(k))
		}
	}

	var out []unstructured.Unstructured

	unknown := 0

	for _, r := range resources {
		args := []string{name, "--ignore-not-found"}

		switch {
		case f.all: // kubectl finds no name in all namespaces, but a field.
			args = []string{"--all-namespaces", "--field-selector=metadata.name=" + name}
		case f.namespace != "":
			args = append(args, "--namespace="+f.namespace)
		}

		objects, err := f.client().Get(ctx, r, args...)
		if kind == "" && isUnknown(err) {
			unknown++
			continue // The packages of the cluster are older than this program.
		}

		if err != nil {
			return nil, errors.Wrap(err, "cannot read from the cluster")
		}

		out = append(out, objects...)
	}

	if unknown == len(resources) {
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
func named(objects []unstructured.Unstructured, kind, name, namespace string) []unstructured.Unstructured {
	var claims, composites []unstructured.Unstructured

	for _, o := range objects {
		group, _, _ := strings.Cut(o.GetAPIVersion(), "/")
		lower := strings.ToLower(o.GetKind())
		in := cmp.Or(o.GetNamespace(), o.GetLabels()["crossplane.io/claim-namespace"])

		switch {
		case group != "homelab.io" || namespace != "" && in != "" && in != namespace:
		case kind != "" && !strings.HasPrefix(strings.ToLower(kind), strings.TrimPrefix(lower, "x")) && !strings.HasPrefix(strings.ToLower(kind), lower):
		case o.GetName() == name && !strings.HasPrefix(lower, "x"):
			claims = append(claims, o)
		case o.GetName() == name || o.GetLabels()["crossplane.io/claim-name"] == name:
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
