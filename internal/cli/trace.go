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
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// newTrace is `kubectl machine trace`.
func newTrace(s Streams) *cobra.Command {
	f := &machineFlags{}

	cmd := &cobra.Command{
		Use:     "trace NAME",
		Short:   "Show a machine's composite and composed resources with their conditions, as a tree",
		Example: "  kubectl machine trace dns01\n  kubectl machine trace k3scluster/home -n infra-machines\n  kubectl machine trace dns01 -o json | jq '.below[].conditions'",
		Args:    oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			machine, all, err := f.machine(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}

			t := tracer{flags: &f.clusterFlags, all: all}

			root, err := t.trace(cmd.Context(), machine)
			if err != nil {
				return err
			}

			if f.output == formatJSON {
				return encode(s.Out, root)
			}

			root.print(s, "", "")

			return nil
		},
	}

	f.add(cmd, s)

	return cmd
}

// A tracer follows the references of objects, in the cluster or in a file.
type tracer struct {
	flags *clusterFlags
	all   []unstructured.Unstructured // Of the file; nil for the cluster.
}

// A branch of the tree: an object with those that it refers to.
type branch struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Namespace  string            `json:"namespace,omitempty"`
	Name       string            `json:"name"`
	Resource   string            `json:"resource,omitempty"` // Its name among the composed resources.
	Missing    bool              `json:"missing,omitempty"`  // It is referred to, and does not exist, or not yet.
	Unread     bool              `json:"unread,omitempty"`   // It is referred to, and the person may not read it.
	Deleting   bool              `json:"deleting,omitempty"`
	Paused     bool              `json:"paused,omitempty"`
	Conditions []branchCondition `json:"conditions,omitempty"`
	Below      []branch          `json:"below,omitempty"`
}

// A branchCondition is a condition of an object. The messages of managed resources are the provider's: they can hold an SSH key, so they are left out.
type branchCondition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Good    bool   `json:"good"` // Whether it is as it should be.
}

// A reference to an object.
type reference struct{ apiVersion, kind, name, namespace string }

func (t *tracer) trace(ctx context.Context, o unstructured.Unstructured) (branch, error) {
	b := branchOf(o)

	for _, r := range references(o) {
		child, err := t.find(ctx, r)
		leaf := branch{APIVersion: r.apiVersion, Kind: r.kind, Namespace: r.namespace, Name: message.Excerpt(r.name)}

		switch {
		case isForbidden(err):
			leaf.Unread = true
			b.Below = append(b.Below, leaf)

			continue
		case err != nil:
			return b, err
		case child == nil:
			leaf.Missing = true
			b.Below = append(b.Below, leaf)

			continue
		}

		below, err := t.trace(ctx, *child)
		if err != nil {
			return b, err
		}

		b.Below = append(b.Below, below)
	}

	return b, nil
}

// branchOf an object, without what is below it.
func branchOf(o unstructured.Unstructured) branch {
	return branch{
		APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: message.Excerpt(o.GetName()),
		Resource: message.Excerpt(o.GetAnnotations()["crossplane.io/composition-resource-name"]),
		Deleting: o.GetDeletionTimestamp() != nil, Paused: proxmox.IsPaused(o.GetAnnotations()), Conditions: branchConditions(o),
	}
}

func branchConditions(o unstructured.Unstructured) []branchCondition {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	group, _, _ := strings.Cut(o.GetAPIVersion(), "/")

	var out []branchCondition

	for _, c := range conditions {
		m, _ := c.(map[string]any)
		text := func(name string) string {
			s, _ := m[name].(string)

			return message.Lines(s)
		}

		// These are good where they are False.
		warns := slices.Contains([]string{"ReplacementRequired", "RebootPending", "VMIDInUse"}, text("type"))
		status := text("status")
		shown := branchCondition{Type: text("type"), Status: status, Reason: text("reason"), Good: status == "True" && !warns || status == "False" && warns}

		if group == "homelab.io" {
			shown.Message = text("message")
		}

		out = append(out, shown)
	}

	return out
}

// title is an object's kind and name, and its name among the composed resources.
func (b branch) title() string {
	title := b.Kind + " " + b.Name
	if b.Resource != "" {
		title += " (" + b.Resource + ")"
	}

	if b.Deleting {
		title += ", being deleted"
	}

	if b.Paused {
		title += ", paused"
	}

	return title
}

// trouble is a condition that is not as it should be, in a line or more.
func (c branchCondition) trouble() string {
	out := c.Type + "=" + c.Status
	if c.Reason != "" {
		out += " (" + c.Reason + ")"
	}

	if c.Message != "" {
		out += ": " + c.Message
	}

	return out
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
	line, troubles := prefix+b.title()+" ", []string{}

	for _, c := range b.Conditions {
		if c.Good {
			line += " " + c.Type + "=" + c.Status
		} else {
			troubles = append(troubles, c.trouble())
		}
	}

	switch {
	case b.Missing:
		troubles = append(troubles, "does not exist, or not yet")
	case b.Unread:
		troubles = append(troubles, "you may not read it: what is below it, and how it is, is not known here")
	}

	_, _ = fmt.Fprintln(s.Out, strings.TrimRight(line, " "))

	bar := "  "
	if len(b.Below) > 0 {
		bar = "│ "
	}

	for _, trouble := range troubles {
		_, _ = fmt.Fprintln(s.Out, indent+bar+s.paint(red, "!")+" "+strings.ReplaceAll(trouble, "\n", "\n"+indent+bar+"  "))
	}

	for i, child := range b.Below {
		if i == len(b.Below)-1 {
			child.print(s, indent+"└─ ", indent+"   ")
			continue
		}

		child.print(s, indent+"├─ ", indent+"│  ")
	}
}
