package packages

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/test/crds"
)

// planCRDs are those of system-upgrade-controller, which are not part of the repository.
func planCRDs(t *testing.T) crds.Set {
	t.Helper()

	dir := filepath.Join(root, "../shared/other-crds/system-upgrade-controller")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}

		t.Skip("without the CRDs of system-upgrade-controller, which are not part of this repository")
	}

	set, err := crds.Load(dir)
	if err != nil {
		t.Fatal(err)
	}

	return set
}

// TestSystemUpgradeControllerAcceptsPlans that the function writes, and notices wrong ones.
func TestSystemUpgradeControllerAcceptsPlans(t *testing.T) {
	objects, plans := kubernetesCRDs(t), planCRDs(t)

	full := object.Upgrade{
		Name: "home-agents", Servers: "home-servers", Nodes: []string{"home-worker-0"}, Version: "v1.34.2+k3s1", Concurrency: 2, DrainMinutes: 15,
		Window:    &object.PlanWindow{Days: []string{"saturday"}, StartTime: "02:00", EndTime: "05:00", TimeZone: "Europe/Berlin"},
		Namespace: "upgrades", ServiceAccount: "upgrader", Image: "registry.home.arpa:5000/k3s-upgrade",
	}

	for _, f := range []object.Flavour{object.Cluster, object.Namespaced} {
		for _, u := range []object.Upgrade{{Name: "home-servers", Version: "v1.34.2+k3s1"}, full} {
			m, err := object.ManifestOf(object.NewPlan(f, "home", u, true, proxmox.Metadata{}))
			if err != nil {
				t.Fatal(err)
			}

			if errs := objects.Check(m.AsMap()); len(errs) > 0 {
				t.Errorf("%s of %s: %v", f.APIVersion, u.Name, errs.ToAggregate())
			}

			if errs := plans.Check(manifestIn(m.AsMap())); len(errs) > 0 {
				t.Errorf("Plan %s: %v", u.Name, errs.ToAggregate())
			}
		}
	}

	wrong := full
	wrong.Window = &object.PlanWindow{Days: []string{"someday"}}

	m, err := object.ManifestOf(object.NewPlan(object.Cluster, "home", wrong, true, proxmox.Metadata{}))
	if err != nil {
		t.Fatal(err)
	}

	if errs := plans.Check(manifestIn(m.AsMap())); len(errs) == 0 {
		t.Error("a day that there is not is accepted: the check checks nothing")
	}
}

// manifestIn an Object.
func manifestIn(o map[string]any) map[string]any {
	spec, _ := o["spec"].(map[string]any)
	forProvider, _ := spec["forProvider"].(map[string]any)
	m, _ := forProvider["manifest"].(map[string]any)

	return m
}

// TestPlansRights: provider-kubernetes gets the rights on Plans that the documentation names, and no other one.
func TestPlansRights(t *testing.T) {
	role := documents(t, filepath.Join(root, "install/observe/provider-kubernetes-plans.yaml"))[0]
	want := []any{rule("upgrade.cattle.io", "plans", "get", "list", "watch", "create", "update", "patch", "delete")}

	if diff := cmp.Diff(want, role["rules"]); diff != "" {
		t.Errorf("rights: -want, +got:\n%s", diff)
	}

	if metadata, _ := role["metadata"].(map[string]any); role["kind"] != "Role" || metadata["namespace"] != object.DefaultUpgradeNamespace {
		t.Errorf("the rights are those of %v %v; want them in the namespace of the Plans alone", role["kind"], metadata["namespace"])
	}
}
