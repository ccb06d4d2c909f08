package installation

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/document"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

const runtimeConfig = "DeploymentRuntimeConfig"

// defaultRuntime is the name of the configuration that Crossplane gives to every package which names none. All packages share it, and it is empty.
const defaultRuntime = "default"

// boundedRuntime is a configuration to apply from any folder.
const boundedRuntime = document.FilesURL + "install/provider/machines-5.yaml"

// runtime of the provider: nothing bounds what it takes, unless somebody has said how much. With its defaults it has taken two processors for two VMs.
func (c Cluster) runtime() []Finding {
	p := c.packageOf("Provider", providerName)
	if p == nil {
		return nil
	}

	name, provider := c.runtimeOf(*p), message.Excerpt(p.GetName())
	shown := runtimeConfig + " " + message.Excerpt(name)
	i := slices.IndexFunc(c.Objects, func(o unstructured.Unstructured) bool {
		return o.GroupVersionKind().Group == packages && o.GetKind() == runtimeConfig && o.GetName() == name
	})

	switch {
	case i < 0 && name != defaultRuntime:
		return []Finding{{
			checkRuntime, Warning, provider + " names " + shown + ", which is not there: its next pod does not start",
			"kubectl apply -f " + boundedRuntime + ", if that is its name: docs/performance.md",
		}}
	case i < 0:
		return []Finding{boundless(provider, shown, name, missing(unstructured.Unstructured{}))}
	}

	if lacks := missing(c.Objects[i]); len(lacks) > 0 {
		return []Finding{boundless(provider, shown, name, lacks)}
	}

	return []Finding{{checkRuntime, OK, provider + " has limits, a poll and a rate: " + shown, ""}}
}

// boundless is the finding on a provider that lacks bounds.
func boundless(provider, shown, name string, lacks []string) Finding {
	fix := "set them as " + boundedRuntime + " has them, or machines-50.yaml, or machines-500.yaml: docs/performance.md"
	if name == defaultRuntime {
		fix = "kubectl apply -f " + boundedRuntime + " && kubectl patch provider.pkg.crossplane.io/" + provider +
			` --type=merge --patch='{"spec": {"runtimeConfigRef": {"name": "provider-proxmox-bpg"}}}': docs/performance.md has larger values`
	}

	return Finding{checkRuntime, Warning, provider + " may take what it wants: " + shown + " has no " + strings.Join(lacks, ", no "), fix}
}

// runtimeOf a Provider is the name of its DeploymentRuntimeConfig: that of the ImageConfig with the longest prefix of its package, or the one that it names.
func (c Cluster) runtimeOf(p unstructured.Unstructured) string {
	resolved, _, _ := unstructured.NestedString(p.Object, "status", "resolvedPackage")
	image := cmp.Or(resolved, packageName(p))
	longest, name := "", ""

	for _, o := range c.of(packages, "ImageConfig") {
		ref, _, _ := unstructured.NestedString(o.Object, "spec", "runtime", "configRef", "name")
		matches, _, _ := unstructured.NestedSlice(o.Object, "spec", "matchImages")

		for _, m := range matches {
			match, _ := m.(map[string]any)
			if prefix, _ := match["prefix"].(string); ref != "" && len(prefix) > len(longest) && strings.HasPrefix(image, prefix) {
				longest, name = prefix, ref
			}
		}
	}

	named, _, _ := unstructured.NestedString(p.Object, "spec", "runtimeConfigRef", "name")

	return cmp.Or(name, named, defaultRuntime)
}

// missing bounds of the container that a DeploymentRuntimeConfig describes.
func missing(config unstructured.Unstructured) []string {
	containers, _, _ := unstructured.NestedSlice(config.Object, "spec", "deploymentTemplate", "spec", "template", "spec", "containers")
	container := map[string]any{}

	for _, c := range containers {
		if m, _ := c.(map[string]any); m["name"] == "package-runtime" {
			container = m
		}
	}

	args, _, _ := unstructured.NestedStringSlice(container, "args")
	has := func(flag string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return a == flag || strings.HasPrefix(a, flag+"=") })
	}

	var out []string

	for _, limit := range [][2]string{{"cpu", "CPU limit"}, {"memory", "memory limit"}} {
		if v, there, _ := unstructured.NestedFieldNoCopy(container, "resources", "limits", limit[0]); !there || v == nil {
			out = append(out, limit[1])
		}
	}

	for _, flag := range [][2]string{{"--poll", "10m"}, {"--max-reconcile-rate", "10"}} {
		if !has(flag[0]) {
			out = append(out, flag[0]+" (the default is "+flag[1]+")")
		}
	}

	return out
}
