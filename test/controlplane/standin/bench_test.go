package standin

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpfake "github.com/crossplane/crossplane-runtime/v2/pkg/resource/fake"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// A bench is a provider without a control plane: what it reads and writes is in memory, and it looks when it is told to.
type bench struct {
	*Provider

	t      *testing.T
	client client.Client
	kept   int // How many lines of the journal were looked at.
}

// newBench with credentials for both scopes.
func newBench(t *testing.T, w *World) *bench {
	t.Helper()

	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}

	var statuses []client.Object

	for _, k := range kinds {
		k.register(scheme, k.GroupVersionKind)

		o, err := scheme.New(k.GroupVersionKind)
		if err != nil {
			t.Fatal(err)
		}

		statuses = append(statuses, o.(client.Object))
	}

	config := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"credentials": map[string]any{
		"secretRef": map[string]any{"namespace": "crossplane-system", "name": "credentials", "key": "credentials"},
	}}}}
	config.SetGroupVersionKind(schema.GroupVersionKind{Group: "proxmoxbpg.crossplane.io", Version: "v1beta1", Kind: "ProviderConfig"})
	config.SetName("default")
	scheme.AddKnownTypeWithName(config.GroupVersionKind(), &unstructured.Unstructured{})

	b := &bench{t: t, client: fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(statuses...).WithObjects(
		config, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "credentials", Namespace: "crossplane-system"}},
	).Build()}
	b.start(w)
	t.Cleanup(func() { b.Provider.Stop() })

	return b
}

// start a provider that is as fast as can be. What it does ends after the reconcile that began it, as in reality.
func (b *bench) start(w *World) {
	const soon = 5 * time.Millisecond

	ctx, cancel := context.WithCancel(context.Background())
	b.Provider = &Provider{
		World: w, Pace: Pace{Poll: time.Hour, Refresh: soon, File: soon, VM: soon}, client: b.client, reader: b.client, ctx: ctx, cancel: cancel,
		workspaces: map[types.UID]*workspace{}, events: map[schema.GroupVersionKind]chan event.GenericEvent{},
	}

	for _, k := range kinds {
		b.events[k.GroupVersionKind] = make(chan event.GenericEvent, 1000)
	}
}

// restart the provider, as when its Pod is deleted.
func (b *bench) restart() {
	b.Stop()
	b.start(b.World)
}

// managed resource of a new VM, container, File, DownloadFile, bridge or pool, cluster scoped.
func (b *bench) create(name, external string, forProvider values, policies ...xpv2.ManagementAction) managedResource {
	b.t.Helper()

	var mr managedResource

	spec := clusterSpec{}
	spec.ForProvider = forProvider
	spec.ManagementPolicies = policies

	if len(policies) == 0 {
		spec.ManagementPolicies = xpv2.ManagementPolicies{
			xpv2.ManagementActionObserve, xpv2.ManagementActionCreate, xpv2.ManagementActionUpdate, xpv2.ManagementActionDelete,
		}
	}

	switch {
	case forProvider["url"] != nil:
		mr = &clusterScoped[imageKind]{Spec: spec}
	case forProvider["contentType"] != nil:
		mr = &clusterScoped[fileKind]{Spec: spec}
	case forProvider["unprivileged"] != nil:
		mr = &clusterScoped[ctKind]{Spec: spec}
	case forProvider["ports"] != nil:
		mr = &clusterScoped[bridgeKind]{Spec: spec}
	case forProvider["poolId"] != nil && forProvider["nodeName"] == nil:
		mr = &clusterScoped[poolKind]{Spec: spec}
	case forProvider["inputPolicy"] != nil:
		mr = &clusterScoped[optKind]{Spec: spec}
	case forProvider["rule"] != nil:
		mr = &clusterScoped[ruleKind]{Spec: spec}
	case forProvider["resourceId"] != nil:
		mr = &clusterScoped[haKind]{Spec: spec}
	default:
		mr = &clusterScoped[vmKind]{Spec: spec}
	}

	mr.SetName(name)
	mr.SetUID(types.UID("uid of " + name))

	if external != "" {
		meta.SetExternalName(mr, external)
	}

	if err := b.client.Create(b.t.Context(), mr); err != nil {
		b.t.Fatal(err)
	}

	return mr
}

// edit a managed resource.
func (b *bench) edit(mr managedResource, change func()) {
	b.t.Helper()
	b.read(mr)
	change()

	if err := b.client.Update(b.t.Context(), mr); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) kind(mr managedResource) kind {
	b.t.Helper()

	for _, k := range kinds {
		if o, err := b.client.Scheme().New(k.GroupVersionKind); err == nil && fmt.Sprintf("%T", o) == fmt.Sprintf("%T", mr) {
			return k
		}
	}

	b.t.Fatalf("%T is no kind of the provider", mr)

	return kind{}
}

// look lets the provider look at a managed resource some times. What it begins is not waited for.
func (b *bench) look(mr managedResource, times int) {
	b.t.Helper()

	r := b.reconciler(&xpfake.Manager{Client: b.client, Scheme: b.client.Scheme()}, b.kind(mr), xpevent.NewNopRecorder())

	for range times {
		if _, err := r.Reconcile(b.t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(mr)}); err != nil {
			b.t.Fatal(err)
		}
	}
}

// settle lets the provider look until there is nothing more to do.
func (b *bench) settle(mr managedResource) {
	b.t.Helper()

	for range 6 {
		b.look(mr, 1)
		b.work.Wait()
	}
}

// read what the API server has; false if it is gone.
func (b *bench) read(mr managedResource) bool {
	b.t.Helper()

	err := b.client.Get(b.t.Context(), client.ObjectKeyFromObject(mr), mr)
	if client.IgnoreNotFound(err) != nil {
		b.t.Fatal(err)
	}

	return err == nil
}

// shows checks conditions, each as "Ready=True Available", or with a part of its message as "Synced=False ReconcileError:
// create failed". One that is not to be there has no status: "Ready=".
func (b *bench) shows(mr managedResource, reason string, want ...string) {
	b.t.Helper()

	if !b.read(mr) {
		b.t.Fatalf("%s\n%s is gone", reason, mr.GetName())
	}

	for _, w := range want {
		head, message, _ := strings.Cut(w, ": ")
		conditionType, state, _ := strings.Cut(head, "=")

		c := mr.GetCondition(xpv2.ConditionType(conditionType))

		got := strings.TrimSpace(fmt.Sprintf("%s %s", c.Status, c.Reason))
		if c.LastTransitionTime.IsZero() {
			got = ""
		}

		if got != state || !strings.Contains(c.Message, message) {
			b.t.Errorf("%s\n%s: want %s, got %s=%s: %s", reason, mr.GetName(), w, conditionType, got, c.Message)
		}
	}
}

// told checks what was written to Proxmox since the last call.
func (b *bench) told(reason string, want ...string) {
	b.t.Helper()

	all := b.World.Journal()
	if got := strings.Join(all[b.kept:], ", "); got != strings.Join(want, ", ") {
		b.t.Errorf("%s\nProxmox was told: got %q, want %q", reason, got, strings.Join(want, ", "))
	}

	b.kept = len(all)
}
