package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// TestTrace looks for the VM of a claim as a person does: `crossplane resource trace` from the claim down, and `kubectl get
// managed -l homelab.io/machine=NAME` for what is below it.
func TestTrace(t *testing.T) {
	guide := open(t, "day-two.md")
	guide.says("$ crossplane resource trace machines.homelab.io git01 -n infra-machines\n")
	guide.says("$ kubectl -n infra-machines get managed -l homelab.io/machine=git01\n")
	guide.says("kubectl get managed -A -l homelab.io/vm-id=161 -L homelab.io/machine\n")

	server := edited(machine("trace-server", 5312), map[string]any{
		"k3s":                map[string]any{"role": "server", "init": true, "version": "v1.33.6+k3s1"},
		"deletionProtection": true,
	})
	server.SetKind("K3sNode")

	for name, claim := range map[string]*unstructured.Unstructured{"machine": machine("trace-machine", 5311), "k3snode": server} {
		for _, on := range []*installation{claims, namespaced} {
			t.Run(name+"/"+on.configuration, func(t *testing.T) {
				t.Parallel()

				r := on.rig(t)
				t.Cleanup(func() {
					must(t, r.lift(context.Background(), claim))
					must(t, r.remove(context.Background(), claim))
					r.world.Remove(5311, 5312)
				})
				must(t, r.apply(t.Context(), claim))
				must(t, r.ready(t.Context(), claim))
				must(t, r.still(t.Context(), claim))

				trace, err := r.trace(t.Context(), claim)
				must(t, err)

				managed, err := r.getManaged(t.Context(), "homelab.io/machine="+claim.GetName()+",homelab.io/namespace="+machines)
				must(t, err)

				id, _, _ := unstructured.NestedInt64(claim.Object, "spec", "proxmox", "vmId")

				vm, err := r.getManaged(t.Context(), fmt.Sprint("homelab.io/vm-id=", id))
				must(t, err)

				if n := strings.Count(vm, "\n"); n != 2 || !strings.Contains(unnamed(managed), unnamed(vm)) {
					t.Errorf("the label homelab.io/vm-id does not find the machine's VM, but:\n%s", vm)
				}

				compare(t, filepath.Join("testdata", "trace", on.configuration, name+".txt"), unnamed(fmt.Sprintf(
					"$ crossplane resource trace %[1]s %[2]s -n %[3]s\n%[4]s\n$ kubectl get managed -l homelab.io/machine=%[2]s,homelab.io/namespace=%[3]s\n%[5]s",
					resourceOf(claim), claim.GetName(), claim.GetNamespace(), trace, managed)))
			})
		}
	}
}

// unprotected waits until a claim may be deleted.
func (r *rig) unprotected(ctx context.Context, claim *unstructured.Unstructured) error {
	return r.until(ctx, "nothing protects "+claim.GetName(), func(ctx context.Context) (bool, string) {
		now, err := r.now(ctx, claim)
		if err != nil {
			return false, err.Error()
		}

		composite, _, _ := unstructured.NestedString(now.Object, "spec", "resourceRef", "name")
		all, err := r.usages(ctx, claim.GetNamespace())

		return err == nil && !slices.Contains(all, claim.GetName()) && !slices.Contains(all, composite), fmt.Sprint(all, err)
	})
}

// resourceOf a claim, as people write it: with its group, since others have kinds of these names.
func resourceOf(claim *unstructured.Unstructured) string {
	return strings.ToLower(claim.GetKind()) + "s.homelab.io"
}

// trace a claim with Crossplane's command line.
func (r *rig) trace(ctx context.Context, claim *unstructured.Unstructured) (string, error) {
	cmd := exec.CommandContext(ctx, toolsBin+"/crossplane", "resource", "trace",
		resourceOf(claim), claim.GetName(), "-n", claim.GetNamespace())
	cmd.Env = append(os.Environ(), "KUBECONFIG="+r.Kubeconfig)

	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("crossplane resource trace: %w: %s", err, stderr(err))
	}

	return string(out), nil
}

// getManaged prints what `kubectl get managed -l` does: the kinds of that category, found by discovery.
func (r *rig) getManaged(ctx context.Context, selector string) (string, error) {
	d, err := discovery.NewDiscoveryClientForConfig(r.REST)
	if err != nil {
		return "", err
	}

	lists, err := d.ServerPreferredResources()
	if err != nil {
		return "", err
	}

	var b strings.Builder

	for _, l := range lists {
		for _, kind := range l.APIResources {
			if !slices.Contains(kind.Categories, "managed") {
				continue
			}

			if err := r.printRows(ctx, &b, "/apis/"+l.GroupVersion+"/"+kind.Name, kind.SingularName, selector); err != nil {
				return "", err
			}
		}
	}

	return b.String(), nil
}

func (r *rig) printRows(ctx context.Context, b *strings.Builder, path, kind, selector string) error {
	config := rest.CopyConfig(r.REST)
	config.NegotiatedSerializer = serializer.NewCodecFactory(r.Client.Scheme()).WithoutConversion()

	c, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return err
	}

	body, err := c.Get().AbsPath(path).
		Param("labelSelector", selector).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(ctx)
	if err != nil {
		return err
	}

	t := &metav1.Table{}
	if err := json.Unmarshal(body, t); err != nil || len(t.Rows) == 0 {
		return err
	}

	if b.Len() > 0 {
		fmt.Fprintln(b)
	}

	w := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	defer w.Flush()

	var names []string
	for _, c := range t.ColumnDefinitions {
		names = append(names, strings.ToUpper(c.Name))
	}

	fmt.Fprintln(w, strings.Join(names, "\t"))

	_, group, _ := strings.Cut(path, "/apis/")
	group, _, _ = strings.Cut(group, "/")

	var lines []string

	for _, row := range t.Rows {
		var cells []string

		for i, cell := range row.Cells {
			switch t.ColumnDefinitions[i].Name {
			case "Name":
				cells = append(cells, fmt.Sprintf("%s.%s/%v", kind, group, cell))
			case "Age":
				cells = append(cells, "<age>")
			default:
				cells = append(cells, fmt.Sprint(cell))
			}
		}

		lines = append(lines, strings.Join(cells, "\t"))
	}

	// Their order is that of hashes, which differ from run to run.
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(external(a), external(b)) })
	fmt.Fprintln(w, strings.Join(lines, "\n"))

	return nil
}

// snippet is the end of a snippet's name, which tells what is in it.
var snippet = regexp.MustCompile(`\.(user|meta)-data\.yaml`)

// external is what rows are sorted by: of a snippet, what is in it.
func external(row string) string {
	if end := snippet.FindString(row); end != "" {
		return end
	}

	return row
}

// generated parts of names, and times.
var generated = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(trace-(?:machine|server)(?:-[a-z0-9]{5})?)-[0-9a-f]{12}\b`), "$1-<hash>"},
	{regexp.MustCompile(`(trace-(?:machine|server))-[a-z0-9]{5}\b`), "$1-<5>"},
	{regexp.MustCompile(`-[0-9a-f]{8,32}\.(qcow2|user-data|meta-data)`), "-<hash>.$1"},
	{regexp.MustCompile(`\b\d+m?\d*s\b`), "<age>"},
	{regexp.MustCompile(`(?m)(\S) {2,}`), "$1  "},
	{regexp.MustCompile(`(?m) +$`), ""},
}

func unnamed(text string) string {
	for _, g := range generated {
		text = g.what.ReplaceAllString(text, g.with)
	}

	return text
}
