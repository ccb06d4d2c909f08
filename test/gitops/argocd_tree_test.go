package gitops

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const argocdExample = repository + "/example/argocd"

// manifestsIn a folder, as Argo CD reads them: each file has one.
func manifestsIn(t *testing.T, dir string) []unstructured.Unstructured {
	t.Helper()

	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifest in %s: %v", dir, err)
	}

	var out []unstructured.Unstructured

	for _, f := range files {
		o := unstructured.Unstructured{}
		if err := yaml.UnmarshalStrict([]byte(read(t, f)), &o.Object); err != nil {
			t.Fatalf("%s: %v", f, err)
		}

		out = append(out, o)
	}

	return out
}

// TestArgoCDRepository validates what the Applications of example/argocd apply, and holds that no file's removal deletes a machine.
func TestArgoCDRepository(t *testing.T) {
	var all []unstructured.Unstructured

	waves := map[string]string{}

	for _, a := range append(manifestsIn(t, argocdExample+"/applications"), manifestsIn(t, argocdExample)...) {
		if a.GetKind() != "Application" {
			continue
		}

		waves[a.GetName()] = a.GetAnnotations()["argocd.argoproj.io/sync-wave"]

		if len(a.GetFinalizers()) > 0 {
			t.Errorf("Application %s deletes what it applied", a.GetName())
		}

		checkApplication(t, a)

		if path, _, _ := unstructured.NestedString(a.Object, "spec", "source", "path"); path != "" && path != "applications" {
			all = append(all, manifestsIn(t, filepath.Join(argocdExample, path))...)
		}
	}

	for _, order := range [][2]string{
		{"crossplane", "provider"},
		{"provider", "provider-config"},
		{"provider", "packages"},
		{"packages", "catalogue"},
		{"catalogue", "machines-1"},
		{"machines-1", "machines-2"},
	} {
		if waves[order[0]] == "" || waves[order[0]] >= waves[order[1]] {
			t.Errorf("%s must be applied before %s, got waves %q and %q", order[0], order[1], waves[order[0]], waves[order[1]])
		}
	}

	for _, o := range all {
		if options := o.GetAnnotations()["argocd.argoproj.io/sync-options"]; o.GetKind() != "ImageConfig" && options != "Prune=false,Delete=false" {
			t.Errorf("%s %s is deleted with its file: sync-options %q", o.GetKind(), o.GetName(), options)
		}
	}

	for _, kind := range []string{"Provider", "DeploymentRuntimeConfig", "ClusterProviderConfig", "ImageConfig", "Function", "Configuration", "EnvironmentConfig", "Namespace", "Machine", "K3sCluster"} {
		if n := len(ofKind(all, kind)); n != 1 {
			t.Errorf("%d objects of kind %s, want 1", n, kind)
		}
	}

	flux := fluxBuild(t, "namespaced")

	for _, kind := range []string{"Provider", "Function", "Configuration"} {
		want, _, _ := unstructured.NestedString(ofKind(flux, kind)[0].Object, "spec", "package")
		if got, _, _ := unstructured.NestedString(ofKind(all, kind)[0].Object, "spec", "package"); got != want {
			t.Errorf("%s is %s, and %s in example/flux", kind, got, want)
		}
	}

	v := newValidator(t, variants["namespaced"])
	if out, err := v.validate(t, all); err != nil {
		t.Errorf("not valid: %v:\n%s", err, out)
	}
}

// checkApplication: it goes on trying, since Argo CD gives up after five attempts by default, and what the API server and Crossplane add to an object is no
// difference for it.
func checkApplication(t *testing.T, a unstructured.Unstructured) {
	t.Helper()

	if limit, _, _ := unstructured.NestedFieldNoCopy(a.Object, "spec", "syncPolicy", "retry", "limit"); limit != int64(20) && limit != float64(20) {
		t.Errorf("Application %s retries %v times, want 20", a.GetName(), limit)
	}

	options, _, _ := unstructured.NestedStringSlice(a.Object, "spec", "syncPolicy", "syncOptions")
	for _, o := range options {
		if strings.HasPrefix(o, "Replace") || strings.HasPrefix(o, "Force") {
			t.Errorf("Application %s deletes what it applies: %s", a.GetName(), o)
		}
	}

	compare := a.GetAnnotations()["argocd.argoproj.io/compare-options"]
	if slices.Contains(options, "ServerSideApply=true") && compare != "ServerSideDiff=true" {
		t.Errorf("Application %s has the defaults of the XRDs as differences: compare-options %q", a.GetName(), compare)
	}
}

