package lint

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

var yamlBlock = regexp.MustCompile("(?ms)^( *)```yaml\n(.*?)^ *```$")

// blocks of YAML in a page of the documentation.
func blocks(t *testing.T, page string) []string {
	t.Helper()

	b, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}

	var out []string
	for _, m := range yamlBlock.FindAllStringSubmatch(string(b), -1) {
		out = append(out, regexp.MustCompile("(?m)^"+m[1]).ReplaceAllString(m[2], ""))
	}

	return out
}

func parsedYAML(t *testing.T, text string) map[string]any {
	t.Helper()

	out := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err, text)
	}

	return out
}

// TestDocsOfClusters: the claim that docs/clusters.md shows is the example's, and what it adds to one is accepted.
func TestDocsOfClusters(t *testing.T) {
	claim, err := os.ReadFile("../../example/cluster/home.yaml")
	if err != nil {
		t.Fatal(err)
	}

	catalogue, err := manifest.ReadRaw([]string{"../../example/cluster/catalogue.yaml"}, nil)
	if err != nil {
		t.Fatal(err)
	}

	example, shown := parsedYAML(t, string(claim)), 0

	for _, block := range blocks(t, "clusters.md") {
		o := parsedYAML(t, block)

		if o["kind"] == "K3sCluster" {
			shown++

			if diff := cmp.Diff(example, o); diff != "" {
				t.Errorf("the claim is not the one of example/cluster: -example, +docs:\n%s", diff)
			}

			continue
		}

		// Package packages checks parts of catalogues.
		if o["clusters"] != nil {
			continue
		}

		// A part of a claim.
		whole := parsedYAML(t, string(claim))
		maps.Copy(whole["spec"].(map[string]any), o["spec"].(map[string]any)) //nolint:forcetypeassert // A panic shows which block it is.

		b, err := yaml.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}

		faults := Check([]manifest.Raw{{File: "claim.yaml", Documents: manifest.RawDocuments(b)}}, catalogue, Options{}).Faults
		// A part that shows one of nodes leaves the addresses of the others out.
		// One that shows upgrades needs more of the catalogue than the example has, as the page says.
		faults = slices.DeleteFunc(faults, func(f Fault) bool {
			return f.Severity == Warning && f.Path == "spec.servers.template.network" || f.Path == "spec.upgrade" && strings.Contains(f.Message, "needs providerConfig and observe")
		})

		if len(faults) > 0 {
			t.Errorf("%v\n%s", faults, block)
		}

		shown++
	}

	if shown < 2 {
		t.Errorf("docs/clusters.md shows %d parts of claims", shown)
	}
}

// TestDocsOfBootstrap: claims that docs/bootstrap.md shows are accepted.
func TestDocsOfBootstrap(t *testing.T) {
	catalogue, err := manifest.ReadRaw([]string{"../../example/k3s-cluster/catalogue.yaml"}, nil)
	if err != nil {
		t.Fatal(err)
	}

	claims := 0

	for _, block := range blocks(t, "bootstrap.md") {
		if !strings.Contains(block, "homelab.io/v1alpha1") {
			continue
		}

		r := Check([]manifest.Raw{{File: "claim.yaml", Documents: manifest.RawDocuments([]byte(block))}}, catalogue, Options{})
		for _, f := range r.Faults {
			if f.Severity == Error {
				t.Errorf("%v\n%s", f, block)
			}
		}

		claims += r.Claims
	}

	if claims < 4 {
		t.Errorf("docs/bootstrap.md shows %d claims", claims)
	}
}
