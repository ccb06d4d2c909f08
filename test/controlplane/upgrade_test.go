package controlplane

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// planCRD is the kind of system-upgrade-controller, which is not part of the repository.
const planCRD = repository + "/../shared/other-crds/system-upgrade-controller/upgrade.cattle.io_plans.yaml"

// upgradeNamespace is system-upgrade-controller's own.
const upgradeNamespace = "system-upgrade"

// TestUpgrades upgrades K3s in place, by the real provider-kubernetes and a stand-in for system-upgrade-controller: docs/clusters.md.
func TestUpgrades(t *testing.T) {
	t.Parallel()

	r := ownRig(t, namespaced, "upgrades")
	u := &upgradeRun{clusterRun: &clusterRun{nodesRun: &nodesRun{rig: r, k3s: r.observing(t, "None")}, claim: clusterClaim()}}
	u.grant(t)

	agents, _, err := unstructured.NestedSlice(u.claim.Object, "spec", "agents")
	must(t, err)

	agents[0].(map[string]any)["count"] = int64(1) //nolint:forcetypeassert // As the claim has it.
	u.claim = counted(edited(u.claim, map[string]any{"agents": agents}))

	u.live(t, []nodesStep{
		{"Birth", u.birth},
		{"Upgrade", u.upgrade},
		{"Downgrade", u.downgrade},
		{"Plans", u.kept},
	})
}

// An upgradeRun is a K3sCluster whose K3s is upgraded.
type upgradeRun struct {
	*clusterRun

	owners map[string]int // The VMs of the nodes.
}

const nextRelease = "v1.33.7+k3s3"

// ownersHash ends the name of a Plan.
var ownersHash = regexp.MustCompile(`-[0-9a-f]{32}$`)

// members of the cluster, by name.
var upgradeNodes = []string{"server-0", "server-1", "server-2", "worker-0"} //nolint:gochecknoglobals // A constant list.

func (u *upgradeRun) birth(t *testing.T) {
	must(t, u.apply(t.Context(), catalogueOfObjects("Here")))
	must(t, u.apply(t.Context(), u.claim))
	u.complete(t, "birth of 3 and 1")
	u.startProviderKubernetes(t)

	u.owners = map[string]int{}
	for _, name := range upgradeNodes {
		u.owners[name] = u.k3s.Owner(u.claim.GetName() + "-" + name)
	}
}

// says waits until the rollout is in a state and says something.
func (u *upgradeRun) says(t *testing.T, state, text string) {
	t.Helper()

	must(t, u.until(t.Context(), fmt.Sprintf("the rollout is %s, and says %q", state, text), func(ctx context.Context) (bool, string) {
		now, err := u.now(ctx, u.claim)
		if err != nil {
			return false, err.Error()
		}

		message, _, _ := unstructured.NestedString(now.Object, "status", "rollout", "message")
		has, _, _ := unstructured.NestedString(now.Object, "status", "rollout", "state")

		return has == state && strings.Contains(message, text), has + ": " + message + "\n" + conditions(now)
	}))
}

// toNextRelease is the edit of the claim.
func toNextRelease() map[string]any {
	return map[string]any{"upgrade": "SystemUpgrade", "version": nextRelease}
}

// noController: without the kind Plan nothing is upgraded, and the claim says what to do.
func (u *upgradeRun) noController(t *testing.T) {
	t.Helper()
	u.change(t, toNextRelease())
	u.says(t, "Blocked", "The cluster has no system-upgrade-controller")
	u.safe(t)
}

