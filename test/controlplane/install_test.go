package controlplane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	pkgv1 "github.com/crossplane/crossplane/apis/v2/pkg/v1"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// Names of packages in their registries.
const (
	functionPackage = "homelab-io/function-proxmox-machine"
	providerPackage = "valkiriaaquaticamendi/provider-proxmox-bpg"
	version         = "v0.2.0-dev"

	// functionName is what Crossplane calls a Function that it installs because a Configuration depends on it.
	functionName = "homelab-io-function-proxmox-machine"
)

// install what a user has: the provider with its credentials, and our Configuration, which brings its Function.
func (r *rig) install(ctx context.Context) error {
	if err := r.push(ctx); err != nil {
		return err
	}

	provider := &pkgv1.Provider{ObjectMeta: metav1.ObjectMeta{Name: "provider-proxmox-bpg"}}
	provider.Spec.Package = "xpkg.upbound.io/" + providerPackage + ":" + r.release.provider

	configuration := &pkgv1.Configuration{ObjectMeta: metav1.ObjectMeta{Name: r.configuration}}
	configuration.Spec.Package = "ghcr.io/homelab-io/" + r.configuration + ":" + version

	function := &pkgv1.Function{ObjectMeta: metav1.ObjectMeta{Name: functionName}}
	packages, ours := []pkgv1.Package{provider, configuration, function}, []client.Object{configuration}

	if r.fromGit {
		packages = []pkgv1.Package{provider, function}

		var err error
		if ours, err = manifests("package/xrds/*.yaml", "install/legacy/*.yaml"); err != nil {
			return err
		}
	}

	for _, o := range append([]client.Object{provider}, ours...) {
		if err := r.Client.Create(ctx, o); err != nil {
			return fmt.Errorf("cannot install %s: %w", o.GetName(), err)
		}
	}

	for _, p := range packages {
		if err := r.healthy(ctx, p); err != nil {
			return err
		}
	}

	if err := r.offered(ctx); err != nil {
		return err
	}

	if r.safeStart {
		if _, err := r.activated(ctx); err != nil {
			return err
		}
	}

	if err := r.configureProvider(ctx); err != nil {
		return err
	}

	return r.startProvider()
}

// startProvider starts the stand-in as the provider was in the release that is installed.
func (r *rig) startProvider() (err error) {
	start := standin.Start

	switch {
	case r.fromGit:
		start = standin.StartOld
	case r.safeStart:
		start = standin.StartServed
	}

	r.provider, err = start(r.REST, r.world, standin.Quick)

	return err
}

// manifests of the repository that match patterns.
func manifests(patterns ...string) ([]client.Object, error) {
	var out []client.Object

	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("there is no %s: %w", pattern, err)
		}

		for _, file := range files {
			objects, err := decode(file)
			if err != nil {
				return nil, err
			}

			for _, o := range objects {
				out = append(out, o)
			}
		}
	}

	return out, nil
}

// push all packages to the registry.
func (r *rig) push(ctx context.Context) error {
	// A package of the provider's CRDs: the RBAC manager gives Crossplane access to the kinds of packages only.
	root := filepath.Join(logs, r.logs, r.configuration, "provider-proxmox-bpg")
	if err := copyFS(root, os.DirFS(filepath.Join(providerCRDs, r.release.provider))); err != nil {
		return err
	}

	// Those of what a machine or a ProxmoxSite has beside VMs and files are in another folder; the function makes none with provider releases up to v0.11.1.
	if !r.fromGit {
		if err := r.copyFurtherKinds(root); err != nil {
			return err
		}
	}

	manifest := "apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata:\n  name: provider-proxmox-bpg\n"
	if r.safeStart {
		manifest += "spec:\n  capabilities: [SafeStart]\n"
	}

	if err := os.WriteFile(filepath.Join(root, "crossplane.yaml"), []byte(manifest), 0o600); err != nil {
		return err
	}

	provider, err := r.Build(root)
	if err != nil {
		return err
	}

	packages := map[string]string{
		provider: providerPackage + ":" + r.release.provider,
		filepath.Join(output, "function-proxmox-machine-amd64.xpkg"): functionPackage + ":" + version,
	}
	if !r.fromGit {
		packages[filepath.Join(output, r.configuration+".xpkg")] = "homelab-io/" + r.configuration + ":" + version
	}

	g, _ := errgroup.WithContext(ctx)
	for file, name := range packages {
		g.Go(func() error { return r.Push(file, name) })
	}

	return g.Wait()
}

