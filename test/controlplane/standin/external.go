package standin

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// Conditions that Upjet adds to those of every managed resource.
const (
	typeAsync     xpv2.ConditionType = "AsyncOperation"
	typeLastAsync xpv2.ConditionType = "LastAsyncOperation"
)

// annotationMeta is what Upjet keeps of Terraform's private state.
const annotationMeta = "upjet.crossplane.io/provider-meta"

// identifier is what Terraform takes for the name of a resource.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// A connector makes clients for resources of one kind.
type connector struct {
	provider *Provider
	kind     kind
}

// Connect as Upjet does: find the ProviderConfig and its credentials, make a workspace.
func (c *connector) Connect(ctx context.Context, mg resource.Managed) (managed.ExternalClient, error) {
	mr := mg.(managedResource)

	if err := c.credentials(ctx, mr); err != nil {
		return nil, fmt.Errorf("cannot get terraform setup: %w", err)
	}

	if !identifier.MatchString(mg.GetName()) {
		return nil, fmt.Errorf("cannot get a terraform workspace for resource: cannot init workspace: Invalid resource name: private_key = %q", PrivateKey)
	}

	return &external{connector: c, ws: c.provider.workspace(mg)}, nil
}

// PrivateKey is what the provider gives away in a condition when a name is invalid. No claim may ever show it.
const PrivateKey = "-----BEGIN OPENSSH PRIVATE KEY----- made up, but never to be shown"

func (c *connector) credentials(ctx context.Context, mr managedResource) error {
	kind, name := mr.providerConfig()
	pc := &unstructured.Unstructured{}
	pc.SetGroupVersionKind(schema.GroupVersionKind{Group: c.kind.configGroup(), Version: "v1beta1", Kind: kind})

	key := client.ObjectKey{Name: name}
	if kind == "ProviderConfig" {
		key.Namespace = mr.GetNamespace()
	}

	if err := c.provider.reader.Get(ctx, key, pc); apierrors.IsNotFound(err) {
		return fmt.Errorf("cannot resolve provider config: cannot get referenced ProviderConfig: %s.%s %q not found", kind, c.kind.configGroup(), name)
	} else if err != nil {
		return err
	}

	ref, _, _ := unstructured.NestedStringMap(pc.Object, "spec", "credentials", "secretRef")

	// The namespace of a namespaced ProviderConfig's Secret is its own.
	if kind == "ProviderConfig" && mr.GetNamespace() != "" {
		ref["namespace"] = mr.GetNamespace()
	}

	err := c.provider.reader.Get(ctx, client.ObjectKey{Namespace: ref["namespace"], Name: ref["name"]}, &corev1.Secret{})
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("cannot get credentials secret: Secret %q not found", ref["name"])
	}

	return err
}

// An external client of one reconcile.
type external struct {
	*connector

	ws *workspace
}

// Disconnect from nothing.
func (e *external) Disconnect(context.Context) error { return nil }

// request of a managed resource. The lock of the world must be held while it is used.
func (e *external) request(mr managedResource) request {
	name := meta.GetExternalName(mr)
	node, id := splitName(e.kind.Kind, name)

	if _, known, _, _ := e.ws.state(); known != "" && id == "" {
		id = known
	}

	fields, _ := plain(map[string]any(mr.forProvider())).(map[string]any)

	return request{world: e.provider.World, uid: string(mr.GetUID()), fields: fields, id: id, node: node, anywhere: node != "" || ofSite(e.kind.Kind) || ofHA(e.kind.thing)}
}

// onlyLooks says whether the policies let the provider look and nothing else. Then Terraform imports it.
func onlyLooks(mg resource.Managed) bool {
	p := mg.GetManagementPolicies()

	return len(p) == 1 && p[0] == xpv2.ManagementActionObserve
}

// observe is what Terraform's refresh finds. nil is nothing.
func (e *external) observe(mr managedResource) (values, request, error) {
	w := e.provider.World

	w.mu.Lock()
	defer w.mu.Unlock()

	r := e.request(mr)

	if template(map[string]any(mr.forProvider())) {
		return nil, r, errors.New("cannot run refresh: refresh failed: Invalid reference: A reference to a resource type must be followed by at least one attribute access, specifying the resource name.") //nolint:revive,staticcheck // Its words.
	}

	// Nothing to look for: Proxmox is not asked.
	if r.id == "" {
		return nil, r, nil
	}

	_, err := w.fault(refresh, e.kind.Kind, mr.GetName())

	if onlyLooks(mr) {
		return e.imported(mr, r, err)
	}

	if err != nil {
		return nil, r, fmt.Errorf("cannot run refresh: refresh failed: %w", err)
	}

	return e.kind.thing.look(r), r, nil
}

