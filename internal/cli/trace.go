package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// newTrace is `kubectl machine trace`.
func newTrace(s Streams) *cobra.Command {
	f := &clusterFlags{}

	cmd := &cobra.Command{
		Use:     "trace NAME",
		Short:   "Show a machine's composite and composed resources with their conditions, as a tree",
		Example: "  kubectl machine trace dns01\n  kubectl machine trace k3scluster/home -n infra-machines",
		Args:    oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			machine, all, err := f.machine(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}

			t := tracer{flags: f, all: all}

			root, err := t.trace(cmd.Context(), machine)
			if err != nil {
				return err
			}

			root.print(s, "", "")

			return nil
		},
	}

	f.add(cmd)

	return cmd
}

// A tracer follows the references of objects, in the cluster or in a file.
type tracer struct {
	flags *clusterFlags
	all   []unstructured.Unstructured // Of the file; nil for the cluster.
}

// A branch of the tree: an object with those that it refers to.
type branch struct {
	title    string
	states   []string // Conditions that are good, as type=status.
	troubles []string // Conditions that are not, with what they say.
	below    []branch
}

// A reference to an object.
type reference struct{ apiVersion, kind, name, namespace string }

func (t *tracer) trace(ctx context.Context, o unstructured.Unstructured) (branch, error) {
	b := branch{title: titled(o)}
	b.conditions(o)

	for _, r := range references(o) {
		child, err := t.find(ctx, r)
		if err != nil {
			return b, err
		}

		if child == nil {
			b.below = append(b.below, branch{title: r.kind + " " + message.Excerpt(r.name), troubles: []string{"does not exist, or not yet"}})
			continue
		}

		below, err := t.trace(ctx, *child)
		if err != nil {
			return b, err
		}

		b.below = append(b.below, below)
	}

	return b, nil
}

// titled is an object's kind and name, and its name among the composed resources.
func titled(o unstructured.Unstructured) string {
	title := o.GetKind() + " " + message.Excerpt(o.GetName())
	if name := o.GetAnnotations()["crossplane.io/composition-resource-name"]; name != "" {
		title += " (" + message.Excerpt(name) + ")"
	}

	if o.GetDeletionTimestamp() != nil {
		title += ", being deleted"
	}

	if o.GetAnnotations()["crossplane.io/paused"] == "true" {
		title += ", paused"
	}

	return title
}

// conditions of an object. The messages of managed resources are the provider's: they can hold an SSH key, so they are not shown.
func (b *branch) conditions(o unstructured.Unstructured) {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	group, _, _ := strings.Cut(o.GetAPIVersion(), "/")
	ours := group == "homelab.io"

	for _, c := range conditions {
		m, _ := c.(map[string]any)
		kind, _ := m["type"].(string)
		status, _ := m["status"].(string)
		reason, _ := m["reason"].(string)
		says, _ := m["message"].(string)

		bad := slices.Contains([]string{"ReplacementRequired", "RebootPending", "VMIDInUse"}, kind)
		if (status == "True") != bad {
			b.states = append(b.states, message.Text(kind+"="+status))
			continue
		}

		if status == "False" && bad {
			continue
		}

		trouble := kind + "=" + status
		if reason != "" {
			trouble += " (" + reason + ")"
		}

		if says != "" && ours {
			trouble += ": " + says
		}

		b.troubles = append(b.troubles, message.Lines(trouble))
	}
}

// references of a claim to its composite, and of a composite to its composed resources.
func references(o unstructured.Unstructured) []reference {
	var out []reference

	add := func(v any) {
		m, _ := v.(map[string]any)
		text := func(name string) string {
			s, _ := m[name].(string)
			return s
		}

		r := reference{apiVersion: text("apiVersion"), kind: text("kind"), name: text("name"), namespace: text("namespace")}
		if r.kind == "" || r.name == "" {
			return
		}

		if r.namespace == "" && !strings.HasPrefix(r.kind, "X") {
			r.namespace = o.GetNamespace()
		}

		out = append(out, r)
	}

	if ref, ok, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "resourceRef"); ok {
		add(ref)
	}

	for _, path := range [][]string{{"spec", "resourceRefs"}, {"spec", "crossplane", "resourceRefs"}} {
		refs, _, _ := unstructured.NestedSlice(o.Object, path...)
		for _, ref := range refs {
			add(ref)
		}
	}

	return out
}

// find an object; nil where there is none.
func (t *tracer) find(ctx context.Context, r reference) (*unstructured.Unstructured, error) {
	if t.all != nil {
		for i, o := range t.all {
			near := o.GetNamespace() == "" || r.namespace == "" || o.GetNamespace() == r.namespace
			if near && o.GetKind() == r.kind && o.GetName() == r.name && o.GetAPIVersion() == r.apiVersion {
				return &t.all[i], nil
			}
		}

		return nil, nil //nolint:nilnil // There is none.
	}

	version, err := schema.ParseGroupVersion(r.apiVersion)
	if err != nil {
		return nil, err //nolint:wrapcheck // It names the version.
	}

	args := []string{r.name, "--ignore-not-found"}
	if r.namespace != "" {
		args = append(args, "--namespace="+r.namespace)
	}

	found, err := t.flags.client().Get(ctx, r.kind+"."+version.Version+"."+version.Group, args...)
	if err != nil || len(found) == 0 {
		return nil, errors.Wrap(err, "cannot read from the cluster")
	}

	return &found[0], nil
}

// print the tree: prefix stands before the first line, indent before all others.
func (b branch) print(s Streams, prefix, indent string) {
	line := prefix + b.title
	if len(b.states) > 0 {
		line += "  " + strings.Join(b.states, " ")
	}

	_, _ = fmt.Fprintln(s.Out, line)

	bar := "  "
	if len(b.below) > 0 {
		bar = "│ "
	}

	for _, trouble := range b.troubles {
		_, _ = fmt.Fprintln(s.Out, indent+bar+s.paint(red, "!")+" "+strings.ReplaceAll(trouble, "\n", "\n"+indent+bar+"  "))
	}

	for i, child := range b.below {
		if i == len(b.below)-1 {
			child.print(s, indent+"└─ ", indent+"   ")
			continue
		}

		child.print(s, indent+"├─ ", indent+"│  ")
	}
}
