package packages

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// providerRuntimes are the files of install/provider, in the order of the columns of docs/performance.md.
func providerRuntimes() []string {
	return []string{"install/provider/machines-5.yaml", "install/provider/machines-50.yaml", "install/provider/machines-500.yaml"}
}

// runtimeValues are what a DeploymentRuntimeConfig says of the provider's container, as the table of docs/performance.md names it.
func runtimeValues(t *testing.T, config map[string]any) map[string]string {
	t.Helper()

	var typed struct {
		Spec struct {
			DeploymentTemplate struct {
				Spec struct {
					Template struct {
						Spec struct {
							Containers []struct {
								Name      string   `json:"name"`
								Args      []string `json:"args"`
								Resources struct {
									Requests, Limits map[string]string
								} `json:"resources"`
							} `json:"containers"`
						} `json:"spec"`
					} `json:"template"`
				} `json:"spec"`
			} `json:"deploymentTemplate"`
		} `json:"spec"`
	}

	b, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}

	if err := yaml.Unmarshal(b, &typed); err != nil {
		t.Fatal(err)
	}

	containers := typed.Spec.DeploymentTemplate.Spec.Template.Spec.Containers
	if len(containers) != 1 || containers[0].Name != "package-runtime" {
		t.Fatalf("want the one container of a package, got %+v", containers)
	}

	out := map[string]string{}

	for _, a := range containers[0].Args {
		flag, value, _ := strings.Cut(a, "=")
		out["`"+flag+"`"] = value
	}

	for name, shown := range map[string]string{"cpu": "CPU", "memory": "memory"} {
		out[shown+", requested"], out[shown+", limit"] = containers[0].Resources.Requests[name], containers[0].Resources.Limits[name]
	}

	return out
}

// TestProviderRuntimes: docs/performance.md has the values of install/provider.
func TestProviderRuntimes(t *testing.T) {
	m := regexp.MustCompile(`(?s)<!-- provider values -->\n.*?\n\| --- .*?\n(.*?)<!-- end of provider values -->`).FindStringSubmatch(readPage(t, "docs/performance.md"))
	if m == nil {
		t.Fatal("docs/performance.md has no table of values")
	}

	got := make([]map[string]string, len(providerRuntimes()))

	for row := range strings.Lines(m[1]) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), "|")
		if len(cells) != len(got)+2 {
			t.Fatalf("a row of %d columns: %s", len(cells), row)
		}

		for i := range got {
			if got[i] == nil {
				got[i] = map[string]string{}
			}

			got[i][strings.TrimSpace(cells[0])] = strings.TrimSpace(cells[i+1])
		}
	}

	for i, file := range providerRuntimes() {
		if diff := cmp.Diff(runtimeValues(t, documents(t, filepath.Join(root, file))[0]), got[i]); diff != "" {
			t.Errorf("%s: -file, +docs/performance.md:\n%s", file, diff)
		}
	}
}

// TestProviderHasItsRuntime: whoever installs the provider by an example or by the tutorial gets the values for a homelab, and the Provider names them.
func TestProviderHasItsRuntime(t *testing.T) {
	want := documents(t, filepath.Join(root, providerRuntimes()[0]))[0]
	ref := map[string]any{"apiVersion": want["apiVersion"], "kind": want["kind"], "name": "provider-proxmox-bpg"}

	var page []map[string]any

	for _, m := range yamlBlock.FindAllStringSubmatch(tutorial(t), -1) {
		for document := range strings.SplitSeq(m[1], "\n---\n") {
			var o map[string]any
			if err := yaml.Unmarshal([]byte(document), &o); err != nil {
				t.Fatal(err)
			}

			page = append(page, o)
		}
	}

	files := func(dir string) []map[string]any {
		return slices.Concat(documents(t, filepath.Join(root, dir, "provider.yaml")), documents(t, filepath.Join(root, dir, "runtime.yaml")))
	}

	cases := map[string]struct {
		reason string
		all    []map[string]any
	}{
		"Tutorial": {"What people paste.", page},
		"Flux":     {"Both releases of Crossplane have it from one base.", files("example/flux/provider/base")},
		"ArgoCD":   {"What people copy.", files("example/argocd/provider")},
	}

	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			tc := cases[name]
			found := map[string]int{}

			for _, o := range tc.all {
				kind, _ := o["kind"].(string)
				found[kind]++

				spec, _ := o["spec"].(map[string]any)

				switch kind {
				case "Provider":
					if diff := cmp.Diff(any(ref), spec["runtimeConfigRef"]); diff != "" {
						t.Errorf("%s\nruntimeConfigRef: -want, +got:\n%s", tc.reason, diff)
					}
				case "DeploymentRuntimeConfig":
					if diff := cmp.Diff(want["spec"], o["spec"]); diff != "" {
						t.Errorf("%s\nDeploymentRuntimeConfig: -%s, +got:\n%s", tc.reason, providerRuntimes()[0], diff)
					}
				}
			}

			if found["Provider"] != 1 || found["DeploymentRuntimeConfig"] != 1 {
				t.Errorf("%s\nwant a Provider and a DeploymentRuntimeConfig, got %v", tc.reason, found)
			}
		})
	}
}
