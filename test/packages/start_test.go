package packages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/test/crds"
)

// tutorial is docs/start.md.
func tutorial(t *testing.T) string {
	t.Helper()

	b, err := os.ReadFile(filepath.Join(root, "docs/start.md"))
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}

// TestStartVersions holds the versions that the tutorial installs to those of example/flux, which the tests install.
func TestStartVersions(t *testing.T) {
	page := tutorial(t)

	cases := map[string]struct{ reason, file, key, format string }{
		"Crossplane":    {"Helm's chart.", "infrastructure/crossplane-2/kustomization.yaml", `path: /spec/chart/spec/version, value: "`, "crossplane-stable/crossplane --version %s "},
		"Provider":      {"The provider's package.", "provider/crossplane-2/kustomization.yaml", `path: /spec/package, value: "`, "  package: %s\n"},
		"Configuration": {"This repository's package.", "packages/namespaced/configuration.yaml", "package: ", "  package: %s\n"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join(root, "example/flux", tc.file))
			if err != nil {
				t.Fatal(err)
			}

			_, rest, ok := strings.Cut(string(b), tc.key)
			if !ok {
				t.Fatalf("%s has no %s", tc.file, tc.key)
			}

			version := strings.FieldsFunc(rest, func(r rune) bool { return r == '"' || r == '\n' })[0]
			if want := strings.ReplaceAll(tc.format, "%s", version); !strings.Contains(page, want) {
				t.Errorf("\n%s\ndocs/start.md does not have %q", tc.reason, want)
			}
		})
	}
}

// TestStartManifests holds every manifest of the tutorial that is not a machine's to what the API server would say of it: the
// provider's configuration to its CRD, and the packages to their kinds. Its claims are those of the linters' tests.
func TestStartManifests(t *testing.T) {
	set := providerCRDs(t)
	want := map[string]int{"ImageConfig": 1, "Provider": 1, "DeploymentRuntimeConfig": 1, "Configuration": 1, "ClusterProviderConfig": 1, "EnvironmentConfig": 1, "Machine": 1, "K3sCluster": 1}
	got := map[string]int{}

	for _, m := range yamlBlock.FindAllStringSubmatch(tutorial(t), -1) {
		for document := range strings.SplitSeq(m[1], "\n---\n") {
			var o map[string]any
			if err := yaml.UnmarshalStrict([]byte(document), &o); err != nil {
				t.Fatal(err, document)
			}

			kind, _ := o["kind"].(string)
			got[kind]++

			if kind != "ClusterProviderConfig" {
				continue
			}

			if errs := set.Check(o); len(errs) > 0 {
				t.Errorf("%v\n%s", errs.ToAggregate(), document)
			}
		}
	}

	for kind, n := range want {
		if got[kind] != n {
			t.Errorf("want %d %s in docs/start.md, got %d", n, kind, got[kind])
		}
	}

	if len(got) != len(want) {
		t.Errorf("docs/start.md has kinds that nobody checks: %v", got)
	}
}

// providerCRDs are those of the provider that the tutorial installs, which are not part of the repository.
func providerCRDs(t *testing.T) crds.Set {
	t.Helper()

	dir := filepath.Join(root, "../shared/provider-crds/v1.18.0")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}

		t.Skip("without the CRDs of the provider, which are not part of this repository")
	}

	set, err := crds.Load(dir)
	if err != nil {
		t.Fatal(err)
	}

	return set
}
