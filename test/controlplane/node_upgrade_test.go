package controlplane

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestNodeUpgrades upgrades K3s in place on the nodes of single K3sNodes that share an entry of the catalogue, by the real provider-kubernetes and a
// stand-in for system-upgrade-controller, which counts the nodes that it upgrades at once: docs/clusters.md.
func TestNodeUpgrades(t *testing.T) {
	t.Parallel()

	r := ownRig(t, claims, "node-upgrades")
	u := &nodeUpgradeRun{nodesRun: &nodesRun{
		rig: r, k3s: r.observing(t, "None"),
		servers: []*unstructured.Unstructured{edited(k3sNode("server-1", "server", 201), map[string]any{"k3s.init": true})},
		agents:  []*unstructured.Unstructured{k3sNode("agent-1", "agent", 211)},
	}}

	u.live(t, []nodesStep{
		{"Join", u.join},
		{"Upgrade", u.upgrade},
		{"Refused", u.refused},
	})
}

// A nodeUpgradeRun is a cluster of single K3sNodes whose K3s is upgraded.
type nodeUpgradeRun struct{ *nodesRun }

// upgradesTo is a catalogue whose nodes are upgraded in place, to a release.
func upgradesTo(t *testing.T, release string) *unstructured.Unstructured {
	t.Helper()

	c := catalogueOfObjects("Here")

	for field, value := range map[string]string{"upgrade": "SystemUpgrade", "version": release} {
		must(t, unstructured.SetNestedField(c.Object, value, "data", "clusters", "home", field))
	}

	return c
}

// noController: without the kind Plan nothing is upgraded, and the node that has the turn says what to do.
func (u *nodeUpgradeRun) noController(t *testing.T) {
	t.Helper()
	u.startProviderKubernetes(t)
	must(t, u.apply(t.Context(), upgradesTo(t, nextRelease)))

	must(t, u.tells(t.Context(), u.servers[0], isNot("VersionCurrent", "UpgradeBlocked", "The cluster has no system-upgrade-controller"), is("Ready", "")))

	for _, c := range u.all()[1:] {
		must(t, u.tells(t.Context(), c, isNot("VersionCurrent", "WaitingForTurn", "after node-server-1 (runs v1.33.6+k3s1)"), is("Ready", "")))
	}

	u.safe(t)
}

// upgrade by an edit of the catalogue: once the controller is there, as a rehearsal takes it, one node after the other is upgraded, servers first, no VM is another one, and nothing is left.
func (u *nodeUpgradeRun) upgrade(t *testing.T) {
	rehearsed := u.rehearses(t, u.vmsOf(u.all()...), append(u.all(), upgradesTo(t, nextRelease))...)

	u.noController(t)

	was := map[string]int{}
	for _, c := range u.all() {
		was[c.GetName()] = u.k3s.Owner(c.GetName())
	}

	u.k3s.Fewest()

	begin := time.Now()

	must(t, u.apply(t.Context(), objects(t, planCRD)...))
	must(t, u.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: upgradeNamespace}}))
	must(t, u.apply(t.Context(), objects(t, observeFiles+"/provider-kubernetes-plans.yaml")...))
	u.k3s.UpgradeBy(upgradeNamespace)

	for _, c := range u.all() {
		must(t, u.tells(t.Context(), c, word{"VersionCurrent", "True", "SameVersion", nextRelease}, is("BootstrapCurrent", "K3sVersionChanged")))
		t.Logf("%s runs %s after %s", c.GetName(), nextRelease, time.Since(begin).Round(time.Second))
	}

	if few := u.k3s.Fewest(); few != 2 {
		t.Errorf("%d servers voted at the worst moment, want 2", few)
	}

	var order []string

	for _, line := range u.k3s.Journal() {
		if name, is := strings.CutSuffix(line, " is upgraded"); is {
			order = append(order, name)
		}
	}

	want := []string{"node-server-1", "node-server-2", "node-server-3", "node-agent-1"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("nodes in the order of their upgrades: -want, +got:\n%s", diff)
	}

	rehearsed.came(t, "done")

	if diff := cmp.Diff(want, rehearsed.upgrades); diff != "" {
		t.Errorf("nodes in the order of their rehearsed upgrades: -want, +got:\n%s", diff)
	}

	for _, c := range u.all() {
		n := &corev1.Node{}
		must(t, u.Client.Get(t.Context(), client.ObjectKey{Name: c.GetName()}, n))

		if n.Status.NodeInfo.KubeletVersion != nextRelease || n.Spec.Unschedulable || u.k3s.Owner(c.GetName()) != was[c.GetName()] {
			t.Errorf("Node %s runs %s, is unschedulable: %t, and is VM %d; it was %d", c.GetName(), n.Status.NodeInfo.KubeletVersion, n.Spec.Unschedulable,
				u.k3s.Owner(c.GetName()), was[c.GetName()])
		}
	}

	u.noPlans(t)
	u.safe(t)
}

// refused: a release that skips a minor one.
func (u *nodeUpgradeRun) refused(t *testing.T) {
	must(t, u.apply(t.Context(), upgradesTo(t, "v1.35.0+k3s1")))

	for _, c := range u.all() {
		must(t, u.tells(t.Context(), c, isNot("VersionCurrent", "UpgradeRefused", "upgrade to a release of v1.34 first"), is("Ready", "")))
	}

	u.noPlans(t)
	u.safe(t)
}

// noPlans waits until no Plan is left in the cluster.
func (u *nodeUpgradeRun) noPlans(t *testing.T) {
	t.Helper()

	must(t, u.until(t.Context(), "no Plan is left", func(ctx context.Context) (bool, string) {
		all, err := u.plans(ctx)

		return err == nil && len(all) == 0, strings.Join(all, ", ")
	}))
}
