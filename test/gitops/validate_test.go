package gitops

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// A validator is Crossplane's command line with the schemas of all kinds that Flux applies here.
type validator struct {
	command, dir, image string
}

func newValidator(t *testing.T, of variant) *validator {
	t.Helper()
	needs(t, toolsBin+"/crossplane", "no crossplane in .tools/bin: make tool-crossplane builds it")
	needs(t, filepath.Join(providerCRDs, of.provider), "no CRDs of the provider, which are not part of this repository")

	command, err := filepath.Abs(toolsBin + "/crossplane")
	if err != nil {
		t.Fatal(err)
	}

	v := &validator{command: command, dir: t.TempDir()}
	schemas := []string{filepath.Join(repository, of.xrds, "*.yaml"), filepath.Join(repository, "input/package/crds/*.yaml"), filepath.Join(providerCRDs, of.provider, "*.yaml")}

	for _, c := range []string{"source-controller", "kustomize-controller", "helm-controller"} {
		schemas = append(schemas, filepath.Join(module(t, "tools/flux/controllers", "github.com/fluxcd/"+c, "Dir"), "config/crd/bases/*.yaml"))
	}

	v.copy(t, "schemas", schemas...)

	// The command line wants the CRDs of a Crossplane image, and looks into its cache before it fetches one.
	const core = "github.com/crossplane/crossplane/v2"

	v.image = "xpkg.crossplane.io/crossplane/crossplane:" + module(t, "tools/cluster", core, "Version")

	var all []string
	for _, f := range glob(t, filepath.Join(module(t, "tools/cluster", core, "Dir"), "cluster/crds/*.yaml")) {
		all = append(all, read(t, f))
	}

	write(t, filepath.Join(v.dir, "cache", strings.ReplaceAll(v.image, ":", "@"), "package.yaml"), strings.Join(all, "\n---\n"))

	return v
}

func (v *validator) copy(t *testing.T, to string, patterns ...string) {
	t.Helper()

	for i, p := range patterns {
		for _, f := range glob(t, p) {
			write(t, filepath.Join(v.dir, to, string(rune('a'+i))+"-"+filepath.Base(f)), read(t, f))
		}
	}
}

// validate objects. Kinds of Kubernetes itself have no CRD; what the API server makes of them the chain shows.
func (v *validator) validate(t *testing.T, all []unstructured.Unstructured) (string, error) {
	t.Helper()

	dir := filepath.Join(t.TempDir(), "objects")

	for i, o := range all {
		if group := o.GroupVersionKind().Group; group == "" || strings.HasSuffix(group, ".k8s.io") {
			continue
		}

		content, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}

		write(t, filepath.Join(dir, string(rune('a'+i/26))+string(rune('a'+i%26))+".yaml"), string(content))
	}

	out, err := exec.CommandContext(t.Context(), v.command, "resource", "validate", filepath.Join(v.dir, "schemas"), dir,
		"--cache-dir", filepath.Join(v.dir, "cache"), "--crossplane-image", v.image, "--error-on-missing-schemas", "--skip-success-results").CombinedOutput()

	return string(out), err
}

// module says something of a module that a tool's go.mod pins.
func module(t *testing.T, pinned, path, field string) string {
	t.Helper()

	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{."+field+"}}", path)
	cmd.Dir = filepath.Join(repository, pinned)

	if out, err := cmd.Output(); err == nil && strings.TrimSpace(string(out)) != "" {
		return strings.TrimSpace(string(out))
	}

	// A module that was never needed here is fetched first.
	download := exec.CommandContext(t.Context(), "go", "mod", "download", path)
	download.Dir = cmd.Dir

	if out, err := download.CombinedOutput(); err != nil {
		t.Fatalf("cannot fetch %s: %v: %s", path, err, out)
	}

	again := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{."+field+"}}", path)
	again.Dir = cmd.Dir

	out, err := again.Output()
	if err != nil {
		t.Fatal(err)
	}

	return strings.TrimSpace(string(out))
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()

	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no %s: %v", pattern, err)
	}

	return files
}

func read(t *testing.T, path string) string {
	t.Helper()

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	return string(content)
}
