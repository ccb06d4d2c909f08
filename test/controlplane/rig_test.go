package controlplane

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// Paths from this folder.
const (
	repository   = "../.."
	toolsBin     = repository + "/.tools/bin"
	output       = repository + "/_output"
	logs         = output + "/e2e"
	providerCRDs = repository + "/../shared/provider-crds"
	otherCRDs    = repository + "/../shared/other-crds" // Of kinds that are not of machines.
)

// faster lets Crossplane take as many events of one composite as the stand-in makes, which is some ten times as fast as the
// provider. With the defaults, 100 events and one more each second, Crossplane looks away for minutes when a second thing
// happens to a machine right after it was made.
var faster = []string{"--circuit-breaker-burst=1000", "--circuit-breaker-refill-rate=10"}

// A rig is a control plane on which our packages and the provider's stand-in are installed.
type rig struct {
	*plane.Plane

	release
	configuration string // Name of our Configuration.
	world         *standin.World
	provider      *standin.Provider
	reserved      *os.File       // Held open, which keeps others out of the plane's folder.
	atEnd         []func() error // What is closed once all programs have ended.
}

// A release of Crossplane, and of the provider that people have with it.
type release struct {
	core     string // Program in .tools/bin.
	pinned   string // Folder of the module that pins its version.
	module   string
	args     []string // Beside those of Crossplane's chart.
	ownRoot  bool
	provider string
	// fromGit lets the rig install as people do who have a provider up to v0.11.1: see install/legacy.
	fromGit bool
	// values of Crossplane's chart; nil for its own.
	values map[string]any
	// safeStart is how the real provider's package is: of its kinds, those are served that a policy activates.
	safeStart bool
	logs      string // Folder in that of all logs.
}

var current = release{
	core: "crossplane-core", pinned: "tools/cluster", module: "github.com/crossplane/crossplane/v2", args: faster, provider: "v1.18.0",
}

// An installation is one of our Configuration packages. Each has a plane of its own, since they define the same kinds.
type installation struct {
	release
	configuration string
	start         func() (*rig, error)
	started       *rig
}

var (
	installations []*installation // All of them.

	claims     = newInstallation(current, "configuration-proxmox-machine")
	namespaced = newInstallation(current, "configuration-proxmox-machine-namespaced")
)

func newInstallation(on release, configuration string) *installation {
	i := &installation{release: on, configuration: configuration}
	i.start = sync.OnceValues(func() (*rig, error) {
		var err error
		i.started, err = startRig(context.Background(), i.release, configuration)

		return i.started, err
	})
	installations = append(installations, i)

	return i
}

// rig of an installation. It is started by the first test that needs it and serves all others.
func (i *installation) rig(t *testing.T) *rig {
	t.Helper()

	i.release.needed(t)

	r, err := i.start()
	if err != nil {
		t.Fatal(err)
	}

	return r
}

// ownPlanes is how many tests may have a plane of their own at once. An API server takes 1.3 GiB, and two planes serve all other tests.
var ownPlanes = make(chan struct{}, 5)

// ownRig is a plane for one test, with what an installation installs. It waits until there is room for it.
func ownRig(t *testing.T, on *installation, name string) *rig {
	t.Helper()
	on.release.needed(t)

	ownPlanes <- struct{}{}

	t.Cleanup(func() { <-ownPlanes })

	kind := on.release
	kind.logs = name

	r, err := startRig(t.Context(), kind, on.configuration)
	must(t, err)
	t.Cleanup(r.stop)

	return r
}

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard()) // What controllers do is told by what they write.
	klog.SetLogger(logr.Discard()) // While an API server is restarted, watches end.
	flag.Parse()

	// Most of a test's time is waiting.
	if err := flag.Set("test.parallel", "24"); err != nil {
		panic(err)
	}

	// Most of the processor time of this process is its garbage, and there is memory enough.
	debug.SetGCPercent(gcPercent)

	code := m.Run()

	for _, i := range installations {
		i.started.stop()
	}

	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err == nil {
		fmt.Fprintf(os.Stderr, "processor time in seconds, tests and stand-in: %d\n", own.Utime.Sec+own.Stime.Sec)
	}

	if code != 0 {
		fmt.Fprintf(os.Stderr, "logs of the control planes are in %s\n", logs)
	}

	os.Exit(code)
}

// gcPercent lets the heap grow to five times of what is in use before garbage is collected.
const gcPercent = 400

// needed ends a test that lacks something: it fails in CI, and is skipped elsewhere.
func (r release) needed(t *testing.T) {
	t.Helper()

	why := absent(r)

	switch {
	case why == "":
	case os.Getenv("CI") == "true":
		t.Fatal(why)
	default:
		t.Skip(why)
	}
}

