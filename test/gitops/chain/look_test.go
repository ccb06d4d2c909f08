package chain

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// patience is how long something is waited for that should take seconds: machines have more to do than this.
const patience = 3 * time.Minute

// machines is the namespace of the claims.
const machines = "infra-machines"

func key(namespace, name string) client.ObjectKey {
	return client.ObjectKey{Namespace: namespace, Name: name}
}

var kinds = map[string]schema.GroupVersionKind{
	"Kustomization":  {Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Kind: "Kustomization"},
	"GitRepository":  {Group: "source.toolkit.fluxcd.io", Version: "v1", Kind: "GitRepository"},
	"OCIRepository":  {Group: "source.toolkit.fluxcd.io", Version: "v1", Kind: "OCIRepository"},
	"HelmRelease":    {Group: "helm.toolkit.fluxcd.io", Version: "v2", Kind: "HelmRelease"},
	"K3sNode":        {Group: "homelab.io", Version: "v1alpha1", Kind: "K3sNode"},
	"Machine":        {Group: "homelab.io", Version: "v1alpha1", Kind: "Machine"},
	"Provider":       {Group: "pkg.crossplane.io", Version: "v1", Kind: "Provider"},
	"Function":       {Group: "pkg.crossplane.io", Version: "v1", Kind: "Function"},
	"Configuration":  {Group: "pkg.crossplane.io", Version: "v1", Kind: "Configuration"},
	"CRD":            {Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"},
	"XRD":            {Group: "apiextensions.crossplane.io", Version: "v1", Kind: "CompositeResourceDefinition"},
	"Deployment":     {Group: "apps", Version: "v1", Kind: "Deployment"},
	"ConfigMap":      {Version: "v1", Kind: "ConfigMap"},
	"ServiceAccount": {Version: "v1", Kind: "ServiceAccount"},
}

// get an object, or none.
func (r *rig) get(kind, namespace, name string) *unstructured.Unstructured {
	r.t.Helper()

	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kinds[kind])

	if err := r.Client.Get(r.t.Context(), key(namespace, name), o); err != nil {
		return nil
	}

	return o
}

func (r *rig) layer(name string) *unstructured.Unstructured {
	r.t.Helper()
	return r.get("Kustomization", fluxNamespace, name)
}

func (r *rig) claim(name string) *unstructured.Unstructured {
	r.t.Helper()
	return r.get("K3sNode", machines, name)
}

// A condition of an object.
type condition struct {
	Type, Status, Reason, Message string
	ObservedGeneration            int64
}

func (c condition) String() string {
	return c.Type + "=" + c.Status + " " + c.Reason + ": " + c.Message
}

func conditionOf(o *unstructured.Unstructured, typ string) condition {
	if o == nil {
		return condition{Type: typ, Status: "(no object)"}
	}

	for _, c := range conditionsOf(o) {
		if c.Type == typ {
			return c
		}
	}

	return condition{Type: typ}
}

func conditionsOf(o *unstructured.Unstructured) []condition {
	var status struct {
		Status struct{ Conditions []condition }
	}

	raw, err := json.Marshal(o.Object)
	if err != nil || json.Unmarshal(raw, &status) != nil {
		return nil
	}

	return status.Status.Conditions
}

func text(o *unstructured.Unstructured, path ...string) string {
	if o == nil {
		return ""
	}

	v, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
	if v == nil {
		return ""
	}

	return fmt.Sprint(v)
}