// upgrade: once the controller is there, as a rehearsal takes it, one node after the other is upgraded, servers first, and no VM is another one.
func (u *upgradeRun) upgrade(t *testing.T) {
	rehearsed := u.rehearses(t, toNextRelease())

	u.noController(t)
	u.k3s.Fewest()

	begin := time.Now()

	must(t, u.apply(t.Context(), objects(t, planCRD)...))
	must(t, u.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: upgradeNamespace}}))
	must(t, u.apply(t.Context(), objects(t, observeFiles+"/provider-kubernetes-plans.yaml")...))
	u.k3s.UpgradeBy(upgradeNamespace)
	u.says(t, "Progressing", "K3s "+nextRelease+" is being rolled out by system-upgrade-controller")
	t.Logf("the upgrade has begun after %s", time.Since(begin).Round(time.Second))
	u.complete(t, "all nodes run "+nextRelease)
	t.Logf("the upgrade took %s", time.Since(begin).Round(time.Second))

	if few := u.k3s.Fewest(); few != 2 {
		t.Errorf("%d servers voted at the worst moment, want 2", few)
	}

	var order []string

	for _, line := range u.k3s.Journal() {
		if name, is := strings.CutSuffix(line, " is upgraded"); is {
			order = append(order, strings.TrimPrefix(name, u.claim.GetName()+"-"))
		}
	}

	if diff := cmp.Diff(upgradeNodes, order); diff != "" {
		t.Errorf("nodes in the order of their upgrades: -want, +got:\n%s", diff)
	}

	rehearsed.came(t, "done")

	for i, name := range rehearsed.upgrades {
		rehearsed.upgrades[i] = strings.TrimPrefix(name, u.claim.GetName()+"-")
	}

	if diff := cmp.Diff(order, rehearsed.upgrades); diff != "" {
		t.Errorf("upgrades: -recorded, +rehearsed:\n%s", diff)
	}

	for _, name := range upgradeNodes {
		u.upgraded(t, name)
	}
}

// upgraded checks a node that was.
func (u *upgradeRun) upgraded(t *testing.T, name string) {
	t.Helper()

	full := u.claim.GetName() + "-" + name

	if owner := u.k3s.Owner(full); owner != u.owners[name] {
		t.Errorf("%s is VM %d; want VM %d, which it was before", name, owner, u.owners[name])
	}

	n := &corev1.Node{}
	must(t, u.Client.Get(t.Context(), client.ObjectKey{Name: full}, n))

	if n.Status.NodeInfo.KubeletVersion != nextRelease || n.Spec.Unschedulable {
		t.Errorf("Node %s runs %s, and is unschedulable: %t", full, n.Status.NodeInfo.KubeletVersion, n.Spec.Unschedulable)
	}

	// Its next VM is born with what it runs.
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(schema.GroupVersionKind{Group: "homelab.io", Version: "v1alpha1", Kind: u.nodeKind()})
	must(t, u.Client.Get(t.Context(), client.ObjectKey{Namespace: machines, Name: full}, o))

	if version, _, _ := unstructured.NestedString(o.Object, "spec", "k3s", "version"); version != nextRelease {
		t.Errorf("the spec of %s has K3s %s", full, version)
	}

	// The node is called for its new spec after its cluster is.
	must(t, u.until(t.Context(), full+" says so", func(ctx context.Context) (bool, string) {
		err := u.Client.Get(ctx, client.ObjectKeyFromObject(o), o)
		return err == nil && condition(o, "VersionCurrent").status == "True", fmt.Sprintf("%s, %v", conditions(o), err)
	}))
}

// downgrade: refused, and nothing happens.
func (u *upgradeRun) downgrade(t *testing.T) {
	old, changes := u.claim, map[string]any{"version": "v1.33.6+k3s1"}
	rehearsed := u.rehearses(t, changes)

	must(t, u.apply(t.Context(), edited(u.claim, changes)))
	must(t, u.until(t.Context(), "the release is refused", func(ctx context.Context) (bool, string) {
		now, err := u.now(ctx, u.claim)
		c := condition(now, "SpecValid")

		return err == nil && c.status == "False" && strings.Contains(c.message, "K3s cannot be downgraded in place"), fmt.Sprintf("%s, %v", conditions(now), err)
	}))
	rehearsed.came(t, "refused")
	must(t, u.apply(t.Context(), old))
	u.complete(t, "the old claim again")
}

// kept: the Plans are there for the next upgrade.
func (u *upgradeRun) kept(t *testing.T) {
	plans, err := u.plans(t.Context())
	must(t, err)

	// Behind the name is the identity of the cluster's composite, so that no other claim of the name writes the Plan.
	for i := range plans {
		plans[i] = ownersHash.ReplaceAllString(plans[i], "")
	}

	if !slices.Equal(plans, []string{u.claim.GetName() + "-agents", u.claim.GetName() + "-servers"}) {
		t.Errorf("Plans are %q", plans)
	}
}

// plans in the cluster, sorted.
func (r *rig) plans(ctx context.Context) ([]string, error) {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(schema.GroupVersionKind{Group: "upgrade.cattle.io", Version: "v1", Kind: "PlanList"})

	err := r.Client.List(ctx, l, client.InNamespace(upgradeNamespace))

	var out []string
	for _, p := range l.Items {
		out = append(out, p.GetName())
	}

	slices.Sort(out)

	return out, err
}
