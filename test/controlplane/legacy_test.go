package controlplane

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// crossplane120 is the last release of generation 1.
var crossplane120 = release{
	core: "crossplane-core-v1", pinned: "tools/crossplane-v1", module: "github.com/crossplane/crossplane", ownRoot: true,
	provider: "v1.18.0", logs: "v1.20",
}

var (
	// old is Crossplane 1.20 with the last provider of its time, installed from Git. Many people still run that.
	old = newInstallation(withOldProvider(crossplane120), "legacy")

	// oldCore is Crossplane 1.20 with our package and a provider of today.
	oldCore = newInstallation(crossplane120, "configuration-proxmox-machine")
)

func withOldProvider(r release) release {
	r.provider, r.fromGit = "v0.11.1", true

	return r
}

// TestLegacyInstall installs on Crossplane 1.20, from Git and as a package. That all packages get healthy, and all kinds are
// offered, is what the rig waits for.
func TestLegacyInstall(t *testing.T) {
	cases := map[string]struct {
		reason string
		on     *installation
	}{
		"Git": {
			reason: "A provider up to v0.11.1 needs other Compositions than those of the package, so XRDs and Compositions come from Git.",
			on:     old,
		},
		"Package": {
			reason: "The package that Crossplane 2 installs is the same.",
			on:     oldCore,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			r := tc.on.rig(t)
			t.Logf("plane and packages: %s", time.Since(begin).Round(100*time.Millisecond))

			if n := len(r.Functions.Running()); n != 1 {
				t.Errorf("%s\n%d functions run, want 1", tc.reason, n)
			}

			// Two Compositions for one kind would have Crossplane choose one by chance.
			l := &extv1.CompositionList{}
			must(t, r.Client.List(t.Context(), l))

			var kinds []string
			for i := range l.Items {
				kinds = append(kinds, l.Items[i].Spec.CompositeTypeRef.Kind)
			}

			slices.Sort(kinds)

			if want := []string{"XContainer", "XK3sCluster", "XK3sNode", "XMachine", "XProxmoxSite"}; !slices.Equal(kinds, want) {
				t.Errorf("%s\nCompositions are for %v, want %v", tc.reason, kinds, want)
			}

			r.grants(t)
		})
	}
}

// grants checks that Crossplane may do what it does by its roles, and not because anything here made it an administrator.
func (r *rig) grants(t *testing.T) {
	t.Helper()

	l := &rbacv1.ClusterRoleBindingList{}
	must(t, r.Client.List(t.Context(), l))

	for i := range l.Items {
		for _, s := range l.Items[i].Subjects {
			if s.Namespace == plane.Namespace && l.Items[i].RoleRef.Name == "cluster-admin" {
				t.Errorf("%s makes ServiceAccount %s an administrator", l.Items[i].Name, s.Name)
			}
		}
	}

	if err := r.until(t.Context(), "Crossplane may make VMs", func(ctx context.Context) (bool, string) {
		role := &rbacv1.ClusterRole{}
		if err := r.Client.Get(ctx, client.ObjectKey{Name: "crossplane"}, role); err != nil {
			return false, err.Error()
		}

		group := "virtualenvironmentvm." + r.group()

		return slices.ContainsFunc(role.Rules, func(p rbacv1.PolicyRule) bool {
			return slices.Contains(p.APIGroups, group)
		}), fmt.Sprintf("%d rules, none for %s", len(role.Rules), group)
	}); err != nil {
		t.Error(err)
	}
}

// TestLegacyEditedComposition edits a Composition that came with the package, as people try who want another provider API.
// Crossplane takes the edit back when it looks at the package again, and says nothing: so install/legacy tells another way.
func TestLegacyEditedComposition(t *testing.T) {
	r := oldCore.rig(t)
	c := &extv1.Composition{}
	key := client.ObjectKey{Name: "xmachines.homelab.io"}

	must(t, r.Client.Get(t.Context(), key, c))
	original := string(c.Spec.Pipeline[0].Input.Raw)
	c.Spec.Pipeline[0].Input.Raw = []byte(`{"apiVersion": "machine.fn.homelab.io/v1beta1", "kind": "Input", "providerAPI": "legacy"}`)
	must(t, r.Client.Update(t.Context(), c))

	must(t, r.Crossplane.Restart(t.Context()))
	must(t, r.until(t.Context(), "the Composition is as it was", func(ctx context.Context) (bool, string) {
		now := &extv1.Composition{}
		if err := r.Client.Get(ctx, key, now); err != nil {
			return false, err.Error()
		}

		return string(now.Spec.Pipeline[0].Input.Raw) == original, string(now.Spec.Pipeline[0].Input.Raw)
	}))
}
