package gitops

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const pruneAnnotation = "kustomize.toolkit.fluxcd.io/prune"

// TestNothingGoesWithAFile: what machines live on is protected twice. A layer that is taken away leaves its objects, and a file
// that is taken away leaves its object.
func TestNothingGoesWithAFile(t *testing.T) {
	// What makes machines go, or be forgotten, when it goes.
	protected := []string{
		"Namespace", "HelmRelease", "Provider", "DeploymentRuntimeConfig", "ProviderConfig", "ClusterProviderConfig", "Function", "Configuration",
		"CompositeResourceDefinition", "Composition", "EnvironmentConfig", "Secret", "K3sNode", "K3sCluster",
	}

	for _, cluster := range clusters {
		t.Run(cluster, func(t *testing.T) {
			for _, l := range layersOf(t, cluster) {
				if policy, _, _ := unstructured.NestedString(l.Object, "spec", "deletionPolicy"); l.GetKind() == "Kustomization" && policy != "Orphan" {
					t.Errorf("layer %s: deletionPolicy %q, want Orphan", l.GetName(), policy)
				}

				// Flux then deletes what the API server refuses, to make it anew.
				if force, _, _ := unstructured.NestedBool(l.Object, "spec", "force"); force {
					t.Errorf("layer %s has force", l.GetName())
				}
			}

			for _, o := range fluxBuild(t, cluster) {
				if slices.Contains(protected, o.GetKind()) && o.GetAnnotations()[pruneAnnotation] != "disabled" {
					t.Errorf("%s %s can be pruned", o.GetKind(), o.GetName())
				}
			}
		})
	}
}

// TestOrder: every layer waits for what it needs, and says when it is ready.
func TestOrder(t *testing.T) {
	for _, cluster := range clusters {
		t.Run(cluster, func(t *testing.T) {
			all := map[string][]string{}

			for _, l := range layersOf(t, cluster) {
				if l.GetKind() != "Kustomization" {
					continue
				}

				all[l.GetName()] = dependencies(l)

				wait, _, _ := unstructured.NestedBool(l.Object, "spec", "wait")
				watched, _, _ := unstructured.NestedSlice(l.Object, "spec", "healthChecks")

				if !wait && len(watched) == 0 {
					t.Errorf("layer %s is ready before what is in it", l.GetName())
				}
			}

			for _, want := range [][2]string{
				{"provider", "infrastructure"},
				{"provider-config", "provider"},
				{"signatures", "infrastructure"},
				{"packages", "signatures"},
				{"packages", "infrastructure"},
				{"catalogue", "infrastructure"},
				{"secrets", "infrastructure"},
				{"machines-1", "provider-config"},
				{"machines-1", "packages"},
				{"machines-1", "catalogue"},
				{"machines-1", "secrets"},
				{"machines-2", "machines-1"},
				{"machines-3", "machines-2"},
				{"machines-4", "machines-3"},
			} {
				// A K3sCluster needs no waves.
				if _, there := all[want[0]]; !there && !slices.Contains(inWaves, cluster) && strings.HasPrefix(want[1], "machines-") {
					continue
				}

				if !reaches(all, want[0], want[1]) {
					t.Errorf("%s does not wait for %s", want[0], want[1])
				}
			}
		})
	}
}

func dependencies(l unstructured.Unstructured) []string {
	list, _, _ := unstructured.NestedSlice(l.Object, "spec", "dependsOn")

	var out []string

	for _, d := range list {
		if m, ok := d.(map[string]any); ok {
			if name, ok := m["name"].(string); ok {
				out = append(out, name)
			}
		}
	}

	return out
}

// reaches says whether one layer comes after another. A layer that depends on one that is not there is never applied.
func reaches(all map[string][]string, from, to string) bool {
	_, there := all[from]

	return there && (from == to || slices.ContainsFunc(all[from], func(next string) bool { return reaches(all, next, to) }))
}
