package packages

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/test/crds"
)

// kubernetesCRDs are those of provider-kubernetes, which are not part of the repository.
func kubernetesCRDs(t *testing.T) crds.Set {
	t.Helper()

	dir := filepath.Join(root, "../shared/other-crds/provider-kubernetes-v1.2.1")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}

		t.Skip("without the CRDs of provider-kubernetes, which are not part of this repository")
	}

	set, err := crds.Load(dir)
	if err != nil {
		t.Fatal(err)
	}

	return set
}

// TestProviderKubernetesAcceptsObjects that the function writes, in both of its APIs, and notices a wrong one.
func TestProviderKubernetesAcceptsObjects(t *testing.T) {
	set := kubernetesCRDs(t)
	metadata := proxmox.Metadata{Labels: map[string]string{"homelab.io/machine": "server-1"}}

	for _, f := range []object.Flavour{object.Cluster, object.Namespaced} {
		for _, o := range []object.Object{object.NewReading(f, "home", "server-1", metadata), object.NewDeletion(f, "home", "server-1", metadata)} {
			m, err := object.ManifestOf(o)
			if err != nil {
				t.Fatal(err)
			}

			if errs := set.Check(m.AsMap()); len(errs) > 0 {
				t.Errorf("%s %v: %v", o.APIVersion, o.Spec.ManagementPolicies, errs.ToAggregate())
			}
		}

		for _, writing := range []bool{false, true} {
			z := object.NewZone(f, "home", object.Zone{Node: "server-1", UID: "a", Zone: "pve", Writing: writing}, metadata)

			m, err := object.ManifestOf(z)
			if err != nil {
				t.Fatal(err)
			}

			if errs := set.Check(m.AsMap()); len(errs) > 0 {
				t.Errorf("%s %v: %v", z.APIVersion, z.Spec.ManagementPolicies, errs.ToAggregate())
			}
		}

		wrong := object.NewReading(f, "home", "server-1", metadata)
		wrong.Spec.Readiness = &object.Readiness{Policy: "Sometimes"}

		m, err := object.ManifestOf(wrong)
		if err != nil {
			t.Fatal(err)
		}

		if errs := set.Check(m.AsMap()); len(errs) == 0 {
			t.Error("a policy that there is not is accepted: the check checks nothing")
		}
	}
}

// TestObservingInstalls what the documentation names, and no right but those that it names.
func TestObservingInstalls(t *testing.T) {
	set := kubernetesCRDs(t)

	files, err := filepath.Glob(filepath.Join(root, "install/observe/provider-config/*.yaml"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%d provider configurations, %v", len(files), err)
	}

	for _, f := range files {
		for _, o := range documents(t, f) {
			if errs := set.Check(o); len(errs) > 0 {
				t.Errorf("%s: %v", f, errs.ToAggregate())
			}
		}
	}

	role := documents(t, filepath.Join(root, "install/observe/provider-kubernetes-nodes.yaml"))[0]
	want := []any{rule("", "nodes", "get", "list", "watch", "delete", "patch")}

	if diff := cmp.Diff(want, role["rules"]); diff != "" {
		t.Errorf("rights: -want, +got:\n%s", diff)
	}

	for _, name := range []string{"nodes.yaml", "volumes.yaml", "snapshots.yaml", "provider-kubernetes-nodes.yaml"} {
		a, b := documents(t, filepath.Join(root, "install/observe", name)), documents(t, filepath.Join(root, "example/flux/infrastructure/base", name))
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%s: -install, +flux:\n%s", name, diff)
		}
	}
}

// TestProviderKubernetesHasItsAccount: the provider runs as the account that the rights are bound to, and Crossplane does not own it. On 2.4.0 and 2.4.1 a package
// whose serviceAccountTemplate has a name stays without a pod after an upgrade (crossplane/crossplane#7838).
func TestProviderKubernetesHasItsAccount(t *testing.T) {
	var account, runsAs string

	for _, o := range documents(t, filepath.Join(root, "install/observe/provider-kubernetes.yaml")) {
		u := unstructured.Unstructured{Object: o}

		switch u.GetKind() {
		case "ServiceAccount":
			account = u.GetNamespace() + "/" + u.GetName()
		case "DeploymentRuntimeConfig":
			runsAs, _, _ = unstructured.NestedString(o, "spec", "deploymentTemplate", "spec", "template", "spec", "serviceAccountName")

			if _, there, _ := unstructured.NestedFieldNoCopy(o, "spec", "serviceAccountTemplate"); there {
				t.Error("Crossplane owns the account")
			}
		}
	}

	if account != "crossplane-system/"+runsAs {
		t.Errorf("the provider runs as %q, and the account is %q", runsAs, account)
	}

	bound := 0

	for _, dir := range []string{"install/observe", "install/drain", "example/flux/infrastructure/base"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}

		for _, f := range files {
			for _, o := range documents(t, f) {
				subjects, _, _ := unstructured.NestedSlice(o, "subjects")
				for _, s := range subjects {
					subject, _ := s.(map[string]any)
					if name, _ := subject["name"].(string); subject["namespace"] == "crossplane-system" && name != "" {
						bound++

						if name != runsAs {
							t.Errorf("%s binds rights to %s", f, name)
						}
					}
				}
			}
		}
	}

	if bound < 4 {
		t.Errorf("%d rights are bound", bound)
	}
}

// documents of a YAML file.
func documents(t *testing.T, file string) []map[string]any {
	t.Helper()

	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	var out []map[string]any

	for d := range bytes.SplitSeq(b, []byte("\n---\n")) {
		var o map[string]any
		if err := yaml.Unmarshal(d, &o); err != nil {
			t.Fatalf("%s: %v", file, err)
		}

		out = append(out, o)
	}

	return out
}

// TestProviderKubernetesTakesItsArguments: a switch of the provider takes no value, and with one the provider does not start.
func TestProviderKubernetesTakesItsArguments(t *testing.T) {
	for _, o := range documents(t, filepath.Join(root, "install/observe/provider-kubernetes.yaml")) {
		if o["kind"] != "DeploymentRuntimeConfig" {
			continue
		}

		b, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}

		if !bytes.Contains(b, []byte("- --no-enable-server-side-apply\n")) || bytes.Contains(b, []byte("=false")) {
			t.Errorf("the arguments are not what the provider takes:\n%s", b)
		}

		return
	}

	t.Error("no DeploymentRuntimeConfig")
}
