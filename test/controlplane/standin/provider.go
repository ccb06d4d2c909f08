package standin

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// A Pace is how long things take. The real provider's are in the comments; a test need not wait so long.
type Pace struct {
	Poll    time.Duration // Between two looks: 10 minutes.
	Grace   time.Duration // Before what failed to be created is tried again: 30 seconds.
	Backoff time.Duration // At most before what failed is looked at again: 60 seconds, after 1, 2, 4...
	Refresh time.Duration // A look: 0.7 seconds.
	File    time.Duration // Writing a snippet, or finding an image: 2 seconds.
	VM      time.Duration // Creating a VM: 6 seconds.
	Limit   time.Duration // Before a look is ended that does not end by itself: 3 minutes. A creation that does not: 30 minutes.
	Workers int           // For each kind: 10. None given is one.
}

// Real is the pace of the provider.
var Real = Pace{Poll: 10 * time.Minute, Grace: 30 * time.Second, Backoff: time.Minute, Refresh: 700 * time.Millisecond, File: 2 * time.Second, VM: 6 * time.Second, Limit: 3 * time.Minute, Workers: 10}

// Quick is a pace for tests. What happens later in reality happens later here.
var Quick = Pace{Poll: 3 * time.Second, Grace: 2 * time.Second, Backoff: 4 * time.Second, Refresh: 100 * time.Millisecond, File: 300 * time.Millisecond, VM: 800 * time.Millisecond, Limit: time.Second}

// A Provider runs until it is stopped.
type Provider struct {
	World *World
	Pace  Pace

	kinds  []kind
	client client.Client // Of the manager: reads from a cache.
	reader client.Reader

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu         sync.Mutex
	workspaces map[types.UID]*workspace
	events     map[schema.GroupVersionKind]chan event.GenericEvent
}

// Start a provider for both scopes, on an API server that has its CRDs.
func Start(cfg *rest.Config, world *World, pace Pace) (*Provider, error) {
	return start(cfg, world, pace, kinds)
}

// StartServed starts a provider that looks after those of its kinds that the API server serves now, as one with the capability SafeStart does.
func StartServed(cfg *rest.Config, world *World, pace Pace) (*Provider, error) {
	d, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, err
	}

	var served []kind

	for _, k := range kinds {
		list, err := d.ServerResourcesForGroupVersion(k.GroupVersion().String())
		if apierrors.IsNotFound(err) {
			continue
		}

		if err != nil {
			return nil, err
		}

		if slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Kind == k.Kind }) {
			served = append(served, k)
		}
	}

	return start(cfg, world, pace, served)
}

// StartOld starts a provider as it was up to v0.11.1: its groups were others, and there was one scope.
func StartOld(cfg *rest.Config, world *World, pace Pace) (*Provider, error) {
	return start(cfg, world, pace, oldKinds)
}

func start(cfg *rest.Config, world *World, pace Pace, kinds []kind) (*Provider, error) {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Provider{
		World: world, Pace: pace, kinds: kinds, ctx: ctx, cancel: cancel,
		workspaces: map[types.UID]*workspace{}, events: map[schema.GroupVersionKind]chan event.GenericEvent{},
	}

	m, err := p.manager(cfg)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("cannot start the provider's stand-in: %w", err)
	}

	p.background(func(ctx context.Context) {
		// It gives up two minutes after its start where one of its kinds is not served, with all the others.
		if err := m.Start(ctx); err != nil && ctx.Err() == nil {
			panic(fmt.Sprintf("the provider's stand-in has ended by itself: %v", err))
		}
	})

	return p, nil
}

// Stop the provider at once, whatever it does, as if its Pod were deleted. Its workspaces are gone.
func (p *Provider) Stop() {
	p.cancel()
	p.work.Wait()
}

func (p *Provider) background(do func(ctx context.Context)) {
	p.work.Go(func() { do(p.ctx) })
}

func (p *Provider) manager(cfg *rest.Config) (manager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, err
	}

	for _, k := range p.kinds {
		k.register(scheme, k.GroupVersionKind)
		metav1.AddToGroupVersion(scheme, k.GroupVersion())
	}

	m, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme: scheme, Metrics: server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
	if err != nil {
		return nil, err
	}

	p.client, p.reader = m.GetClient(), m.GetAPIReader()

	for _, k := range p.kinds {
		if err := p.control(m, k); err != nil {
			return nil, err
		}
	}

	return m, nil
}

// control one kind.
func (p *Provider) control(m manager.Manager, k kind) error {
	name := managed.ControllerName(k.GroupKind().String())
	events := make(chan event.GenericEvent, 100)
	p.events[k.GroupVersionKind] = events

	object, err := m.GetScheme().New(k.GroupVersionKind)
	if err != nil {
		return err
	}

	return ctrl.NewControllerManagedBy(m).Named(name).
		For(object.(client.Object)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: max(p.Pace.Workers, 1),
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](time.Second, p.Pace.Backoff),
		}).
		WithEventFilter(resource.DesiredStateChanged()).
		WatchesRawSource(source.Channel(events, &handler.EnqueueRequestForObject{})).
		Complete(p.reconciler(m, k, xpevent.NewAPIRecorder(m.GetEventRecorderFor(name)))) //nolint:staticcheck // crossplane-runtime wants the old recorder.
}

// reconciler of one kind: the one that the provider uses, too.
func (p *Provider) reconciler(m manager.Manager, k kind, events xpevent.Recorder) reconcile.Reconciler {
	return managed.NewReconciler(m, resource.ManagedKind(k.GroupVersionKind),
		managed.WithExternalConnector(&connector{provider: p, kind: k}),
		managed.WithPollInterval(p.Pace.Poll), managed.WithPollJitterHook(p.Pace.Poll/10),
		managed.WithCreationGracePeriod(p.Pace.Grace), managed.WithTimeout(time.Minute),
		managed.WithManagementPolicies(), managed.WithInitializers(),
		managed.WithRecorder(events),
	)
}

// workspace of a managed resource.
func (p *Provider) workspace(mg resource.Managed) *workspace {
	p.mu.Lock()
	defer p.mu.Unlock()

	ws, ok := p.workspaces[mg.GetUID()]
	if !ok {
		ws = &workspace{leaked: meta.WasDeleted(mg)}
		p.workspaces[mg.GetUID()] = ws
	}

	return ws
}

// Knows says whether the provider has looked at a managed resource since it was started. What is deleted before that leaves behind
// what it stands for.
func (p *Provider) Knows(uid types.UID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()

	_, ok := p.workspaces[uid]

	return ok
}

// report what came of an operation, and look at the resource again. A failure is written without observedGeneration.
func (p *Provider) report(ctx context.Context, k kind, mr managedResource, op operation, prefix string, failed error) {
	_ = retry.OnError(retry.DefaultBackoff, func(error) bool { return ctx.Err() == nil }, func() error {
		o, err := p.client.Scheme().New(k.GroupVersionKind)
		if err != nil {
			return err
		}

		now := o.(managedResource)
		if err := p.reader.Get(ctx, client.ObjectKeyFromObject(mr), now); err != nil {
			return client.IgnoreNotFound(err)
		}

		now.SetConditions(lastAsync(op, failed), finished())

		if failed != nil {
			now.SetConditions(xpv2.ReconcileError(fmt.Errorf("%s: %w", prefix, failed)))
		}

		return p.client.Status().Update(ctx, now)
	}) // A status that cannot be written is written by the next operation.

	select {
	case p.events[k.GroupVersionKind] <- event.GenericEvent{Object: mr}:
	case <-ctx.Done():
	}
}
