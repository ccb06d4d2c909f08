package plane

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Names that Crossplane's chart gives.
const (
	accountCore = "crossplane"
	accountRBAC = "rbac-manager"

	deploymentCore = "crossplane"
	deploymentRBAC = "crossplane-rbac-manager"

	serviceWebhooks = "crossplane-webhooks"

	secretAuthority = "crossplane-root-ca"
	secretServer    = "crossplane-tls-server"
	secretClient    = "crossplane-tls-client"
)

// corePorts are the ports of Crossplane.
type corePorts struct{ webhook, metrics, health int }

// installCrossplane as its chart does, and prepare its programs.
func (p *Plane) installCrossplane(ctx context.Context, core corePorts) error {
	chart, err := renderChart(filepath.Join(p.config.Crossplane, "cluster/charts/crossplane"), p.config.ChartValues)
	if err != nil {
		return err
	}

	if err := p.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}); err != nil {
		return fmt.Errorf("cannot create namespace %s: %w", Namespace, err)
	}

	if err := chart.apply(ctx, p.Client); err != nil {
		return err
	}

	// The API server itself resolves a name of this type, so the webhook needs no network of a cluster.
	if err := p.Client.Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: serviceWebhooks, Namespace: Namespace},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeExternalName, ExternalName: "localhost",
			Ports: []corev1.ServicePort{{Port: int32(core.webhook)}},
		},
	}); err != nil {
		return fmt.Errorf("cannot create Service %s: %w", serviceWebhooks, err)
	}

	if err := p.initialise(ctx, chart.deployments[deploymentCore], core); err != nil {
		return err
	}

	if err := p.prepareCore(ctx, chart.deployments[deploymentCore], core); err != nil {
		return err
	}

	return p.prepareRBAC(ctx, chart.deployments[deploymentRBAC])
}

// initialise runs the init container: CRDs, webhooks and certificates. On a fresh API server it fails at first, since the
// CRDs that it has just made are not served yet; a Pod would be restarted, too.
func (p *Plane) initialise(ctx context.Context, d *appsv1.Deployment, ports corePorts) error {
	kubeconfig, err := p.accountKubeconfig(ctx, accountCore)
	if err != nil {
		return err
	}

	container := d.Spec.Template.Spec.InitContainers[0]
	program := Program{
		Name: "crossplane-init", Path: p.tool(p.config.Core), Args: container.Args,
		Env: environment(container, accountCore, map[string]string{
			"KUBECONFIG":           kubeconfig,
			"CRDS_PATH":            filepath.Join(p.config.Crossplane, "cluster/crds"),
			"WEBHOOK_CONFIGS_PATH": filepath.Join(p.config.Crossplane, "cluster/webhookconfigurations"),
			"WEBHOOK_SERVICE_PORT": fmt.Sprint(ports.webhook),
		}),
	}

	if p.config.OwnRoot {
		if program, err = p.withOwnRoot(program, kubeconfig); err != nil {
			return err
		}
		defer os.RemoveAll(program.Root)
	}

	process := newProcess(p.config.Dir, program)

	return p.Motion.eventually(ctx, func(context.Context) (bool, error) {
		err := process.run()

		return err == nil, pending(err)
	})
}

// prepareCore makes the program of Crossplane itself, which runs as its service account.
func (p *Plane) prepareCore(ctx context.Context, d *appsv1.Deployment, ports corePorts) error {
	for secret, dir := range map[string]string{secretServer: "server", secretClient: "client"} {
		s := &corev1.Secret{}
		if err := p.Client.Get(ctx, client.ObjectKey{Namespace: Namespace, Name: secret}, s); err != nil {
			return fmt.Errorf("cannot get Secret %s: %w", secret, err)
		}

		if err := writeFiles(p.path("tls", dir), s.Data); err != nil {
			return err
		}
	}

	kubeconfig, err := p.accountKubeconfig(ctx, accountCore)
	if err != nil {
		return err
	}

	// In a container these are volumes.
	for _, cache := range []string{"xpkg", "xfn"} {
		if err := os.MkdirAll(p.path("cache", cache), 0o700); err != nil {
			return err
		}
	}

	container := d.Spec.Template.Spec.Containers[0]
	p.Crossplane = newProcess(p.config.Dir, Program{
		Name: "crossplane", Path: p.tool(p.config.Core),
		Args:  slices.Concat([]string{"--debug"}, container.Args, p.config.CrossplaneArgs),
		Ready: httpReady(http.DefaultClient, "http://"+loopback(ports.health)+"/readyz"),
		Env: slices.Concat(generous, environment(container, accountCore, map[string]string{
			"KUBECONFIG":           kubeconfig,
			"LEADER_ELECTION":      "false",    // There is one of each, and it is not in a Pod.
			"PACKAGE_RUNTIME":      "External", // Nothing runs Deployments: see runtime.go.
			"TLS_SERVER_CERTS_DIR": p.path("tls", "server"),
			"TLS_CLIENT_CERTS_DIR": p.path("tls", "client"),
			"XPKG_CACHE_DIR":       p.path("cache", "xpkg"),
			"XFN_CACHE_DIR":        p.path("cache", "xfn"),
			"WEBHOOK_PORT":         fmt.Sprint(ports.webhook),
			"METRICS_PORT":         fmt.Sprint(ports.metrics),
			"HEALTH_PROBE_PORT":    fmt.Sprint(ports.health),
		})),
	})

	return nil
}

// prepareRBAC makes the program of the RBAC manager, which runs as its own service account. It has no settings for ports:
// that of its metrics is chosen when it is built, see the Makefile.
func (p *Plane) prepareRBAC(ctx context.Context, d *appsv1.Deployment) error {
	kubeconfig, err := p.accountKubeconfig(ctx, accountRBAC)
	if err != nil {
		return err
	}

	container := d.Spec.Template.Spec.Containers[0]
	p.RBACManager = newProcess(p.config.Dir, Program{
		Name: "crossplane-rbac-manager", Path: p.tool(p.config.Core), Args: append([]string{"--debug"}, container.Args...),
		Env: slices.Concat(generous, environment(container, accountRBAC, map[string]string{"KUBECONFIG": kubeconfig, "LEADER_ELECTION": "false"})),
	})

	return nil
}

// AccountKubeconfig is the path of the configuration of a program that runs as a service account of Crossplane's namespace.
func (p *Plane) AccountKubeconfig(ctx context.Context, name string) (path string, err error) {
	return p.accountKubeconfig(ctx, name)
}

// accountKubeconfig writes the configuration of a program that runs as a service account of Crossplane's namespace.
func (p *Plane) accountKubeconfig(ctx context.Context, name string) (path string, err error) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace}}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(24 * 60 * 60))}}

	if err := p.Client.SubResource("token").Create(ctx, account, request); err != nil {
		return "", fmt.Errorf("cannot create a token for ServiceAccount %s: %w", name, err)
	}

	return p.credentials.kubeconfig(name, request.Status.Token)
}
