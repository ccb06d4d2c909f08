package plane

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/homelab-io/function-proxmox-machine/test/ports"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	pkgv1 "github.com/crossplane/crossplane/apis/v2/pkg/v1"
)

// A FunctionRuntime is what Crossplane calls an external runtime: it runs the programs of packages, and tells Crossplane
// where they are. It takes the program of a Function out of its package, so that what is run is what is shipped. The
// program of a Provider is the business of the test: the runtime calls it healthy.
type FunctionRuntime struct {
	client client.Client
	plane  *Plane
	certs  string            // Folder with the certificate for all functions.
	files  map[string][]byte // Of that folder.

	cancel context.CancelFunc
	ended  chan struct{}

	mu        sync.Mutex
	functions map[string]*RunningFunction // By revision.
}

// A RunningFunction is the program of an active revision of a Function.
type RunningFunction struct {
	*Process

	// Endpoint is where Crossplane calls it, Metrics where Prometheus does.
	Endpoint, Metrics string
}

// startFunctionRuntime watches revisions until it is stopped.
func startFunctionRuntime(ctx context.Context, p *Plane) (*FunctionRuntime, error) {
	authority := &corev1.Secret{}
	if err := p.Client.Get(ctx, client.ObjectKey{Namespace: Namespace, Name: secretAuthority}, authority); err != nil {
		return nil, fmt.Errorf("cannot get Secret %s: %w", secretAuthority, err)
	}

	files, err := serverCertificate(authority)
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate for functions: %w", err)
	}

	certs := p.path("tls", "function")
	if err := writeFiles(certs, files); err != nil {
		return nil, err
	}

	run, cancel := context.WithCancel(context.Background())
	r := &FunctionRuntime{plane: p, certs: certs, files: files, cancel: cancel, ended: make(chan struct{}), functions: map[string]*RunningFunction{}}

	m, err := r.manager()
	if err != nil {
		cancel()
		return nil, fmt.Errorf("cannot start the runtime of functions: %w", err)
	}

	go func() {
		defer close(r.ended)

		_ = m.Start(run) // It ends when it is stopped.
	}()

	return r, nil
}

