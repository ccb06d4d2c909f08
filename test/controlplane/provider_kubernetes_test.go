package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/ports"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	pkgv1 "github.com/crossplane/crossplane/apis/v2/pkg/v1"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// What people install for Nodes of other clusters, and to have Nodes deleted: docs/node.md.
const (
	observeFiles  = repository + "/install/observe"
	objectPackage = "crossplane-contrib/provider-kubernetes:v1.2.1"

	// objectAccount is the service account, and the name of the Provider.
	objectAccount = "provider-kubernetes"
	// objectConfig is the provider's configuration of install/observe/provider-config/another.yaml.
	objectConfig = "home"
)

// An objectAPI is the API of Objects beside composites of an installation.
type objectAPI struct {
	apiVersion string
	config     string // The file in install/observe/provider-config.
}

func (r *rig) objectAPI() objectAPI {
	if r.configuration == namespaced.configuration {
		return objectAPI{apiVersion: "kubernetes.m.crossplane.io/v1alpha1", config: "another-namespaced.yaml"}
	}

	return objectAPI{apiVersion: "kubernetes.crossplane.io/v1alpha2", config: "another.yaml"}
}

// startProviderKubernetes installs the real provider-kubernetes by the files that people apply, and runs it as its service account. Its
// configuration has a kubeconfig of that account, as for another cluster.
func (r *rig) startProviderKubernetes(t *testing.T) {
	t.Helper()

	source, err := release{pinned: "tools/provider-kubernetes", module: "github.com/crossplane-contrib/provider-kubernetes"}.source(t.Context())
	must(t, err)

	root := filepath.Join(logs, r.logs, r.configuration, objectAccount)
	must(t, copyFS(root, os.DirFS(filepath.Join(source, "package", "crds"))))

	const manifest = "apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata:\n  name: provider-kubernetes\n"

	must(t, os.WriteFile(filepath.Join(root, "crossplane.yaml"), []byte(manifest), 0o600))

	file, err := r.Build(root)
	must(t, err)
	must(t, r.Push(file, objectPackage))

	installed := objects(t, observeFiles+"/provider-kubernetes.yaml")
	must(t, r.apply(t.Context(), installed...))
	must(t, r.healthy(t.Context(), &pkgv1.Provider{ObjectMeta: metav1.ObjectMeta{Name: objectAccount}}))
	r.accountForObjects(t)
	must(t, r.apply(t.Context(), objects(t, observeFiles+"/provider-kubernetes-nodes.yaml")...))

	kubeconfig, err := r.AccountKubeconfig(t.Context(), objectAccount)
	must(t, err)

	credentials, err := os.ReadFile(kubeconfig)
	must(t, err)
	must(t, client.IgnoreAlreadyExists(r.Client.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "home-kubeconfig", Namespace: plane.Namespace}, Data: map[string][]byte{"kubeconfig": credentials},
	})))
	must(t, r.apply(t.Context(), objects(t, observeFiles+"/provider-config/"+r.objectAPI().config)...))

	r.runProviderKubernetes(t, kubeconfig, installed)
}

// accountForObjects gives the service account that was installed the rights on the provider's own kinds, which Crossplane gives it where it runs the provider.
func (r *rig) accountForObjects(t *testing.T) {
	t.Helper()

	must(t, r.Client.Get(t.Context(), client.ObjectKey{Name: objectAccount, Namespace: plane.Namespace}, &corev1.ServiceAccount{}))
	must(t, r.until(t.Context(), "the provider has a role", func(ctx context.Context) (bool, string) {
		l := &pkgv1.ProviderRevisionList{}
		if err := r.Client.List(ctx, l, client.MatchingLabels{pkgv1.LabelParentPackage: objectAccount}); err != nil || len(l.Items) != 1 {
			return false, fmt.Sprintf("there are %d revisions, error is %v", len(l.Items), err)
		}

		role := "crossplane:provider:" + l.Items[0].GetName() + ":system"
		if err := r.Client.Get(ctx, client.ObjectKey{Name: role}, &rbacv1.ClusterRole{}); err != nil {
			return false, err.Error()
		}

		err := r.Client.Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: objectAccount + ":" + role}, // Crossplane has one of the role's name, for accounts that it makes.
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: plane.Namespace, Name: objectAccount}},
		})

		// Another test of the same control plane may have made it, or a call whose answer was lost.
		return client.IgnoreAlreadyExists(err) == nil, fmt.Sprint(err)
	}))
}