// imported is what Terraform's import finds: that is how Upjet looks at what it may not write. What Terraform says then is
// repeated as a whole, and is the longer, the further it came.
func (e *external) imported(mr managedResource, r request, broken error) (values, request, error) {
	name := e.kind.terraform + "." + mr.GetName()
	said := fmt.Sprintf("%s: Importing from ID %q...\n", name, meta.GetExternalName(mr))
	failed := func(err error) error {
		return fmt.Errorf("cannot run import: %s\nError: %w: import failed", said, err)
	}

	if !r.anywhere {
		return nil, r, failed(errors.New("unexpected format of ID (), expected node/id"))
	}

	if broken != nil && !isEnded(broken) {
		return nil, r, failed(broken)
	}

	if broken != nil || e.kind.thing.hangs(r) {
		said += fmt.Sprintf("%[1]s: Import prepared!\n  Prepared %[2]s for import\n%[1]s: Refreshing state... [id=%[3]s]\n", name, e.kind.terraform, r.id)

		return nil, r, endedError{fmt.Errorf("cannot run import: %s: import failed", said)}
	}

	seen := e.kind.thing.look(r)
	if n, ok := e.kind.thing.(interface{ absent() error }); ok && seen == nil {
		return nil, r, failed(n.absent())
	}

	return seen, r, nil
}

// Observe as Upjet does.
func (e *external) Observe(ctx context.Context, mg resource.Managed) (managed.ExternalObservation, error) {
	mr := mg.(managedResource)
	found := managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}

	doing, _, tainted, leaked := e.ws.state()
	if doing != "" {
		mg.SetConditions(ongoing())
		return found, nil
	}

	wait(ctx, e.provider.Pace.Refresh)

	seen, r, err := e.observe(mr)
	if isEnded(err) {
		wait(ctx, e.provider.Pace.Limit)
	}

	if err != nil {
		return managed.ExternalObservation{}, err
	}

	if seen == nil || leaked {
		return managed.ExternalObservation{}, nil
	}

	mg.SetConditions(finished())
	mr.setAtProvider(seen)

	// First what must not be lost: the external name. To write it takes the status with it, so that a resource is Ready
	// one reconcile before its status is filled.
	if updated, err := e.annotate(ctx, mg, r); err != nil {
		return managed.ExternalObservation{}, err
	} else if updated {
		mg.SetConditions(finished(), xpv2.Available())
		return found, nil
	}

	if !mg.GetCondition(xpv2.TypeReady).Equal(xpv2.Available()) {
		mg.SetConditions(xpv2.Available())
		return found, nil
	}

	if onlyLooks(mg) {
		return found, nil
	}

	return e.plan(mr, r, tainted)
}

// annotate with the external name and Terraform's private state. What is only looked at keeps its name.
func (e *external) annotate(ctx context.Context, mg resource.Managed, r request) (updated bool, err error) {
	before := meta.GetExternalName(mg)
	if !onlyLooks(mg) && before != r.id {
		meta.SetExternalName(mg, r.id)
		updated = true
	}

	if _, ok := mg.GetAnnotations()[annotationMeta]; !ok && !onlyLooks(mg) {
		meta.AddAnnotations(mg, map[string]string{annotationMeta: "null"})

		updated = true
	}

	if !updated {
		return false, nil
	}

	return true, e.provider.client.Update(ctx, mg)
}

// plan is Terraform's.
func (e *external) plan(mr managedResource, r request, tainted bool) (managed.ExternalObservation, error) {
	w := e.provider.World

	w.mu.Lock()
	defer w.mu.Unlock()

	// What is to go is planned no more, however stuck it is.
	if meta.WasDeleted(mr) {
		return managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}, nil
	}

	if tainted || e.kind.thing.replaced(r) != "" {
		return managed.ExternalObservation{}, fmt.Errorf("cannot run plan: %w", preventDestroy(e.kind.terraform, mr.GetName()))
	}

	return managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: e.kind.thing.current(r)}, nil
}
