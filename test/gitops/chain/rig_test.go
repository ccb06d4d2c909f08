package chain

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Paths from this folder.
const (
	repository   = "../../.."
	toolsBin     = repository + "/.tools/bin"
	output       = repository + "/_output"
	logs         = output + "/e2e-flux"
	providerCRDs = repository + "/../shared/provider-crds/v1.18.0"
)

// Names of packages in their registries.
const (
	functionPackage = "homelab-io/function-proxmox-machine"
	providerPackage = "valkiriaaquaticamendi/provider-proxmox-bpg"
	nextVersion     = "v99.0.0" // The same again: an upgrade that changes nothing but its number.
)

// version is that of our packages in example/flux.
var version = pinnedVersion(repository + "/example/flux/packages/base/function.yaml")

// pinnedVersion is what stands behind the name of the function's package in a file; empty if there is none, and no package is found then.
func pinnedVersion(file string) string {
	data, err := os.ReadFile(file) //nolint:gosec // A file of the example.
	if err != nil {
		return ""
	}

	_, version, _ := strings.Cut(string(data), functionPackage+":")
	version, _, _ = strings.Cut(version, "\n")

	return version
}

// startTimeout is for all that a plane needs to be ready, on a machine that is busy with other things, too.
const startTimeout = 5 * time.Minute

var update = flag.Bool("update", false, "record the objects that the tests beside this folder judge")

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard()) // What controllers do is told by what they write.
	flag.Parse()
	os.Exit(m.Run())
}

// A variant is one way to install, with a folder in example/flux/clusters.
type variant struct {
	cluster       string
	configuration string
}

var variants = map[string]variant{
	"Claims":     {cluster: "claims", configuration: "configuration-proxmox-machine"},
	"Namespaced": {cluster: "namespaced", configuration: "configuration-proxmox-machine-namespaced"},
}

// A rig is a control plane with Flux on it, and a Git server. Nothing of ours is installed: that is what commits are for.
type rig struct {
	*plane.Plane
	variant

	t        *testing.T
	dir      string
	world    *standin.World
	provider *standin.Provider
	git      *repositories
	fleet    *checkout
}

// newRig starts all, and stops it at the end of the test.
func newRig(t *testing.T, v variant) *rig {
	t.Helper()

	needed(t, slices.Concat(fluxControllers, []string{"crossplane", "crossplane-core", "flux", "sops", "age-keygen"})...)

	if _, err := os.Stat(providerCRDs); err != nil {
		lacks(t, "no CRDs of the provider, which are not part of this repository")
	}

	dir, err := filepath.Abs(filepath.Join(logs, v.cluster))
	must(t, err)
	must(t, os.RemoveAll(dir))

	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()

	source, err := moduleDir(ctx, "tools/cluster", "github.com/crossplane/crossplane/v2")
	must(t, err)

	tools, err := filepath.Abs(toolsBin)
	must(t, err)

	p, err := plane.Start(ctx, plane.Config{
		Dir: dir, Tools: tools, Core: "crossplane-core", Crossplane: source,
		// The stand-in is some ten times as fast as the provider.
		CrossplaneArgs: []string{"--circuit-breaker-burst=1000", "--circuit-breaker-refill-rate=10"},
	})
	must(t, err)
	t.Cleanup(p.Stop)

	r := &rig{Plane: p, variant: v, t: t, dir: dir, world: standin.NewWorld("pve1", "pve2", "pve3")}
	t.Cleanup(func() {
		if r.provider != nil {
			r.provider.Stop()
		}
	})

	r.pushPackages(version)
	r.git = serveGit(t, filepath.Join(dir, "git"))
	r.startFlux(ctx, fluxControllers...)

	return r
}

// fluxControllers are those of Flux that the example needs.
var fluxControllers = []string{"source-controller", "kustomize-controller", "helm-controller"}

// needed ends a test that lacks programs, which are in .tools/bin, or what every plane needs.
func needed(t *testing.T, tools ...string) {
	t.Helper()

	for _, name := range append([]string{"kube-apiserver", "kube-controller-manager"}, tools...) {
		if _, err := os.Stat(filepath.Join(toolsBin, name)); err != nil {
			lacks(t, "no "+name+" in .tools/bin: make e2e-flux builds it")
		}
	}

	for _, program := range []string{"etcd", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			lacks(t, "no "+program)
		}
	}
}

// lacks ends a test that lacks something: it fails in CI, and is skipped elsewhere.
func lacks(t *testing.T, what string) {
	t.Helper()

	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}

	t.Skip(what)
}

// pushPackages of a version to the registry, from where Crossplane fetches what Git names.
func (r *rig) pushPackages(version string) {
	r.t.Helper()

	packages := map[string]string{
		"function-proxmox-machine-amd64.xpkg": functionPackage + ":" + version,
		r.configuration + ".xpkg":             "homelab-io/" + r.configuration + ":" + version,
	}
	for file, name := range packages {
		must(r.t, r.Push(filepath.Join(output, file), name))
	}

	root := filepath.Join(r.dir, "provider-proxmox-bpg")
	must(r.t, os.RemoveAll(root))
	must(r.t, os.CopyFS(root, os.DirFS(providerCRDs)))

	const manifest = "apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata:\n  name: provider-proxmox-bpg\n"
	must(r.t, os.WriteFile(filepath.Join(root, "crossplane.yaml"), []byte(manifest), 0o600))

	file, err := r.Build(root)
	must(r.t, err)
	must(r.t, r.Push(file, providerPackage+":v1.18.0"))
}

// moduleDir is the folder of a module's source, of the version that a tool's go.mod pins.
func moduleDir(ctx context.Context, pinned, module string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module)
	cmd.Dir = filepath.Join(repository, pinned)

	out, err := cmd.Output()
	if dir := strings.TrimSpace(string(out)); err == nil && dir != "" {
		return dir, nil
	}

	return "", fmt.Errorf("cannot find the source of %s: %w", module, err)
}

func must(t *testing.T, err error) {
	t.Helper()

	if err != nil {
		t.Fatal(err)
	}
}

// secret reads one of the cluster.
func (r *rig) secret(namespace, name string) map[string][]byte {
	r.t.Helper()

	s := &corev1.Secret{}
	must(r.t, r.Client.Get(r.t.Context(), key(namespace, name), s))

	return s.Data
}