func (r *FunctionRuntime) manager() (manager.Manager, error) {
	m, err := ctrl.NewManager(r.plane.REST, ctrl.Options{
		Scheme: r.plane.Client.Scheme(), Metrics: server.Options{BindAddress: "0"},
		// Several planes may run in one process.
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
	if err != nil {
		return nil, err
	}

	r.client = m.GetClient()

	functions := ctrl.NewControllerManagedBy(m).For(&pkgv1.FunctionRevision{})
	if err := functions.Complete(reconcile.AsReconciler(r.client, reconcilerFunc[*pkgv1.FunctionRevision](r.function))); err != nil {
		return nil, err
	}

	providers := ctrl.NewControllerManagedBy(m).For(&pkgv1.ProviderRevision{})

	return m, providers.Complete(reconcile.AsReconciler(r.client, reconcilerFunc[*pkgv1.ProviderRevision](r.provider)))
}

// A reconcilerFunc reconciles objects of one type.
type reconcilerFunc[T client.Object] func(ctx context.Context, o T) error

// Reconcile an object.
func (f reconcilerFunc[T]) Reconcile(ctx context.Context, o T) (reconcile.Result, error) {
	return reconcile.Result{}, f(ctx, o)
}

// Stop the runtime and all functions.
func (r *FunctionRuntime) Stop() {
	r.cancel()
	<-r.ended

	r.mu.Lock()
	defer r.mu.Unlock()

	for _, f := range r.functions {
		f.Stop()
	}
}

// Certificates is the folder with a certificate for programs on localhost, and its key.
func (r *FunctionRuntime) Certificates() string { return r.certs }

// Running are the functions that run, by revision.
func (r *FunctionRuntime) Running() map[string]*RunningFunction {
	r.mu.Lock()
	defer r.mu.Unlock()

	return maps.Clone(r.functions)
}

func (r *FunctionRuntime) provider(ctx context.Context, rev *pkgv1.ProviderRevision) error {
	if rev.GetDesiredState() != pkgv1.PackageRevisionActive {
		return nil
	}

	if err := r.certify(ctx, rev); err != nil {
		return err
	}

	return r.report(ctx, rev, func() {})
}

func (r *FunctionRuntime) function(ctx context.Context, rev *pkgv1.FunctionRevision) error {
	r.mu.Lock()
	defer r.mu.Unlock()

	f, runs := r.functions[rev.Name]

	switch {
	case rev.GetDesiredState() == pkgv1.PackageRevisionActive && rev.DeletionTimestamp == nil:
		if err := r.certify(ctx, rev); err != nil {
			return err
		}

		if rev.Status.ResolvedPackage == "" {
			return nil // Crossplane has not fetched it yet.
		}

		if !runs {
			started, err := r.run(ctx, rev)
			if err != nil {
				return err
			}

			f, r.functions[rev.Name] = started, started
		}

		return r.report(ctx, rev, func() { rev.Status.Endpoint = f.Endpoint })
	case runs:
		f.Stop()
		delete(r.functions, rev.Name)
	}

	return nil
}

// certificateName is the name of the Secret with the certificate that a revision serves with. Crossplane 1.20 asks for a name,
// 2.x is told it.
func certificateName(rev pkgv1.PackageRevisionWithRuntime) *string {
	if name := rev.GetTLSServerSecretName(); name != nil {
		return name
	}

	return pkgv1.GetSecretNameWithSuffix(rev.GetLabels()[pkgv1.LabelParentPackage], pkgv1.TLSServerSecretNameSuffix)
}

// certify makes that Secret. It is the business of the runtime, and Crossplane waits for it before it establishes what is in
// the package.
func (r *FunctionRuntime) certify(ctx context.Context, rev pkgv1.PackageRevisionWithRuntime) error {
	return client.IgnoreAlreadyExists(r.client.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: *certificateName(rev), Namespace: Namespace}, Data: r.files,
	}))
}

// report to Crossplane that a revision runs.
func (r *FunctionRuntime) report(ctx context.Context, rev pkgv1.PackageRevisionWithRuntime, more func()) error {
	before := rev.DeepCopyObject().(client.Object)

	more()
	rev.SetObservedTLSServerSecretName(certificateName(rev))
	rev.SetConditions(pkgv1.RuntimeHealthy())

	return r.client.Status().Patch(ctx, rev, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// run the program of a revision.
func (r *FunctionRuntime) run(ctx context.Context, rev *pkgv1.FunctionRevision) (*RunningFunction, error) {
	ref, err := name.ParseReference(rev.Status.ResolvedPackage)
	if err != nil {
		return nil, fmt.Errorf("cannot read the image of %s: %w", rev.Name, err)
	}

	dir := r.plane.path("functions", rev.Name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}

	entrypoint, err := extractEntrypoint(ctx, ref, dir)
	if err != nil {
		return nil, fmt.Errorf("cannot take the program out of the package %s: %w", ref, err)
	}

	free, err := ports.Free(2)
	if err != nil {
		return nil, err
	}

	f := &RunningFunction{Endpoint: fmt.Sprintf("localhost:%d", free[0]), Metrics: "http://" + loopback(free[1]) + "/metrics"}
	f.Process = newProcess(r.plane.config.Dir, Program{
		Name: rev.Name, Path: filepath.Join(dir, entrypoint), Ready: tcpReady(free[0]),
		Args: []string{"--debug", "--address=" + loopback(free[0]), "--metrics-address=" + loopback(free[1])},
		Env:  append([]string{"TLS_SERVER_CERTS_DIR=" + r.certs}, generous...),
	})

	return f, f.Start(ctx)
}