// within waits until something is so, says how long it took, and fails the test if it takes too long.
func (r *rig) within(limit time.Duration, what string, look func() (bool, string)) time.Duration {
	r.t.Helper()

	begin := time.Now()

	for {
		done, why := look()
		if done {
			took := time.Since(begin)
			r.t.Logf("%6.1f s  %s", took.Seconds(), what)

			return took
		}

		if time.Since(begin) > limit {
			r.t.Fatalf("after %s: %s: %s\n%s", limit, what, why, r.unready())
		}

		select {
		case <-r.t.Context().Done():
			r.t.Fatal(r.t.Context().Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// unready are the layers and packages with a condition that is not True: what most waits here wait for in the end.
func (r *rig) unready() string {
	var out strings.Builder

	for _, kind := range []string{"Kustomization", "HelmRelease", "Provider", "Function", "Configuration", "XRD"} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kinds[kind])

		if err := r.Client.List(r.t.Context(), list); err != nil {
			fmt.Fprintf(&out, "%s: %v\n", kind, err)
		}

		for i := range list.Items {
			o := &list.Items[i]
			for _, c := range conditionsOf(o) {
				if c.Status != "True" {
					fmt.Fprintf(&out, "%s %s (%s): %s\n", kind, o.GetName(), text(o, "spec", "package"), c)
				}
			}
		}
	}

	nodes := &unstructured.UnstructuredList{}
	nodes.SetGroupVersionKind(kinds["K3sNode"])

	if err := r.Client.List(r.t.Context(), nodes); err != nil {
		fmt.Fprintf(&out, "K3sNode: %v\n", err)
	}

	for i := range nodes.Items {
		o := &nodes.Items[i]
		fmt.Fprintf(&out, "K3sNode %s, generation %d: spec %s, appliedSpec %s\n", o.GetName(), o.GetGeneration(), text(o, "spec"), text(o, "status", "appliedSpec"))

		for _, c := range conditionsOf(o) {
			fmt.Fprintf(&out, "\t%s (generation %d)\n", c, c.ObservedGeneration)
		}
	}

	return out.String()
}

// until waits with patience.
func (r *rig) until(what string, look func() (bool, string)) time.Duration {
	r.t.Helper()
	return r.within(patience, what, look)
}

// readyAt says whether layers are ready with a revision.
func (r *rig) readyAt(revision string, layers ...string) func() (bool, string) {
	return func() (bool, string) {
		for _, name := range layers {
			k := r.layer(name)
			ready := conditionOf(k, "Ready")

			if ready.Status != "True" || text(k, "status", "lastAppliedRevision") != revision {
				return false, name + ": " + text(k, "status", "lastAppliedRevision") + " " + ready.String()
			}
		}

		return true, ""
	}
}

// failedAt says whether a layer has tried a revision and says that it failed, in some words.
func (r *rig) failedAt(revision, layer string, words ...string) func() (bool, string) {
	return func() (bool, string) {
		k := r.layer(layer)
		ready := conditionOf(k, "Ready")

		for _, w := range words {
			if !strings.Contains(ready.Message, w) {
				return false, ready.String()
			}
		}

		return ready.Status == "False" && text(k, "status", "lastAttemptedRevision") == revision, ready.String()
	}
}

// says whether a claim has a condition.
func (r *rig) says(claim, typ, status, reason string, words ...string) func() (bool, string) {
	return func() (bool, string) {
		c := conditionOf(r.claim(claim), typ)
		for _, w := range words {
			if !strings.Contains(c.Message, w) {
				return false, c.String()
			}
		}

		return c.Status == status && c.Reason == reason, c.String()
	}
}

// kick has Flux look at its sources now, which a webhook does in a cluster.
func (r *rig) kick() {
	r.t.Helper()
	r.annotate("GitRepository", fluxNamespace, fluxNamespace, "reconcile.fluxcd.io/requestedAt", time.Now().Format(time.RFC3339Nano))
}

func (r *rig) annotate(kind, namespace, name, annotation, value string) {
	r.t.Helper()
	r.patch(kind, namespace, name, map[string]any{"metadata": map[string]any{"annotations": map[string]any{annotation: value}}})
}

// patch an object as a person does by hand.
func (r *rig) patch(kind, namespace, name string, content map[string]any) {
	r.t.Helper()

	raw, err := json.Marshal(content)
	must(r.t, err)

	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kinds[kind])
	o.SetNamespace(namespace)
	o.SetName(name)
	must(r.t, r.Client.Patch(context.WithoutCancel(r.t.Context()), o, client.RawPatch(types.MergePatchType, raw)))
}

// commit what was changed and have Flux look.
func (r *rig) commit(message string) (revision string) {
	r.t.Helper()

	revision = r.fleet.push(message)
	r.kick()

	return revision
}
