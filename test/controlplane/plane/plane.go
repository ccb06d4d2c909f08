package plane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/test/ports"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	extv1alpha1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1alpha1"
	pkgv1 "github.com/crossplane/crossplane/apis/v2/pkg/v1"
	pkgv1beta1 "github.com/crossplane/crossplane/apis/v2/pkg/v1beta1"
)

// Config of a plane.
type Config struct {
	// Dir holds data and logs. It must be empty, and stays when the plane is stopped.
	Dir string
	// Tools is the folder of the programs that hack/tool.sh builds.
	Tools string
	// Core is the name of Crossplane's program in Tools.
	Core string
	// Crossplane is the folder of Crossplane's source, of the same version as the program: its chart and its CRDs.
	Crossplane string
	// OwnRoot lets Crossplane's init program see a file system of its own, as in its container. Crossplane 1.20 needs it: it
	// reads its CRDs from /crds, and has no setting for that.
	OwnRoot bool
	// CrossplaneArgs are added to those of Crossplane's chart.
	CrossplaneArgs []string
	// ChartValues are those that a person gives Crossplane's chart; nil for its own.
	ChartValues map[string]any
}

// A Plane is a running control plane.
type Plane struct {
	// Client of an administrator; it caches nothing.
	Client client.Client
	// REST is the configuration of clients of an administrator.
	REST *rest.Config
	// Kubeconfig of an administrator, for kubectl.
	Kubeconfig string

	// Motion is what moves on the plane: the objects of its API server, and what a test adds.
	Motion *Motion

	// Metrics is where Crossplane serves its own.
	Metrics string

	Etcd, APIServer, ControllerManager, Crossplane, RBACManager *Process

	Registry  *Registry
	Functions *FunctionRuntime

	config      Config
	credentials credentials
	started     []stopper // In the order in which they were started.
}

// A stopper can be stopped.
type stopper interface{ Stop() }

// Start a plane with Crossplane on it, and with no package. On an error nothing is left running.
func Start(ctx context.Context, config Config) (*Plane, error) {
	p := &Plane{config: config, Motion: &Motion{}}

	if err := p.start(ctx); err != nil {
		p.Stop()

		return nil, fmt.Errorf("cannot start the control plane, logs are in %s: %w", config.Dir, err)
	}

	return p, nil
}

// StartKubernetes starts a plane without Crossplane: etcd, API server and controller manager. On an error nothing is left running.
func StartKubernetes(ctx context.Context, config Config) (*Plane, error) {
	p := &Plane{config: config, Motion: &Motion{}}

	free, err := ports.Free(4) //nolint:mnd // One for each server, and one for etcd's peers.
	if err == nil {
		err = p.startKubernetes(ctx, free[0], free[1], free[2], free[3])
	}

	if err != nil {
		p.Stop()

		return nil, fmt.Errorf("cannot start the API server, logs are in %s: %w", config.Dir, err)
	}

	return p, nil
}

// Stop all that was started, the last first. Logs stay.
func (p *Plane) Stop() {
	for _, s := range slices.Backward(p.started) {
		s.Stop()
	}

	p.started = nil
}

func (p *Plane) start(ctx context.Context) error {
	free, err := ports.Free(7)
	if err != nil {
		return err
	}

	if err := p.startKubernetes(ctx, free[0], free[1], free[2], free[3]); err != nil {
		return err
	}

	core := corePorts{webhook: free[4], metrics: free[5], health: free[6]}
	p.Metrics = "http://" + loopback(core.metrics) + "/metrics"

	if err := p.installCrossplane(ctx, core); err != nil {
		return err
	}

	if p.Registry, err = startRegistry(p.path("registry")); err != nil {
		return err
	}

	p.started = append(p.started, p.Registry)

	if err := p.launch(ctx, p.RBACManager, p.Crossplane); err != nil {
		return err
	}

	if err := p.redirectPackages(ctx); err != nil {
		return err
	}

	p.Functions, err = startFunctionRuntime(ctx, p)
	if err != nil {
		return err
	}

	p.started = append(p.started, p.Functions)

	return nil
}

// startKubernetes: etcd, API server and controller manager.
func (p *Plane) startKubernetes(ctx context.Context, api, etcdClient, etcdPeer, manager int) error {
	etcdPath, err := exec.LookPath("etcd")
	if err != nil {
		return fmt.Errorf("etcd is not installed, on Debian: apt-get install etcd-server: %w", err)
	}

	if p.credentials, err = newCredentials(p.path("credentials"), api); err != nil {
		return err
	}

	server, err := apiServer(p.tool("kube-apiserver"), p.credentials, api, etcdClient)
	if err != nil {
		return err
	}

	if p.Kubeconfig, err = p.credentials.kubeconfig("admin", p.credentials.token); err != nil {
		return err
	}

	p.REST = p.credentials.config(p.credentials.token)
	p.Etcd = newProcess(p.config.Dir, etcd(etcdPath, p.path("etcd"), etcdClient, etcdPeer))
	p.APIServer = newProcess(p.config.Dir, server)
	p.Motion.Add(stored("http://" + loopback(etcdClient)))
	p.ControllerManager = newProcess(p.config.Dir,
		controllerManager(p.tool("kube-controller-manager"), p.Kubeconfig, p.credentials.dir, manager))

	if err := p.launch(ctx, p.Etcd, p.APIServer, p.ControllerManager); err != nil {
		return err
	}

	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), pkgv1.AddToScheme(scheme), pkgv1beta1.AddToScheme(scheme), extv1.AddToScheme(scheme), extv1alpha1.AddToScheme(scheme)); err != nil {
		return err
	}

	p.Client, err = client.New(p.REST, client.Options{Scheme: scheme})

	return err
}

// launch programs one after the other.
func (p *Plane) launch(ctx context.Context, processes ...*Process) error {
	for _, proc := range processes {
		p.started = append(p.started, proc)

		if err := proc.Start(ctx); err != nil {
			return err
		}
	}

	return nil
}

// Run another program until the plane is stopped.
func (p *Plane) Run(ctx context.Context, program Program) (*Process, error) {
	proc := newProcess(p.config.Dir, program)

	return proc, p.launch(ctx, proc)
}

// path in the plane's folder; the folder it is in is made.
func (p *Plane) path(elem ...string) string {
	path := filepath.Join(append([]string{p.config.Dir}, elem...)...)
	_ = os.MkdirAll(filepath.Dir(path), 0o700) // Who uses it will say if it is not there.

	return path
}

func (p *Plane) tool(name string) string { return filepath.Join(p.config.Tools, name) }
