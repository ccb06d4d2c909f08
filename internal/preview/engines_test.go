package preview

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Where the tests run from, the repository is up there.
const repository = "../.."

// realEngine is Crossplane, with the function of this repository, and the command line and the engine that `make tools` builds.
func realEngine(t *testing.T) Engine {
	t.Helper()

	tools, err := filepath.Abs(filepath.Join(repository, ".tools", "bin"))
	if err != nil {
		t.Fatal(err)
	}

	crossplane, core := filepath.Join(tools, "crossplane"), filepath.Join(tools, "crossplane-core")

	for _, tool := range []string{crossplane, core} {
		if _, err := os.Stat(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("a tool is missing: %v (run `make tool-crossplane tool-crossplane-core`)", err)
			}

			t.Skipf("a tool is missing: %v (run `make tool-crossplane tool-crossplane-core`)", err)
		}
	}

	binary := filepath.Join(t.TempDir(), "function")

	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	build.Dir = repository

	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cannot build the function: %v\n%s", err, out)
	}

	fn, err := StartFunction(t.Context(), binary, false, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(fn.Stop)

	return Crossplane{CommandLine: crossplane, Core: core, Target: fn.Address}
}

// A rendering is what a test renders, and how.
type rendering struct {
	flavour string // Claims, unless it is another one.
	files   Files
	first   bool
	full    bool

	standIns bool
}