// TestArgoCDConfigMap: the ConfigMap to copy is that of the page, and its other scripts judge packages and Applications.
func TestArgoCDConfigMap(t *testing.T) {
	shown := regexp.MustCompile("(?s)<!-- argocd-cm -->\n\n```yaml\n(.*?)```").FindStringSubmatch(read(t, filepath.Join(repository, "docs/argocd.md")))
	if shown == nil || shown[1] != read(t, argocdExample+"/argocd-cm.yaml") {
		t.Error("example/argocd/argocd-cm.yaml is not what docs/argocd.md shows")
	}

	kinds := scripts(t, shown[1])

	object := func(text string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
			t.Fatal(err)
		}

		return o
	}

	cases := map[string]struct{ reason, kinds, object, want string }{
		"Installed":   {"A package as Crossplane reports it.", "pkg.crossplane.io/*", read(t, "testdata/objects/namespaced/configuration-healthy.yaml"), "Healthy"},
		"Missing":     {"A version that there is none of may be pushed yet.", "pkg.crossplane.io/*", read(t, "testdata/objects/namespaced/configuration-missing-version.yaml"), "Progressing"},
		"New":         {"Crossplane has not seen it.", "pkg.crossplane.io/*", "kind: Function\n", "Progressing"},
		"Config":      {"It never has a status.", "pkg.crossplane.io/*", "kind: ImageConfig\n", "Healthy"},
		"Runtime":     {"Nor does this: the Application with the provider has one.", "pkg.crossplane.io/*", "kind: DeploymentRuntimeConfig\n", "Healthy"},
		"Half":        {"It is installed, and its pod does not run.", "pkg.crossplane.io/*", "kind: Provider\nstatus: {conditions: [{type: Installed, status: 'True'}, {type: Healthy, status: 'False', reason: X}]}\n", "Progressing"},
		"Revision":    {"It has other conditions than its package.", "pkg.crossplane.io/*", "kind: ProviderRevision\nstatus: {conditions: [{type: RevisionHealthy, status: 'True'}, {type: RuntimeHealthy, status: 'True'}]}\n", "Healthy"},
		"RevisionIll": {"Its pod does not run.", "pkg.crossplane.io/*", "kind: ProviderRevision\nstatus: {conditions: [{type: RevisionHealthy, status: 'True'}, {type: RuntimeHealthy, status: 'False', message: m}]}\n", "Progressing"},
		"RevisionNew": {"One that is not active has nothing to say.", "pkg.crossplane.io/*", "kind: FunctionRevision\n", "Healthy"},
		"Layer":       {"Its own health counts.", "argoproj.io/Application", "kind: Application\nstatus: {health: {status: Degraded}}\n", "Degraded"},
		"FirstLayer":  {"Argo CD has not judged it.", "argoproj.io/Application", "kind: Application\n", "Progressing"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := luaHealth(t, kinds[tc.kinds], object(tc.object)); got != tc.want {
				t.Errorf("\n%s\nwant %s, got %s", tc.reason, tc.want, got)
			}
		})
	}

	if !slices.Contains(strings.Fields(shown[1]), "application.resourceTrackingMethod:") {
		t.Error("the ConfigMap does not track by annotation")
	}

	// Argo CD 3 ships a list, which another one would replace.
	if strings.Contains(shown[1], "resource.exclusions") {
		t.Error("the ConfigMap replaces what Argo CD excludes by itself")
	}
}
