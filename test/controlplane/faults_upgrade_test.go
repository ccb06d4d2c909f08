package controlplane

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	pkgv1 "github.com/crossplane/crossplane/apis/v2/pkg/v1"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// upgrade a package, as a person does who edits spec.package, and wait until it is healthy with another revision.
func (r *rig) upgrade(ctx context.Context, p pkgv1.Package) error {
	if err := r.Client.Get(ctx, client.ObjectKeyFromObject(p), p); err != nil {
		return err
	}

	before := p.GetCurrentRevision()
	patch := client.MergeFrom(p.DeepCopyObject().(client.Object))
	p.SetSource(strings.Replace(p.GetSource(), ":"+version, ":"+newer, 1))

	if err := r.Client.Patch(ctx, p, patch); err != nil {
		return err
	}

	err := r.until(ctx, p.GetName()+" has another revision", func(ctx context.Context) (bool, string) {
		if err := r.Client.Get(ctx, client.ObjectKeyFromObject(p), p); err != nil {
			return false, err.Error()
		}

		return p.GetCurrentRevision() != before, before
	})
	if err != nil {
		return err
	}

	return r.healthy(ctx, p)
}

// calls that the function which runs has answered.
var answered = regexp.MustCompile(`(?m)^grpc_server_handled_total\{grpc_code="OK",grpc_method="RunFunction".* [1-9]`)

// runs waits until the function of a revision other than before runs, and has been called.
func (r *rig) runs(ctx context.Context, before string) error {
	return r.until(ctx, "the newer function is called", func(ctx context.Context) (bool, string) {
		running := r.Functions.Running()
		for revision, f := range running {
			if len(running) != 1 || revision == before {
				return false, fmt.Sprintf("%d functions run, one is %s", len(running), revision)
			}

			body, err := get(ctx, f.Metrics)
			if err != nil {
				return false, err.Error()
			}

			return answered.MatchString(body), "it was not"
		}

		return false, "no function runs"
	})
}

// exactly is every byte of the managed resources of claims, but for which writer wrote what.
func (r *rig) exactly(ctx context.Context, claims ...*unstructured.Unstructured) (map[string]any, error) {
	out := map[string]any{}

	for _, claim := range claims {
		all, err := r.managed(ctx, claim)
		if err != nil {
			return nil, err
		}

		for _, m := range all {
			m.SetManagedFields(nil)
			out[m.GetKind()+" "+m.GetName()] = m.Object
		}
	}

	return out, nil
}

// TestUpgrade replaces Function and Configuration by newer ones while machines live. No managed resource changes, not even
// its resourceVersion; no claim is unready for a moment; and the newer function carries on.
func TestUpgrade(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		must(t, r.pushNewerFunction(t.Context()))
		must(t, r.pushNewerConfiguration())

		plain := machine("upgraded", 5592)
		data := with(machine("upgraded-data", 5593), "bootstrap.userData", "#cloud-config\ntimezone: Europe/Berlin\n")
		all := []*unstructured.Unstructured{plain, data}

		must(t, r.apply(t.Context(), all...))
		t.Cleanup(func() { must(t, r.remove(context.Background(), all...)) })

		for _, claim := range all {
			must(t, r.ready(t.Context(), claim))
		}

		plane.Rest(t.Context(), moment) // What is ready may still be looked at once more.

		before, err := r.exactly(t.Context(), all...)
		must(t, err)

		journal, function := r.world.Journal(), ""
		for revision := range r.Functions.Running() {
			function = revision
		}

		unready := r.watch(t, all...)

		must(t, r.upgrade(t.Context(), &pkgv1.Function{ObjectMeta: metav1.ObjectMeta{Name: functionName}}))
		must(t, r.upgrade(t.Context(), &pkgv1.Configuration{ObjectMeta: metav1.ObjectMeta{Name: r.configuration}}))

		// An annotation is no edit, but the function is called for it.
		for _, claim := range all {
			touched := claim.DeepCopy()
			touched.SetAnnotations(map[string]string{"example.org/looked-at": "again"})
			must(t, r.apply(t.Context(), touched))
		}

		must(t, r.runs(t.Context(), function))
		plane.Rest(t.Context(), moment) // For what should not happen.

		after, err := r.exactly(t.Context(), all...)
		must(t, err)

		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("managed resources have changed: -before, +after:\n%s", diff)
		}

		if diff := cmp.Diff(journal, r.world.Journal()); diff != "" {
			t.Errorf("written to Proxmox: -before, +after:\n%s", diff)
		}

		if moments := unready(); len(moments) > 0 {
			t.Errorf("claims were not ready for a while: %s", strings.Join(moments, "\n"))
		}

		for _, claim := range all {
			must(t, r.apply(t.Context(), tag(claim, "upgraded")))
		}

		must(t, r.tagged(t.Context(), 5592, "upgraded"))
		must(t, r.tagged(t.Context(), 5593, "upgraded"))
	})
}

// watch claims; the function that is returned ends that, and tells when one of them was not ready.
func (r *rig) watch(t *testing.T, claims ...*unstructured.Unstructured) (unready func() []string) {
	t.Helper()

	seen := r.watchAll(t, claims)

	return func() []string {
		var out []string

		for _, o := range seen() {
			if condition(o, "Ready").status != "True" {
				out = append(out, o.GetName()+": "+conditions(o))
			}
		}

		return out
	}
}

// watchAll claims of one kind; the function that is returned ends that, and has all that they were meanwhile.
func (r *rig) watchAll(t *testing.T, claims []*unstructured.Unstructured) (all func() []*unstructured.Unstructured) {
	t.Helper()

	c, err := client.NewWithWatch(r.REST, client.Options{})
	must(t, err)

	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(claims[0].GroupVersionKind().GroupVersion().WithKind(claims[0].GetKind() + "List"))

	must(t, c.List(t.Context(), list, client.InNamespace(machines)))

	w, err := c.Watch(t.Context(), list, client.InNamespace(machines), &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.GetResourceVersion()}})
	must(t, err)

	seen := make(chan []*unstructured.Unstructured, 1)

	go func() {
		var out []*unstructured.Unstructured

		for e := range w.ResultChan() {
			o, ok := e.Object.(*unstructured.Unstructured)
			if ok && slices.ContainsFunc(claims, func(c *unstructured.Unstructured) bool { return c.GetName() == o.GetName() }) {
				out = append(out, o)
			}
		}

		seen <- out
	}()

	return func() []*unstructured.Unstructured {
		w.Stop()

		return <-seen
	}
}