// runProviderKubernetes with the arguments that people install it with.
func (r *rig) runProviderKubernetes(t *testing.T, kubeconfig string, installed []*unstructured.Unstructured) {
	t.Helper()

	var args []string

	for _, o := range installed {
		containers, _, _ := unstructured.NestedSlice(o.Object, "spec", "deploymentTemplate", "spec", "template", "spec", "containers")
		for _, c := range containers {
			args, _, _ = unstructured.NestedStringSlice(c.(map[string]any), "args") //nolint:forcetypeassert // As the API server took it.
		}
	}

	if len(args) == 0 {
		t.Fatal("provider-kubernetes is installed without arguments")
	}

	network := r.networkOfObjects(t)

	free, err := ports.Free(1)
	must(t, err)

	health := net.JoinHostPort("127.0.0.1", strconv.Itoa(free[0]))
	tool, err := filepath.Abs(filepath.Join(toolsBin, "provider-kubernetes"))
	must(t, err)

	// It runs as long as the plane, and not as long as the step that starts it.
	_, err = r.Run(context.WithoutCancel(t.Context()), plane.Program{
		Name: objectAccount, Path: tool, Args: append(args, "--debug", "--health-probe-bind-addr="+health),
		Env:     []string{"KUBECONFIG=" + kubeconfig, "TLS_SERVER_CERTS_DIR=" + r.Functions.Certificates()},
		Network: network,
	})
	must(t, err)
}

// networkOfObjects is a network of the provider's own, whose port for webhooks is fixed: from there it reaches the API server and nothing else.
// Who may not make one lets the provider of one plane run after the other, in the network of all, which is nil.
func (r *rig) networkOfObjects(t *testing.T) *plane.Network {
	t.Helper()

	network, err := plane.NewNetwork()
	if errors.Is(err, syscall.EPERM) {
		r.holdWebhookPort(t)

		return nil
	}

	must(t, err)

	server, err := url.Parse(r.REST.Host)
	must(t, err)

	forwarded, err := network.Forward(server.Host)
	must(t, err)

	r.atEnd = append(r.atEnd, forwarded.Close, network.Close)

	return network
}

// holdWebhookPort waits until nobody else runs tests with the provider, whose port for webhooks is fixed, and keeps others out until this
// plane is stopped.
func (r *rig) holdWebhookPort(t *testing.T) {
	t.Helper()

	f, err := os.OpenFile(filepath.Join(os.TempDir(), "provider-kubernetes-webhook-port.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	must(t, err)

	r.atEnd = append(r.atEnd, f.Close)

	// Other tests have whole lives of clusters to go through, one after the other, and fail by themselves where nothing moves.
	must(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
}

// deletions are the names of the Nodes that an Object of a machine may delete.
func (r *rig) deletions(ctx context.Context) (map[string]bool, error) {
	l := &unstructured.UnstructuredList{}
	l.SetAPIVersion(r.objectAPI().apiVersion)
	l.SetKind("ObjectList")

	if err := r.Client.List(ctx, l); err != nil {
		return nil, err
	}

	out := map[string]bool{}

	for _, o := range l.Items {
		policies, _, _ := unstructured.NestedStringSlice(o.Object, "spec", "managementPolicies")
		name, _, _ := unstructured.NestedString(o.Object, "spec", "forProvider", "manifest", "metadata", "name")

		switch got := strings.Join(policies, " "); got {
		case "Observe":
		case "Observe Delete":
			out[name] = true
		default:
			return nil, fmt.Errorf("Object %s has the policies %s", o.GetName(), got)
		}
	}

	return out, nil
}