// texts of all claims of a file or folder, by the claims' names.
func (r rendering) texts(t *testing.T, engine Engine, path string) map[string]string {
	t.Helper()

	if r.flavour == "" {
		r.flavour = FlavourClaims
	}

	configuration, err := Load(r.flavour)
	if err != nil {
		t.Fatal(err)
	}

	claims, err := configuration.ReadClaims([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}

	stories := make([]Story, 0, len(claims))

	for _, c := range claims {
		// The function refuses containers and sites with an old provider.
		if r.flavour == FlavourLegacy && (kindOf(c.Object) == "Container" || kindOf(c.Object) == "ProxmoxSite") {
			continue
		}

		s, err := r.files.Story(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}

		stories = append(stories, s)
	}

	renderer := Renderer{Configuration: configuration, Engine: engine, Explain: true, First: r.first, Full: r.full, StandIns: r.standIns}
	out := map[string]string{}

	for _, rendered := range renderer.RenderAll(context.Background(), stories, runtime.NumCPU()) {
		if rendered.Err != nil {
			t.Fatal(rendered.Err)
		}

		b, err := rendered.YAML()
		if err != nil {
			t.Fatal(err)
		}

		out[rendered.Claim.String()] = string(b)
	}

	return out
}

// text of the only claim of a file.
func (r rendering) text(t *testing.T, path string) string {
	t.Helper()

	texts := r.texts(t, InProcess{}, path)
	if len(texts) != 1 {
		t.Fatalf("%s: want one claim, got %d", path, len(texts))
	}

	for _, text := range texts {
		return text
	}

	return ""
}

// every lets TestEnginesAgree render every example with the real Crossplane, which starts for each claim and takes some seconds: make test-engines. Otherwise one claim
// stands for them.
var every = flag.Bool("every", false, "hold both engines against each other for every example")

// TestEnginesAgree holds what this process does of every example against what the real Crossplane does, byte for byte: manifests, names,
// owners, conditions, results and plan, in every flavour, and of a machine that lives.
func TestEnginesAgree(t *testing.T) {
	crossplane := realEngine(t)
	example := filepath.Join(repository, "example")
	all, cluster := example, filepath.Join(example, "k3s-cluster")

	if !*every {
		all, cluster = filepath.Join(example, "nixos", "dns01.yaml"), filepath.Join(example, "k3s-cluster", "server-1.yaml")
	}

	dayTwo := filepath.Join(example, "day-two", "git01.yaml")
	observed := Files{Observed: filepath.Join(example, "day-two", "cluster", "claims", "observed.yaml")}

	paused := strings.Replace(claimText("Machine", "a"), "{name: a}", "{name: a, annotations: {crossplane.io/paused: \"true\"}}", 1)
	// Long names are cut, a label of the composite's stays, and a number is a number.
	long := "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: " + strings.Repeat("a", 60) + ", namespace: infra, generation: 3}\n" +
		"spec: {size: {cores: 3}, network: {dhcp: true}, %s: {name: xmachines.homelab.io}%s, proxmox: {node: pve}}\n"
	odd := writeTree(t, map[string]string{
		"paused/a.yaml": paused, "long/a.yaml": fmt.Sprintf(long, "compositionRef", ""), "namespaced/a.yaml": fmt.Sprintf(long, "crossplane: {compositionRef", "}"),
	})

	cases := map[string]struct {
		reason string
		path   string
		r      rendering
		min    int // How many claims there must be of every example.
	}{
		"Claims":     {reason: "Every example.", path: all, r: rendering{flavour: FlavourClaims, standIns: true}, min: 19},
		"Legacy":     {reason: "Every example with an old provider.", path: all, r: rendering{flavour: FlavourLegacy, standIns: true}, min: 17},
		"Namespaced": {reason: "Every example in a namespaced installation.", path: all, r: rendering{flavour: FlavourNamespaced, standIns: true}, min: 17},
		"Full":       {reason: "The composite with its spec and its defaults.", path: cluster, r: rendering{full: true}, min: 5},
		"First":      {reason: "Before anything is made.", path: cluster, r: rendering{flavour: FlavourNamespaced, first: true}, min: 5},
		"Living":     {reason: "A machine that lives, with the composite's status.", path: dayTwo, r: rendering{files: observed}, min: 1},
		"LivingFull": {reason: "Also with its spec.", path: dayTwo, r: rendering{files: observed, full: true}, min: 1},
		"Paused":     {reason: "Crossplane leaves a paused composite alone.", path: filepath.Join(odd, "paused"), min: 1},
		"Long":       {reason: "Names are cut, a generation is observed, and a Composition that was selected is no news.", path: filepath.Join(odd, "long"), min: 1},
		"LongNamespaced": {
			reason: "Also where the composite is the claim.", path: filepath.Join(odd, "namespaced"), r: rendering{flavour: FlavourNamespaced, full: true}, min: 1,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want, got := tc.r.texts(t, crossplane, tc.path), tc.r.texts(t, InProcess{}, tc.path)
			if *every && len(got) < tc.min || len(got) == 0 {
				t.Errorf("only %d claims were rendered", len(got))
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\n-crossplane, +in process:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestEnginesRefuse: where Crossplane leaves everything as it is, this process does, too, with the same words of the function.
func TestEnginesRefuse(t *testing.T) {
	engines := map[string]Engine{"Crossplane": realEngine(t), "InProcess": InProcess{}}
	example := filepath.Join(repository, "example")

	const foreign = "apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1\nkind: EnvironmentVM\nmetadata: {name: vm, annotations: " +
		"{crossplane.io/composition-resource-name: vm}, ownerReferences: [{apiVersion: example.org/v1, kind: XOther, name: other, uid: u-9, controller: true}]}\n"

	root := writeTree(t, map[string]string{
		"unknown.yaml": claimText("Machine", "a") + "spec: {class: huge, sise: 3}\n", "foreign.yaml": foreign,
	})

	cases := map[string]struct {
		reason string
		path   string
		files  Files
		want   []string
	}{
		"Fault": {
			reason: "A claim with faults.", path: filepath.Join(root, "unknown.yaml"),
			want: []string{"cannot render Machine a in ", `spec.class: "huge"`, `spec.sise: `},
		},
		"SomebodyElses": {
			reason: "A resource of another composite.", path: filepath.Join(example, "plain-debian"), files: Files{Observed: filepath.Join(root, "foreign.yaml")},
			want: []string{"observed resource vm has a controller ref but is not controlled by the XR"},
		},
	}

	for name, tc := range cases {
		for engine, e := range engines {
			t.Run(name+engine, func(t *testing.T) {
				configuration, err := Load(FlavourClaims)
				if err != nil {
					t.Fatal(err)
				}

				claims, err := configuration.ReadClaims([]string{tc.path}, nil)
				if err != nil {
					t.Fatal(err)
				}

				s, err := tc.files.Story(t.Context(), claims[0])
				if err != nil {
					t.Fatal(err)
				}

				got := Renderer{Configuration: configuration, Engine: e}.Render(t.Context(), s)
				if got.Err == nil {
					t.Fatalf("%s: want an error", tc.reason)
				}

				for _, w := range tc.want {
					if !strings.Contains(got.Err.Error(), w) {
						t.Errorf("%s: want %q in\n%v", tc.reason, w, got.Err)
					}
				}
			})
		}
	}
}