// absent says what the tests lack; empty if nothing.
func absent(r release) string {
	for _, t := range []string{"kube-apiserver", "kube-controller-manager", "crossplane", r.core} {
		if _, err := os.Stat(filepath.Join(toolsBin, t)); err != nil {
			return "no " + t + " in .tools/bin: run make tool-" + t
		}
	}

	if _, err := exec.LookPath("etcd"); err != nil {
		return "no etcd, which Debian has in its package etcd-server"
	}

	if _, err := os.Stat(filepath.Join(providerCRDs, r.provider)); err != nil {
		return "no CRDs of the provider, which are not part of this repository"
	}

	return ""
}

// startRig starts a plane and installs all on it.
func startRig(ctx context.Context, on release, configuration string) (*rig, error) {
	dir, err := filepath.Abs(filepath.Join(logs, on.logs, configuration))
	if err != nil {
		return nil, err
	}

	mine, err := reserve(dir)
	if err != nil {
		return nil, err
	}

	r, err := startRigIn(ctx, dir, on, configuration)
	if err != nil {
		return nil, errors.Join(err, mine.Close())
	}

	r.reserved = mine

	return r, nil
}

func startRigIn(ctx context.Context, dir string, on release, configuration string) (*rig, error) {
	source, err := on.source(ctx)
	if err != nil {
		return nil, err
	}

	tools, err := filepath.Abs(toolsBin)
	if err != nil {
		return nil, err
	}

	p, err := plane.Start(ctx, plane.Config{
		Dir: dir, Tools: tools, Core: on.core, Crossplane: source, OwnRoot: on.ownRoot, CrossplaneArgs: on.args, ChartValues: on.values,
	})
	if err != nil {
		return nil, err
	}

	r := &rig{Plane: p, release: on, configuration: configuration, world: homelab()}
	r.Motion.Add(r.proxmoxMoves())

	if err := r.install(ctx); err != nil {
		r.stop()

		return nil, fmt.Errorf("logs are in %s: %w", dir, err)
	}

	return r, nil
}

// stop the rig; none is fine.
func (r *rig) stop() {
	if r == nil {
		return
	}

	if r.provider != nil {
		r.provider.Stop()
	}

	r.Plane.Stop()
	r.reportUsed()

	for _, end := range r.atEnd {
		_ = end()
	}

	_ = r.reserved.Close() // Which lets others in.
}

// reportUsed prints the processor time of each program, so that a suite that takes more of it is found.
func (r *rig) reportUsed() {
	dir := filepath.Join(logs, r.release.logs, r.configuration)

	used, err := os.ReadFile(filepath.Join(dir, plane.UsedFile))
	if err != nil {
		return // No program has ended.
	}

	fmt.Fprintf(os.Stderr, "processor time in seconds, %s: %s\n", dir, strings.ReplaceAll(strings.TrimSpace(string(used)), "\n", ", "))
}

// source is the folder of the module's source in the module cache, of the version that is run.
func (r release) source(ctx context.Context) (string, error) {
	for _, args := range [][]string{{"mod", "download", r.module}, {"list", "-m", "-f", "{{.Dir}}", r.module}} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = filepath.Join(repository, r.pinned)

		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("cannot find the source of %s: %w: %s", r.module, err, stderr(err))
		}

		if dir := strings.TrimSpace(string(out)); dir != "" {
			return dir, nil
		}
	}

	return "", fmt.Errorf("cannot find the source of %s", r.module)
}

func stderr(err error) string {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(exit.Stderr)
	}

	return ""
}

// homelab is the Proxmox of all examples: hosts, snippets of tests that lie on them, templates and images. Those of an example: lay.
func homelab() *standin.World {
	w := standin.NewWorld("pve", "pve1", "pve2", "pve3", "fun-bedbug", "still-fawn", "chief-horse", "pve11", "pve12")

	for node, volumes := range map[string][]string{
		"pve":         {"local:snippets/k3s-token.yaml", template},
		"pve2":        {"local:snippets/k3s-token.yaml"},
		"chief-horse": {"local:import/haos_ova-14.2.qcow2"},
	} {
		for _, v := range volumes {
			w.AddVolume(standin.Volume{Node: node, ID: v})
		}
	}

	w.AddVM(standin.VM{ID: 9000, Node: "pve"})

	return w
}

// copyFS copies a folder of files.
func copyFS(dir string, from fs.FS) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}

	return os.CopyFS(dir, from)
}