// copyFurtherKinds copies the CRDs of what a machine or a ProxmoxSite has beside VMs and files into the provider's package.
func (r *rig) copyFurtherKinds(root string) error {
	for _, kind := range []string{kindBridge, kindVLAN, kindPool, kindFirewallOptions, kindFirewallRules, kindHA} {
		files, err := filepath.Glob(filepath.Join(otherCRDs, "provider-proxmox-bpg-"+r.release.provider, "virtual"+strings.ToLower(kind)+".*.yaml"))
		if err != nil || len(files) == 0 {
			return fmt.Errorf("there is no CRD of kind %s: %w", kind, err)
		}

		for _, file := range files {
			crd, err := os.ReadFile(file)
			if err != nil {
				return err
			}

			if err := os.WriteFile(filepath.Join(root, filepath.Base(file)), crd, 0o600); err != nil {
				return err
			}
		}
	}

	return nil
}

// healthy waits until a package is installed and healthy.
func (r *rig) healthy(ctx context.Context, p pkgv1.Package) error {
	return r.until(ctx, p.GetName()+" is healthy", func(ctx context.Context) (bool, string) {
		if err := r.Client.Get(ctx, client.ObjectKeyFromObject(p), p); err != nil {
			return false, err.Error()
		}

		for _, t := range []xpv2.ConditionType{pkgv1.TypeInstalled, pkgv1.TypeHealthy} {
			if c := p.GetCondition(t); c.Status != corev1.ConditionTrue {
				return false, fmt.Sprintf("%s is %q: %s %s", t, c.Status, c.Reason, c.Message)
			}
		}

		return true, ""
	})
}

// offered waits until our kinds are there.
func (r *rig) offered(ctx context.Context) error {
	return r.until(ctx, "the XRDs are established and offered", func(ctx context.Context) (bool, string) {
		l := &extv1.CompositeResourceDefinitionList{}
		if err := r.Client.List(ctx, l); err != nil {
			return false, err.Error()
		}

		for i := range l.Items {
			want := []xpv2.ConditionType{extv1.TypeEstablished}
			if l.Items[i].Spec.ClaimNames != nil {
				want = append(want, extv1.TypeOffered)
			}

			for _, t := range want {
				if c := l.Items[i].Status.GetCondition(t); c.Status != corev1.ConditionTrue {
					return false, fmt.Sprintf("%s: %s is %q: %s", l.Items[i].Name, t, c.Status, c.Message)
				}
			}
		}

		return len(l.Items) == 5, fmt.Sprintf("there are %d XRDs", len(l.Items))
	})
}

// configureProvider as its user does. Nobody logs in anywhere with these credentials.
func (r *rig) configureProvider(ctx context.Context) error {
	secret := func(namespace string) *corev1.Secret {
		return &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: "proxmox-credentials", Namespace: namespace},
			StringData: map[string]string{"credentials": `{"endpoint": "https://pve.example.invalid:8006", "api_token": "made-up"}`},
		}
	}

	config := func(group, kind, namespace string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"credentials": map[string]any{
			"source": "Secret", "secretRef": map[string]any{"namespace": "crossplane-system", "name": "proxmox-credentials", "key": "credentials"},
		}}}}
		u.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: "v1beta1", Kind: kind})
		u.SetName("default")
		u.SetNamespace(namespace)

		return u
	}

	all := []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: machines}},
		secret("crossplane-system"),
		config("proxmoxbpg.crossplane.io", "ProviderConfig", ""),
	}
	if !r.fromGit {
		all = append(all, config("proxmoxbpg.m.crossplane.io", "ClusterProviderConfig", ""))
	}

	for _, o := range all {
		if err := r.Client.Create(ctx, o); err != nil {
			return fmt.Errorf("cannot create %T %s: %w", o, o.GetName(), err)
		}
	}

	return nil
}

// machines is the namespace of the examples' claims.
const machines = "infra-machines"

// TestInstall installs each Configuration on a plane of its own, as a user does, and looks at what is there then.
func TestInstall(t *testing.T) {
	cases := map[string]struct {
		reason string
		on     *installation
		kinds  []string
	}{
		"Claims": {
			reason: "The claims package offers claims, on Crossplane as its service account.",
			on:     claims,
			kinds:  []string{"XContainer", "XK3sCluster", "XK3sNode", "XMachine", "XProxmoxSite"},
		},
		"Namespaced": {
			reason: "The namespaced package has composites of the same kinds, and no claims.",
			on:     namespaced,
			kinds:  []string{"Container", "K3sCluster", "K3sNode", "Machine", "ProxmoxSite"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			r := tc.on.rig(t)
			t.Logf("plane and packages: %s", time.Since(begin).Round(100*time.Millisecond))

			l := &extv1.CompositeResourceDefinitionList{}
			if err := r.Client.List(t.Context(), l); err != nil {
				t.Fatal(err)
			}

			var kinds []string
			for i := range l.Items {
				kinds = append(kinds, l.Items[i].Spec.Names.Kind)
			}

			slices.Sort(kinds)

			if !slices.Equal(kinds, tc.kinds) {
				t.Errorf("%s\nkinds: got %v, want %v", tc.reason, kinds, tc.kinds)
			}

			if n := len(r.Functions.Running()); n != 1 {
				t.Errorf("%s\n%d functions run, want 1", tc.reason, n)
			}
		})
	}
}
