package packages

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestDrainingInstalls what Jobs need, under the names that they use, and no right beyond.
func TestDrainingInstalls(t *testing.T) {
	a := documents(t, filepath.Join(root, "install/drain/drain.yaml"))

	if diff := cmp.Diff(a, documents(t, filepath.Join(root, "example/flux/infrastructure/base/node-drain.yaml"))); diff != "" {
		t.Errorf("-install, +flux:\n%s", diff)
	}

	want := map[string]any{
		"ClusterRole": []any{
			rule("", "nodes", "get", "list", "watch", "patch"), rule("", "pods", "get", "list"), rule("", "pods/eviction", "create"), rule("apps", "daemonsets", "get"),
		},
		"Role": []any{rule("batch", "jobs", "get", "create", "patch")},
	}

	got, named := map[string]any{}, map[string]bool{}

	for _, o := range a {
		kind, _ := o["kind"].(string)
		if o["rules"] != nil {
			got[kind] = o["rules"]
		}

		if meta, _ := o["metadata"].(map[string]any); meta["name"] == object.DrainNamespace {
			named[kind] = true
		}
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rights: -want, +got:\n%s", diff)
	}

	if !named["Namespace"] || !named["ServiceAccount"] {
		t.Errorf("no namespace and ServiceAccount %s: %v", object.DrainNamespace, named)
	}
}

// TestJobsAreObjects as the CRDs of provider-kubernetes have them.
func TestJobsAreObjects(t *testing.T) {
	set := kubernetesCRDs(t)

	for _, f := range []object.Flavour{object.Cluster, object.Namespaced} {
		for _, task := range []object.Task{object.TaskDrain, object.TaskUncordon} {
			m, err := object.ManifestOf(object.NewJob(f, "home", object.Work{Task: task, Node: "a", Key: "a-0", Identity: object.ByLabel("b")}, proxmox.Metadata{}))
			if err != nil {
				t.Fatal(err)
			}

			if errs := set.Check(m.AsMap()); len(errs) > 0 {
				t.Error(errs.ToAggregate())
			}
		}
	}
}
