package chain

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

const fluxNamespace = "flux-system"

// startFlux installs the CRDs of controllers of Flux and runs them, as `flux bootstrap` and the cluster do together.
func (r *rig) startFlux(ctx context.Context, controllers ...string) {
	r.t.Helper()

	must(r.t, client.IgnoreAlreadyExists(r.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fluxNamespace}})))

	for _, c := range controllers {
		dir, err := moduleDir(ctx, "tools/flux/controllers", "github.com/fluxcd/"+c)
		must(r.t, err)

		files, err := filepath.Glob(filepath.Join(dir, "config", "crd", "bases", "*.yaml"))
		must(r.t, err)

		for _, f := range files {
			o := &unstructured.Unstructured{}
			content, err := os.ReadFile(f)
			must(r.t, err)
			must(r.t, yaml.Unmarshal(content, &o.Object))
			must(r.t, r.Client.Create(ctx, o))
		}
	}

	r.runControllers(ctx, controllers)
}

// runControllers as processes of their own. What a test must not wait for is set shorter than by default: --requeue-dependency
// is 30 s, a commit passes five layers, and without the feature gate a commit that mends something waits until the health check of the broken one is over.
func (r *rig) runControllers(ctx context.Context, controllers []string) {
	r.t.Helper()

	tools, err := filepath.Abs(toolsBin)
	must(r.t, err)

	storage := filepath.Join(r.dir, "artifacts")
	must(r.t, os.MkdirAll(storage, 0o700))

	store := freeAddress(r)
	own := map[string][]string{
		"source-controller":    {"--storage-path=" + storage, "--storage-addr=" + store, "--storage-adv-addr=" + store},
		"kustomize-controller": {"--requeue-dependency=1s", "--feature-gates=CancelHealthCheckOnNewRevision=true"},
		"helm-controller":      nil,
	}

	for _, name := range controllers {
		health, metrics := freeAddress(r), freeAddress(r)

		_, err := r.Run(ctx, plane.Program{
			Name: name, Path: filepath.Join(tools, name),
			Args: append([]string{
				"--watch-all-namespaces=true", "--enable-leader-election=false", "--log-level=info", "--events-addr=",
				"--health-addr=" + health, "--metrics-addr=" + metrics,
			}, own[name]...),
			Env:   []string{"KUBECONFIG=" + r.Kubeconfig, "RUNTIME_NAMESPACE=" + fluxNamespace, "TUF_ROOT=" + filepath.Join(r.dir, "tuf")},
			Ready: answers("http://" + health + "/readyz"),
		})
		must(r.t, err)
	}
}

func answers(url string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}

		rsp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer rsp.Body.Close()

		if rsp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", url, rsp.Status)
		}

		return nil
	}
}

func freeAddress(r *rig) string {
	r.t.Helper()

	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(r.t, err)

	defer l.Close()

	return l.Addr().String()
}
