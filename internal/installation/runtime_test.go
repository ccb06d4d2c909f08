package installation

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// container of the DeploymentRuntimeConfig that the provider names.
func (w *world) container(change func(c map[string]any)) {
	path := []string{"spec", "deploymentTemplate", "spec", "template", "spec", "containers"}

	for _, o := range w.Objects {
		if containers, there, _ := unstructured.NestedSlice(o.Object, path...); there && o.GetKind() == runtimeConfig {
			change(containers[0].(map[string]any)) //nolint:forcetypeassert // testdata has it so.

			_ = unstructured.SetNestedSlice(o.Object, containers, path...)
		}
	}
}

func TestRuntime(t *testing.T) {
	const (
		file = "https://raw.githubusercontent.com/homelab-io/function-proxmox-machine/main/install/provider/machines-5.yaml"
		own  = "set them as " + file + " has them, or machines-50.yaml, or machines-500.yaml: docs/performance.md"
		all  = "no CPU limit, no memory limit, no --poll (the default is 10m), no --max-reconcile-rate (the default is 10)"
		fix  = "kubectl apply -f " + file + " && kubectl patch provider.pkg.crossplane.io/provider-proxmox-bpg " +
			`--type=merge --patch='{"spec": {"runtimeConfigRef": {"name": "provider-proxmox-bpg"}}}': docs/performance.md has larger values`
	)

	byImage := func(prefix, name string) unstructured.Unstructured {
		return unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "pkg.crossplane.io/v1beta1", "kind": "ImageConfig", "metadata": map[string]any{"name": name},
			"spec": map[string]any{
				"matchImages": []any{map[string]any{"type": "Prefix", "prefix": prefix}},
				"runtime":     map[string]any{"configRef": map[string]any{"name": name}},
			},
		}}
	}

	cases := map[string]struct {
		reason string
		change func(w *world)
		want   Finding
	}{
		"Bounded": {"what the examples install", func(*world) {}, Finding{checkRuntime, OK, "provider-proxmox-bpg has limits, a poll and a rate: DeploymentRuntimeConfig provider-proxmox-bpg", ""}},
		"Default": {"what Crossplane gives to every package", func(w *world) { w.set("Provider", defaultRuntime, "spec", "runtimeConfigRef", "name") }, Finding{
			checkRuntime, Warning, "provider-proxmox-bpg may take what it wants: DeploymentRuntimeConfig default has " + all, fix,
		}},
		"NoReference": {"a Provider of a file, as a person wrote it, and no configuration at all", func(w *world) { w.remove(runtimeConfig); w.set("Provider", nil, "spec", "runtimeConfigRef") }, Finding{
			checkRuntime, Warning, "provider-proxmox-bpg may take what it wants: DeploymentRuntimeConfig default has " + all, fix,
		}},
		"NoConfiguration": {"a name that nothing has", func(w *world) { w.set("Provider", "bounded", "spec", "runtimeConfigRef", "name") }, Finding{
			checkRuntime, Warning, "provider-proxmox-bpg names DeploymentRuntimeConfig bounded, which is not there: its next pod does not start",
			"kubectl apply -f " + file + ", if that is its name: docs/performance.md",
		}},
		"NoLimits": {"a processor that the provider may have whole", func(w *world) { w.container(func(c map[string]any) { delete(c, "resources") }) }, Finding{
			checkRuntime, Warning, "provider-proxmox-bpg may take what it wants: DeploymentRuntimeConfig provider-proxmox-bpg has no CPU limit, no memory limit", own,
		}},
		"NoArguments": {"the defaults of the provider", func(w *world) {
			w.container(func(c map[string]any) { c["args"] = []any{"--debug", "--poll-state-metric=5s"} })
		}, Finding{
			checkRuntime, Warning,
			"provider-proxmox-bpg may take what it wants: DeploymentRuntimeConfig provider-proxmox-bpg has no --poll (the default is 10m), no --max-reconcile-rate (the default is 10)", own,
		}},
		"OtherContainer": {"a sidecar's limits are not the provider's", func(w *world) { w.container(func(c map[string]any) { c["name"] = "proxy" }) }, Finding{
			checkRuntime, Warning, "provider-proxmox-bpg may take what it wants: DeploymentRuntimeConfig provider-proxmox-bpg has " + all, own,
		}},
		"Words": {"the provider takes a value as a word of its own, too", func(w *world) {
			w.container(func(c map[string]any) { c["args"] = []any{"--poll", "10m", "--max-reconcile-rate", "10"} })
		}, Finding{checkRuntime, OK, "provider-proxmox-bpg has limits, a poll and a rate: DeploymentRuntimeConfig provider-proxmox-bpg", ""}},
		"ImageConfig": {"Crossplane takes it before what the Provider names", func(w *world) {
			w.Objects = append(w.Objects, byImage("xpkg.upbound.io/valkiriaaquaticamendi/", "provider-proxmox-bpg"), byImage("xpkg.upbound.io/", "default"), byImage("ghcr.io/", "other"))
			w.set("Provider", defaultRuntime, "spec", "runtimeConfigRef", "name")
		}, Finding{checkRuntime, OK, "provider-proxmox-bpg has limits, a poll and a rate: DeploymentRuntimeConfig provider-proxmox-bpg", ""}},
		"Unread": {"a person who may not list them", func(w *world) {
			w.remove(runtimeConfig)
			w.Unread["deploymentruntimeconfigs.pkg.crossplane.io"] = true
		}, Finding{checkRuntime, Unknown, "you may not list deploymentruntimeconfigs.pkg.crossplane.io", "check again as somebody who may"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := healthy(t)
			tc.change(w)

			var got []Finding

			for _, f := range Judge(w.Cluster) {
				if f.Check == checkRuntime {
					got = append(got, f)
				}
			}

			if diff := cmp.Diff([]Finding{tc.want}, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRuntimesOfTheRepository: the check has nothing to say of what this project ships.
func TestRuntimesOfTheRepository(t *testing.T) {
	files, err := filepath.Glob("../../install/provider/*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}

	for _, file := range append(files, "../../example/flux/provider/base/runtime.yaml", "../../example/argocd/provider/runtime.yaml") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}

		objects, err := manifest.ObjectsOf(b)
		if err != nil || len(objects) != 1 {
			t.Fatalf("%s: %d objects, %v", file, len(objects), err)
		}

		if lacks := missing(objects[0]); len(lacks) > 0 {
			t.Errorf("%s has no %v", file, lacks)
		}
	}
}
